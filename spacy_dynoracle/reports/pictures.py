"""Writing pictures to files, as PNG and as SVG. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..util.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
DPI = 150


def require_matplotlib(what: str) -> None:
    """Raise ImportError, which says what to install, if matplotlib is missing.

    Args:
        what: Name of the pictures, in the plural.
    """
    if find_spec("matplotlib") is None:
        raise ImportError(
            f"{what} need matplotlib: pip install 'spacy-dynoracle[experiments]'"
        )


def save_picture(
    figure: Figure, path: Path, formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Write a figure to files. Each file appears when it is complete.

    Args:
        path: Path of the files without a suffix.
        formats: Some of FORMATS.

    Returns:
        The paths of the files.
    """
    # Parsing does not need matplotlib, so users may lack it.
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    files = [path.with_name(f"{path.name}.{suffix}") for suffix in formats]
    # A fixed salt and no date give the same bytes for the same values.
    with matplotlib.rc_context({"svg.hashsalt": "spacy_dynoracle"}):
        for file in files:
            metadata = {"Date": None} if file.suffix == ".svg" else {}
            with replacing(file) as stream:
                figure.savefig(
                    stream, format=file.suffix[1:], dpi=DPI, metadata=metadata
                )
    return files
