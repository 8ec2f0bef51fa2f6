"""Extensions of `Token._`, `Span._` and `Doc._` that show further results."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

# A class of spaCy, and its extensions: for each name the getter.
Extensions = Sequence[tuple[Any, Mapping[str, Callable[..., Any]]]]


def register(extensions: Extensions) -> None:
    """Register extensions. Extensions that exist already do not change.

    The function runs for every pipeline of an environment in which this package is
    installed, so it keeps the extensions of users; see `require`.
    """
    for cls, getters in extensions:
        for name, getter in getters.items():
            if not cls.has_extension(name):
                cls.set_extension(name, getter=getter)


def require(extensions: Extensions, kind: str) -> None:
    """Register extensions that a component needs: a worker process that is spawned has
    not imported its factory.

    Args:
        kind: Of the component whose results they are.

    Raises:
        ValueError: If a user has registered another extension under a name.
    """
    register(extensions)
    taken = [
        f"{cls.__name__}._.{name}"
        for cls, getters in extensions
        for name, getter in getters.items()
        if not _is(cls.get_extension(name)[2], getter)
    ]
    if taken:
        raise ValueError(
            f"other code has registered {', '.join(taken)}, which the {kind} needs "
            f"for its results: give that extension another name, or remove it "
            f"and call spacy_dynoracle.{kind}.register_extensions()"
        )


def _is(registered: Any, getter: Any) -> bool:
    """Whether a getter is registered, by name: modules may be loaded again."""
    names = ("__module__", "__name__")
    return all(getattr(registered, n, None) == getattr(getter, n) for n in names)
