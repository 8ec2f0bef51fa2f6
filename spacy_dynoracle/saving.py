"""Saving and loading of the component."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import srsly

from .core.model import Model
from .core.model_file import read_model, write_model
from .errors import ModelFileError

if TYPE_CHECKING:
    from .pipeline import DynOracleParser

SETTINGS = (
    "sentences",
    "nonprojective",
    "seed",
    "oracle",
    "exploration",
    "learner",
    "scorer",
)


def writers(component: DynOracleParser) -> dict[str, Callable[[], Any]]:
    """What makes each part of the saved component."""
    return {
        "cfg": lambda: {"format": 1, "trained": component.model is not None},
        "model": lambda: (
            b"" if component.model is None else write_model(component.model)
        ),
        "vocab": lambda: component.vocab.to_bytes(),
    }


def load(
    component: DynOracleParser, data: Any, exclude: Iterable[str], source: str
) -> None:
    """Take over the parts of a saved component; all or nothing."""
    if not isinstance(data, dict) or not isinstance(data.get("model", b""), bytes):
        raise ModelFileError(f"{source} do not hold a saved parser")
    if "vocab" in data and "vocab" not in exclude:
        component.vocab.from_bytes(data["vocab"])
    if "model" not in exclude and data.get("model"):
        component.set_model(read_checked(component, data["model"], source))


def read_checked(component: DynOracleParser, data: bytes, source: str) -> Model:
    """The model in `data`, which must agree with the settings of the component."""
    try:
        model = read_model(data)
        settings = model.system.settings()
        expected = {
            "transition system": (settings, component.system.settings()),
            "feature templates": (model.extractor.templates, component.features),
            "token attributes": (model.sources, component.sources),
        }
        for what, (found, configured) in expected.items():
            if found != configured:
                raise ModelFileError(
                    f"it was trained with {what} {found!r}, but the config of "
                    f"{component.name!r} says {configured!r}"
                )
    except ModelFileError as error:
        raise ModelFileError(
            f"cannot load the parser from {source}: {error}"
        ) from error
    return model


def to_disk(component: DynOracleParser, path: Path, exclude: Iterable[str]) -> None:
    """Write `cfg` and `model` (and `vocab`) into a directory."""
    path.mkdir(parents=True, exist_ok=True)
    exclude = {name.split(".")[0] for name in exclude}
    make = writers(component)
    if "cfg" not in exclude:
        replace_file(path / "cfg", srsly.json_dumps(make["cfg"]()).encode("utf8"))
    if "model" not in exclude and component.model is not None:
        replace_file(path / "model", make["model"]())
    if "vocab" not in exclude:
        component.vocab.to_disk(path / "vocab")


def from_disk(component: DynOracleParser, path: Path, exclude: Iterable[str]) -> None:
    """Load what `to_disk` wrote."""
    exclude = {name.split(".")[0] for name in exclude}
    if "vocab" not in exclude and (path / "vocab").exists():
        component.vocab.from_disk(path / "vocab")
    if "model" in exclude:
        return
    if not _is_trained(path / "cfg"):
        return
    file = path / "model"
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"cannot load the parser from {file}: {error.strerror or error}; expected "
            f"the directory of a trained {component.name!r}"
        ) from error
    component.set_model(read_checked(component, data, str(file)))


def _is_trained(cfg: Path) -> bool:
    """Whether a model belongs to the saved component, as far as `cfg` tells."""
    if not cfg.exists():
        return True
    try:
        settings = srsly.read_json(cfg)
    except (ValueError, OSError) as error:
        raise ModelFileError(f"cannot load the parser from {cfg}: {error}") from error
    return not isinstance(settings, dict) or settings.get("trained", True) is not False


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that at any time either the old or the new one is there."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def state(component: DynOracleParser) -> dict[str, Any]:
    """Everything `restore` needs; the training state is not part of it."""
    constraint = component.parser.tree_constraint
    return {
        "vocab": component.vocab,
        "name": component.name,
        "settings": {key: getattr(component, key) for key in SETTINGS}
        | {
            "tag_attr": component.sources.get("p"),
            "n_threads": component.parser.n_threads,
            "search": component.parser.search,
            "features": component.features,
            "system": component.system.with_tree_constraint(constraint),
        },
        "model": None if component.model is None else component.model.freeze(),
    }


def restore(cls: type[DynOracleParser], saved: dict[str, Any]) -> DynOracleParser:
    """The component that `state` describes."""
    component = cls(saved["vocab"], saved["name"], **saved["settings"])
    if saved["model"] is not None:
        component.set_model(saved["model"])
    return component
