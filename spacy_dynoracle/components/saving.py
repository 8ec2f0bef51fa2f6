"""Saving and loading of the trainable components of this package."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import srsly
from spacy import util
from spacy.pipeline import TrainablePipe
from spacy.vocab import Vocab

from ..errors import ModelFileError
from ..util.files import read_file, replace_file

if TYPE_CHECKING:
    from typing_extensions import Self

# The parts of a saved component.
PARTS = frozenset(["cfg", "model", "vocab"])


class SavedComponent(TrainablePipe):  # type: ignore[misc]
    """A component that is saved as settings (`cfg`) and a model.

    Attributes:
        kind: Its name in messages, such as "parser".
    """

    kind: ClassVar[str]
    vocab: Vocab
    name: str
    model: Any

    # ---- what a component fills in ---------------------------------------------------

    @abstractmethod
    def set_model(self, model: Any) -> None:
        """Use a saved model, or None."""

    @abstractmethod
    def dump_model(self, *, resume: bool = True) -> bytes:
        """The model as bytes. The component must have a model.

        Args:
            resume: With the part that only further training needs.
        """

    @abstractmethod
    def read_model(self, data: bytes | memoryview) -> Any:
        """The model that `dump_model` wrote.

        Raises:
            ModelFileError: When it is damaged or does not fit the settings.
        """

    def state(self) -> dict[str, Any]:
        """The state for further training, beside the model, as values for JSON."""
        return {}

    def check_state(self, state: dict[str, Any]) -> None:
        """Raise ModelFileError if the saved `state` of a model does not agree with the
        settings of the component. Keys may be missing.
        """

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a saved `state`, after the model. Keys may be missing."""

    # ---- saving ----------------------------------------------------------------------

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The component as bytes, with the weights that it predicts with.

        Args:
            exclude: Parts to leave out, as for `to_disk`.
        """
        exclude = set(exclude)
        return util.to_bytes(self._writers(exclude), exclude)

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save into a directory, as the files `cfg` and `model` (and `vocab`).

        Each file is written under another name and renamed when it is complete.

        Args:
            exclude: Files to leave out. "resume" is no file: it leaves out of `model`
                what only further training needs, for example for a package.
        """
        directory = Path(path)
        directory.mkdir(parents=True, exist_ok=True)
        exclude = {name.split(".")[0] for name in exclude}
        make = self._writers(exclude)
        # Last comes `cfg`, which tells whether there is a model.
        if "model" not in exclude and self.model is not None:
            replace_file(directory / "model", make["model"]())
        if "vocab" not in exclude:
            self.vocab.to_disk(directory / "vocab")
        if "cfg" not in exclude:
            # srsly would round numbers.
            settings = json.dumps(make["cfg"](), separators=(",", ":"))
            replace_file(directory / "cfg", settings.encode("utf8"))

    def _writers(self, exclude: set[str]) -> dict[str, Callable[[], Any]]:
        """The functions that make the parts of the saved component, by part."""
        resume = "resume" not in exclude
        return {
            "cfg": lambda: {
                "format": 1,
                "trained": self.model is not None,
                **self.state(),
            },
            "model": lambda: (
                b"" if self.model is None else self.dump_model(resume=resume)
            ),
            "vocab": lambda: self.vocab.to_bytes(),
        }

    # ---- loading ---------------------------------------------------------------------

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load from bytes.

        Raises:
            ModelFileError: Leaving the component as it was.
        """
        try:
            data = srsly.msgpack_loads(bytes_data)
        except Exception as error:
            raise ModelFileError(
                f"the bytes are not a saved {self.kind}: {type(error).__name__}: "
                f"{error}"
            ) from error
        if (
            not isinstance(data, dict)
            or not data
            or not PARTS.issuperset(data)
            or not isinstance(data.get("model", b""), bytes)
        ):
            raise ModelFileError(f"the bytes do not hold a saved {self.kind}")
        exclude = {*exclude, *(PARTS - set(data))}
        saved = data.get("cfg")
        return self._load(
            exclude,
            saved if isinstance(saved, dict) else {},
            lambda: data["model"] or None,
            "the bytes",
            lambda: self.vocab.from_bytes(data["vocab"]),
        )

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load from a directory.

        Raises:
            ModelFileError: When it is missing, damaged or does not fit the settings;
                the component stays as it was, naming the file.
        """
        directory = Path(path)
        exclude = {name.split(".")[0] for name in exclude}
        if not (directory / "vocab").exists():
            exclude.add("vocab")
        saved = self._read_cfg(directory / "cfg") if "model" not in exclude else {}
        has_model = saved.get("trained", True) is not False
        file = directory / "model"
        return self._load(
            exclude,
            saved,
            partial(self._read_file, file) if has_model else lambda: None,
            str(file),
            lambda: self.vocab.from_disk(directory / "vocab"),
        )

    def _load(
        self,
        exclude: set[str],
        saved: dict[str, Any],
        read: Callable[[], bytes | memoryview | None],
        source: str,
        use_vocab: Callable[[], Any],
    ) -> Self:
        """Become the saved component, or stay as before after an error.

        Args:
            saved: The contents of `cfg`.
            read: Gives the bytes of the model; None if there is no model.
            source: Where they come from.
            use_vocab: Loads the vocab.
        """
        model = None
        if "model" not in exclude and (data := read()) is not None:
            try:
                self.check_state(saved)
                model = self.read_model(data)
            except ModelFileError as error:
                raise ModelFileError(
                    f"cannot load the {self.kind} {self.name!r} from {source}: {error}"
                ) from error
        if "vocab" not in exclude:
            use_vocab()
        if "model" not in exclude:
            self.set_model(model)
            self.set_state(saved)
        return self

    def _read_file(self, file: Path) -> bytes | memoryview:
        """The bytes of a model."""
        try:
            return read_file(file)
        except OSError as error:
            raise ModelFileError(
                f"cannot load the {self.kind} from {file}: {error.strerror or error}; "
                f"expected the directory of a trained {self.name!r}"
            ) from error

    def _read_cfg(self, cfg: Path) -> dict[str, Any]:
        """The contents of the saved `cfg`; nothing if there is none."""
        if not cfg.exists():
            return {}
        try:
            settings = json.loads(cfg.read_bytes())
        except (ValueError, OSError, RecursionError) as error:
            raise ModelFileError(
                f"cannot load the {self.kind} from {cfg}: {error}"
            ) from error
        return settings if isinstance(settings, dict) else {}


def check_same(what: str, saved: Any, configured: Any) -> None:
    """Raise ModelFileError unless the config has the setting that a model was trained
    with.
    """
    if saved != configured:
        raise ModelFileError(
            f"it was trained with {what} {shortened(saved)}, but the config says "
            f"{shortened(configured)}: write the former, or train again"
        )


def shortened(value: Any) -> str:
    """The representation of a value, shortened for a message."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]} ..."
