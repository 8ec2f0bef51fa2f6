"""Transition systems, one file each."""

from .arc_eager import ArcEager

# Every system under the name that configs and model files use.
SYSTEMS = {"ArcEager": ArcEager}
