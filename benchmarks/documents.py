"""Documents of several sentences, and pipelines trained on them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from spacy import util
from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import compounding
from spacy.vocab import Vocab
from thinc.api import fix_random_seed

from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.doc.readers import copy_annotation
from spacy_dynoracle.parser.component import NAME
from spacy_dynoracle.treebank import read_conllu, to_doc

from .data import batches, treebank_file
from .pipelines import blank
from .timing import Time

# The number of words in a batch, as in spaCy's default config.
SMALLEST_BATCH, LARGEST_BATCH, GROWTH = 100, 1000, 1.001


def documents(treebank: Path, split: str, size: int, vocab: Vocab) -> list[Doc]:
    """Gold documents of `size` consecutive sentences each. The last one may have fewer.

    Raises:
        CommandError: If the file is missing or has no sentences.
    """
    path = treebank_file(treebank, split)
    sentences = [to_doc(sentence, vocab) for sentence in read_conllu(path)]
    if not sentences:
        raise CommandError(f"{path}: no sentences")
    parts = [sentences[i : i + size] for i in range(0, len(sentences), size)]
    return [Doc.from_docs(part) for part in parts]


def unannotated(gold: Doc, starts: list[bool | None] | None = None) -> Doc:
    """A Doc of the same words with gold tags and, if given, preset sentence starts."""
    return Doc(
        gold.vocab,
        words=[token.text for token in gold],
        spaces=[bool(token.whitespace_) for token in gold],
        pos=[token.pos_ for token in gold],
        tags=[token.tag_ for token in gold],
        sent_starts=starts,
    )


def examples(golds: list[Doc]) -> list[Example]:
    """Examples whose predicted Docs have only gold tags."""
    found = []
    for gold in golds:
        example = Example(unannotated(gold), gold)
        copy_annotation(example, ["POS", "TAG"])
        found.append(example)
    return found


def train_ours(
    train: list[Example],
    lang: str,
    n_epochs: int,
    seed: int,
    advance: Callable[[], None],
    **settings: object,
) -> Language:
    """Train a pipeline that has only the parser.

    It reads gold UPOS tags unless the settings say otherwise.
    """
    settings = {"tag_attr": "POS", "seed": seed, **settings}
    return train_component(NAME, train, lang, n_epochs, seed, advance, settings)


def train_component(
    factory: str,
    train: list[Example],
    lang: str,
    n_epochs: int,
    seed: int,
    advance: Callable[[], None],
    settings: dict[str, object],
) -> Language:
    """Train a pipeline that has only one component of this package."""
    nlp = blank(lang)
    nlp.add_pipe(factory, config=settings)
    nlp.initialize(lambda: train)
    rng = random.Random(seed)
    for _ in range(n_epochs):
        for batch in batches(train, rng, LARGEST_BATCH):
            nlp.update(batch)
        advance()
    return nlp


def train_spacys(
    pipe: str,
    train: list[Example],
    lang: str,
    n_epochs: int,
    seed: int,
    advance: Callable[[], None],
) -> tuple[Language, float]:
    """Train a component of spaCy as `spacy init config --optimize efficiency` sets it
    up.

    Args:
        pipe: "parser" or "senter".

    Returns:
        The pipeline and the CPU seconds it took.
    """
    fix_random_seed(seed)
    config = init_config(lang=lang, pipeline=[pipe], optimize="efficiency")
    nlp = util.load_model_from_config(config, vocab=train[0].x.vocab, auto_fill=True)
    start = Time.now()
    optimizer = nlp.initialize(lambda: train)
    rng = random.Random(seed)
    sizes = iter(compounding(SMALLEST_BATCH, LARGEST_BATCH, GROWTH))
    for _ in range(n_epochs):
        for batch in batches(train, rng, sizes):
            nlp.update(batch, sgd=optimizer, drop=0.1)
        advance()
    return nlp, (Time.now() - start).cpu
