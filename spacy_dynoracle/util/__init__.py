"""Arrays, files, threads and error messages, for all other packages. Internal."""
