"""The pipeline component `dynoracle_parser`."""
