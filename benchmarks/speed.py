"""Speed, memory, training time and model size of `dynoracle_parser`.

Run it as `python -m benchmarks.speed` or `python benchmarks/speed.py`, with `--help`
for the options. README.md beside this file explains the rows of the output.
"""

import os
import sys
from pathlib import Path

# One thread everywhere. The libraries read this when they are imported.
for _library in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

if not __package__:
    # Started as a script: Python has put this directory first, not the one above.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.command import app  # noqa: E402

if __name__ == "__main__":
    app()
