"""Components with odd settings: made, trained, used, saved and loaded.

Settings are refused with a ValueError, which spaCy's commands show in a line, or they
work.
"""

from __future__ import annotations

import inspect
import random
import traceback
from pathlib import Path
from typing import Any

import spacy
from catalogue import RegistryError
from spacy.training import Example
from spacy.util import registry

import spacy_dynoracle
from spacy_dynoracle.treebank import read_conllu, to_doc

from ..parser.treebank import assert_tree
from . import prepared
from .damage import damaged, odd_value
from .surface import Case, Limits

UNIT = "configs"
SHORT = 25
# A large beam or many samples are slow and no mistake.
LIMITS = Limits(cpu_seconds=30.0, seconds=300.0)

PACKAGE = Path(spacy_dynoracle.__file__).parent
COMPONENTS = (
    *("dynoracle_parser", "dynoracle_tagger", "dynoracle_senter"),
    "dynoracle_committee",
)
OURS = "spacy_dynoracle."
# Blocks that one of the components takes.
BLOCKS = (
    *("oracle", "exploration", "learner", "features", "search", "system"),
    "probabilities",
)
# What a config makes beside components, and what it is called with.
OTHERS = ("readers", "tokenizers", "augmenters", "callbacks")
# Samples of right size take long; what is larger is refused.
SMALL = {"n_samples": 200, "beam_size": 64, "n_best": 64}
N_SENTENCES = 3


def prepare(directory: Path) -> None:
    """A treebank and a corpus."""
    prepared.prepare(directory, ())
    prepared.write_docs(directory / "dev.conllu", directory / "dev.spacy")


def cases(directory: Path) -> Case:
    """A component with random settings."""
    sentences = list(read_conllu(directory / "dev.conllu"))[:N_SENTENCES]
    blocks = blocks_of("misc")
    others = [(kind, name) for kind in OTHERS for name in blocks_of(kind)]

    def case(rng: random.Random) -> int:
        if rng.random() < 0.2:
            use_block(rng, *rng.choice(others), directory)
            return 1
        component = rng.choice(COMPONENTS)
        settings = odd_settings(rng, component, blocks)
        nlp = spacy.blank("xx")
        examples = [
            Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
            for s in sentences
        ]
        try:
            pipe = nlp.add_pipe(component, config=settings)
            if rng.random() < 0.2:
                names = list(inspect.signature(pipe.initialize).parameters)  # type: ignore[attr-defined]
                given = {rng.choice(names): odd_value(rng)}
                nlp.config["initialize"]["components"][component] = given
            nlp.initialize(lambda: examples)
            nlp.update(examples)
            docs = list(nlp.pipe(example.predicted.copy() for example in examples))
        except Exception as error:
            if takes_part(error) and not is_clear(error):
                raise
            return 1
        if component in ("dynoracle_parser", "dynoracle_committee"):
            for doc in docs:
                assert_tree(doc)
        pipe.from_bytes(pipe.to_bytes())  # type: ignore[attr-defined]
        return 1

    return case


def takes_part(error: Exception) -> bool:
    """Whether an error arose in code of the package or in what it has called. spaCy
    stumbles over some settings before the package sees them.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return any(PACKAGE in Path(frame.filename).parents for frame in frames)


def is_clear(error: Exception) -> bool:
    """Whether an error is one for users."""
    if not isinstance(error, (ValueError, RegistryError)) or not str(error).strip():
        return False
    # spaCy has no message of its own for strings that are no Unicode.
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "spacy_dynoracle" not in last.filename or not isinstance(error, UnicodeError)


def odd_settings(
    rng: random.Random, component: str, blocks: list[str]
) -> dict[str, Any]:
    """Settings of which one or a few are not the default."""
    default = spacy.blank("xx").get_factory_meta(component).default_config
    settings: dict[str, Any] = {}
    for _ in range(rng.choice([1, 1, 2, 3])):
        key = rng.choice(sorted(default))
        kind = rng.random()
        if key in BLOCKS and kind < 0.7:
            settings[key] = odd_block(rng, blocks)
        elif kind < 0.5 and default[key]:
            settings[key] = damaged(rng, default[key])
        else:
            settings[key] = bounded(key, odd_value(rng))
    return settings


def blocks_of(kind: str) -> list[str]:
    """The names that this package registers."""
    return sorted(n for n in getattr(registry, kind).get_all() if n.startswith(OURS))


def use_block(rng: random.Random, kind: str, name: str, directory: Path) -> None:
    """Make something that is no component from a block, and call it."""
    nlp = spacy.blank("xx")
    doc = nlp("Nora found a map.")
    block = odd_block(rng, [name], kind)
    if kind == "readers" and rng.random() < 0.7:
        block["path"] = str(directory / "dev.spacy")
    more = {"augmenters": [Example(doc, doc)], "callbacks": [{"epoch": 1, "step": 2}]}
    try:
        made = registry.resolve({"block": block})["block"](nlp, *more.get(kind, []))
        if kind in ("readers", "augmenters"):
            list(made)
    except Exception as error:
        if takes_part(error) and not is_clear(error):
            raise


def odd_block(
    rng: random.Random, blocks: list[str], kind: str = "misc"
) -> dict[str, Any]:
    """A registered block with arguments that may be wrong."""
    name = rng.choice(blocks)
    block: dict[str, Any] = {f"@{kind}": name}
    for argument in inspect.signature(getattr(registry, kind).get(name)).parameters:
        if rng.random() < 0.4:
            block[argument] = bounded(argument, odd_value(rng))
    return block


def bounded(key: str, value: Any) -> Any:
    """A value that takes no longer than a case may."""
    if key in SMALL and isinstance(value, int):
        return value if value < SMALL[key] or value > 10**6 else SMALL[key]
    return value
