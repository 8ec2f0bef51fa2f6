"""Search algorithms, one file each."""
