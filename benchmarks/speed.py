"""Speed, memory, training time and model size of `dynoracle_parser`.

Run it as `python -m benchmarks.speed` or `python benchmarks/speed.py`, with `--help`
for the options. README.md beside this file explains the rows of the output.
"""

import os
import sys
from pathlib import Path

# Every library uses one thread. The libraries read this when they are imported.
for _library in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.command import app  # noqa: E402

if __name__ == "__main__":
    app()
