"""Finding the files of a treebank: ``NAME/{train,dev,test}.conllu``."""

from pathlib import Path

from ..errors import TreebankError

SPLITS = ("train", "dev", "test")
SUFFIXES = (".conllu", ".conll")


def find_split(directory: str | Path, split: str) -> Path | None:
    """The file of a split in the directory of a treebank; None if there is none.

    The file is called ``train.conllu``, ``train.conll`` or, as in releases of Universal
    Dependencies, ``*-train.conllu``; dev and test accordingly.

    Raises:
        TreebankError: If several files match.
    """
    for suffix in SUFFIXES:
        exact = Path(directory) / f"{split}{suffix}"
        if exact.is_file():
            return exact
    for suffix in SUFFIXES:
        found = sorted(Path(directory).glob(f"*-{split}{suffix}"))
        if len(found) > 1:
            names = ", ".join(file.name for file in found)
            raise TreebankError(
                f"{directory}: several files for the split {split!r} ({names}); keep "
                f"one, or rename the right one to {split}{suffix}",
                str(directory),
            )
        if found:
            return found[0]
    return None


def find_splits(directory: str | Path) -> dict[str, Path]:
    """The files of all splits that exist, in the order train, dev, test."""
    found = {split: find_split(directory, split) for split in SPLITS}
    return {split: path for split, path in found.items() if path is not None}
