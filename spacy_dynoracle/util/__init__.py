"""Arrays, files, threads and error messages: what every room may use."""
