"""The pipeline component `dynoracle_tagger`."""
