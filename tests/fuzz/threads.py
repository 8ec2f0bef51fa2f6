"""Threads that share a pipeline, while others save it, copy it, load it, train it, or
leave generators behind.

Every parse is the same as that of one thread; while the component is trained, every
parse is a tree.
"""

from __future__ import annotations

import copy
import pickle
import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.training import Example

from spacy_dynoracle.components.base import Component
from spacy_dynoracle.treebank import read_conllu, to_doc

from ..parser.treebank import analysis, assert_tree
from . import prepared
from .surface import Case, Limits

UNIT = "rounds of threads"
SHORT = 4
LIMITS = Limits(cpu_seconds=60.0, seconds=300.0)
prepare = prepared.prepare

# What a thread waits for another one at most; more is a deadlock.
SECONDS = 120.0


def cases(directory: Path) -> Case:
    """Parse in some threads and do something else in another one."""
    # Threads take turns as often as they can.
    sys.setswitchinterval(1e-5)
    loaded = {name: spacy.load(directory / name) for name in prepared.ALL}
    expected = {name: parses(directory, nlp) for name, nlp in loaded.items()}

    def case(rng: random.Random) -> int:
        name = rng.choice(prepared.ALL)
        # Training drops the reranker, which the search of that pipeline needs.
        if rng.random() < 0.3 and name != "ranked":
            nlp = spacy.load(directory / name)
            train(rng, directory, nlp)
        else:
            nlp = loaded[name]
            wanted = expected[name]
            disturb(rng, directory, nlp, lambda: check(directory, nlp, wanted))
        return 1

    return case


def parses(directory: Path, nlp: Language) -> list[object]:
    """The analyses of some documents."""
    return [analysis(doc) for doc in nlp.pipe(prepared.documents(directory, nlp, 6))]


def check(directory: Path, nlp: Language, wanted: list[object]) -> None:
    """Parse in a batch, alone, and in a generator that is left behind."""
    assert parses(directory, nlp) == wanted
    doc, *_ = prepared.documents(directory, nlp, 1)
    assert analysis(nlp(doc)) == wanted[0]
    left = nlp.pipe(prepared.documents(directory, nlp, 6), batch_size=2)
    assert analysis(next(left)) == wanted[0]
    del left


def disturb(
    rng: random.Random, directory: Path, nlp: Language, parse: Callable[[], None]
) -> None:
    """Parse in threads while another one saves, copies and loads."""
    pipes = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, Component)]
    scratch = directory / "scratch" / "saved"
    saved = [pipe.to_bytes(exclude=["vocab"]) for pipe in pipes]
    kinds: list[Callable[[], object]] = [
        lambda: pipes[0].to_disk(scratch, exclude=["vocab"]),
        lambda: pickle.dumps(pipes[0]),
        lambda: copy.deepcopy(pipes[0]),
        lambda: [p.from_bytes(b) for p, b in zip(pipes, saved, strict=True)],
        lambda: nlp.to_bytes(exclude=["vocab"]),
    ]
    chosen = [rng.choice(kinds) for _ in range(4)]
    at_once([parse] * rng.choice([2, 3, 6]), lambda: [do() for do in chosen])


def train(rng: random.Random, directory: Path, nlp: Language) -> None:
    """Parse in threads while another one adds labels and trains."""
    parser = nlp.get_pipe("dynoracle_parser")
    sentences = list(read_conllu(directory / "dev.conllu"))[:4]
    examples = [
        Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
        for s in sentences
    ]
    labels = [f"new{rng.randrange(1000)}" for _ in range(30)]

    def parse() -> None:
        for doc in nlp.pipe(prepared.documents(directory, nlp, 4)):
            assert_tree(doc)

    def learn() -> None:
        for label in labels:
            parser.add_label(label)  # type: ignore[attr-defined]
        parser.update(examples)  # type: ignore[attr-defined]
        parser.to_bytes()  # type: ignore[attr-defined]

    at_once([parse] * rng.choice([2, 4]), learn)


def at_once(readers: list[Callable[[], None]], other: Callable[[], object]) -> None:
    """Call functions in threads at the same time, and raise the first of their
    errors.
    """
    errors: list[BaseException] = []
    start = threading.Barrier(len(readers) + 1)

    def run(function: Callable[[], object]) -> None:
        try:
            start.wait(SECONDS)
            function()
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(f,), daemon=True) for f in (*readers, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive(), "a deadlock"
    if errors:
        raise errors[0]
