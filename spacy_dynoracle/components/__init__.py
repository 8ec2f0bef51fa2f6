"""The base of the pipeline components."""
