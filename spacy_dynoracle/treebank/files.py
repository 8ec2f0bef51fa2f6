"""Finding the files of a treebank: ``NAME/{train,dev,test}.conllu``."""

import os
from pathlib import Path

from ..errors import TreebankError

SPLITS = ("train", "dev", "test")
SUFFIXES = (".conllu", ".conll")
ENVIRONMENT = "DYNORACLE_TREEBANKS"


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


def find_treebank(directory: str | Path | None, name: str, split: str) -> Path:
    """The file of a split of a treebank.

    Args:
        directory: The directory that holds the directories of all treebanks; None for
            the value of the environment variable ``DYNORACLE_TREEBANKS``.
        name: The directory of the treebank, such as ``UD_English-EWT``.
        split: ``train``, ``dev`` or ``test``.

    Raises:
        TreebankError: If something is missing. The message lists what is there.
    """
    where = directory if directory is not None else os.environ.get(ENVIRONMENT)
    if not where:
        raise TreebankError(
            f"no directory of treebanks given; name one or set {ENVIRONMENT} to the "
            "directory that holds NAME/train.conllu and so on"
        )
    root = Path(where)
    if not root.is_dir():
        raise TreebankError(
            f"{root}: no such directory of treebanks; check the path or the "
            f"environment variable {ENVIRONMENT}",
            str(root),
        )
    treebank = root / name
    if not treebank.is_dir():
        names = sorted(sub.name for sub in root.iterdir() if any(sub.glob("*.conll*")))
        raise TreebankError(
            f"{root}: no treebank {name!r}, a directory with train.conllu, dev.conllu "
            f"and test.conllu; there: {', '.join(names) or 'none'}",
            str(root),
        )
    path = find_split(treebank, split)
    if path is None:
        splits = ", ".join(find_splits(treebank)) or "none"
        raise TreebankError(
            f"{treebank}: no file for the split {split!r} (expected {split}.conllu or "
            f"{split}.conll); splits there: {splits}",
            str(treebank),
        )
    return path
