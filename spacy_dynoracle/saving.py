"""Saving and loading of components."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import srsly

from .columns import reader_of
from .errors import ModelFileError

if TYPE_CHECKING:
    from .component import Component

C = TypeVar("C", bound="Component")


def writers(component: Component) -> dict[str, Callable[[], Any]]:
    """What makes each part of the saved component."""
    return {
        "cfg": lambda: {"format": 1, "trained": component.model is not None},
        "model": lambda: b"" if component.model is None else component.dump_model(),
        "vocab": lambda: component.vocab.to_bytes(),
    }


def load(component: Component, data: Any, exclude: Iterable[str], source: str) -> None:
    """Take over the parts of a saved component; all or nothing."""
    exclude = set(exclude)
    if not isinstance(data, dict) or not {"cfg", "model", "vocab"} & set(data):
        raise ModelFileError(f"{source} do not hold a saved {component.kind}")
    has_model = "model" in data and "model" not in exclude
    model = None
    if has_model and data["model"]:
        if not isinstance(data["model"], bytes):
            raise ModelFileError(f"{source} do not hold a saved {component.kind}")
        model = read_checked(component, data["model"], source)
    if "vocab" in data and "vocab" not in exclude:
        component.vocab.from_bytes(data["vocab"])
    if has_model:
        component.set_model(model)


def read_checked(component: Component, data: bytes, source: str) -> Any:
    """The model in `data`, which must agree with the settings of the component."""
    try:
        return component.read_model(data)
    except ModelFileError as error:
        raise ModelFileError(
            f"cannot load the {component.kind} {component.name!r} from {source}: "
            f"{error}"
        ) from error


def check_same(what: str, saved: Any, configured: Any) -> None:
    """Raise ModelFileError unless what a model was trained with is what the config
    says."""
    if saved != configured:
        raise ModelFileError(
            f"it was trained with {what} {shortened(saved)}, but the config says "
            f"{shortened(configured)}"
        )


def check_readable(sources: dict[str, str]) -> None:
    """Raise ModelFileError if what a model reads of tokens cannot be read."""
    try:
        reader_of(tuple(sources.values()))
    except ValueError as error:
        raise ModelFileError(str(error)) from error


def shortened(value: Any) -> str:
    """A representation that fits into a message."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]} ..."


def to_disk(component: Component, path: Path, exclude: Iterable[str]) -> None:
    """Write `cfg` and `model` (and `vocab`) into a directory."""
    path.mkdir(parents=True, exist_ok=True)
    exclude = {name.split(".")[0] for name in exclude}
    make = writers(component)
    # Last comes `cfg`, which tells whether there is a model.
    if "model" not in exclude and component.model is not None:
        replace_file(path / "model", make["model"]())
    if "vocab" not in exclude:
        component.vocab.to_disk(path / "vocab")
    if "cfg" not in exclude:
        replace_file(path / "cfg", srsly.json_dumps(make["cfg"]()).encode("utf8"))


def from_disk(component: Component, path: Path, exclude: Iterable[str]) -> None:
    """Load what `to_disk` wrote; all or nothing."""
    exclude = {name.split(".")[0] for name in exclude}
    model = None
    if "model" not in exclude and _is_trained(component, path / "cfg"):
        model = _read_file(component, path / "model")
    if "vocab" not in exclude and (path / "vocab").exists():
        component.vocab.from_disk(path / "vocab")
    if "model" not in exclude:
        component.set_model(model)


def _read_file(component: Component, file: Path) -> Any:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"cannot load the {component.kind} from {file}: "
            f"{error.strerror or error}; expected the directory of a trained "
            f"{component.name!r}"
        ) from error
    return read_checked(component, data, str(file))


def _is_trained(component: Component, cfg: Path) -> bool:
    """Whether a model belongs to the saved component, as far as `cfg` tells."""
    if not cfg.exists():
        return True
    try:
        settings = srsly.read_json(cfg)
    except (ValueError, OSError) as error:
        raise ModelFileError(
            f"cannot load the {component.kind} from {cfg}: {error}"
        ) from error
    return not isinstance(settings, dict) or settings.get("trained", True) is not False


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that at any time either the old or the new one is there."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def state(component: Component) -> dict[str, Any]:
    """Everything `restore` needs; the training state is not part of it."""
    return {
        "vocab": component.vocab,
        "name": component.name,
        "settings": component.settings(),
        "model": component.frozen_model(),
        "error_handler": component.get_error_handler(),
    }


def restore(cls: type[C], saved: dict[str, Any]) -> C:
    """The component that `state` describes."""
    component = cls(saved["vocab"], saved["name"], **saved["settings"])
    component.set_model(saved["model"])
    component.set_error_handler(saved["error_handler"])
    return component
