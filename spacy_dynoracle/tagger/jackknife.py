"""Tag training data with taggers that were not trained on it.

A parser may be trained on gold tags, or on the tags of a tagger that was trained on the
same sentences. In use it then reads worse tags than in training. Jackknifing cuts the
data into folds and tags each fold with a tagger trained on the other folds.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc
from spacy.training import Example

from ..doc.own_words import OwnWords
from ..util.arrays import IdArray
from .attributes import NO_FEATURES, TAG_NAMES
from .component import DynOracleTagger
from .gold_tags import gold_starts, gold_tags
from .input import WordBatch

# Attributes that features may read. Untagged documents have no others.
OF_WORDS = ("ORTH", "LOWER", "NORM", "SHAPE", "FLAGS", "CLUSTER")
EPOCHS = 10


def annotated_attrs(docs: Sequence[Doc]) -> list[str]:
    """The attributes that a tagger could learn from documents."""
    found = []
    for attr in TAG_NAMES:
        tags = (tag for doc in docs for tag in next(gold_tags(doc, [attr])))
        if any(tag not in (None, NO_FEATURES) for tag in tags):
            found.append(attr)
    return found


def without_annotation(doc: Doc, starts: Sequence[bool | None] | None = None) -> Doc:
    """A copy of a document with its words and nothing else but sentence starts.

    starts: for each token whether a sentence starts there; None for nothing known.
    """
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=None if starts is None else list(starts),
    )


def untagged(example: Example) -> Example:
    """The example with nothing but words and the reference's sentence starts in the
    predicted document: what a tagger behind a perfect sentence splitter reads."""
    predicted = without_annotation(example.predicted, gold_starts(example))
    return Example(predicted, example.reference)


def not_of_words(tagger: DynOracleTagger) -> str | None:
    """The first column of a tagger's features that more than words determine."""
    for column, source in tagger.recipe.sources.items():
        if source.partition(":")[0] not in OF_WORDS:
            return column
    return None


def held_out_tags(
    examples: Sequence[Example], fold: range, tagger: DynOracleTagger, epochs: int
) -> list[IdArray]:
    """Tag the predicted documents of a fold by training on the other folds.

    examples: all folds. fold: the numbers of the examples to tag. tagger: an untrained
    tagger with the attributes to set; the function trains it.

    Returns the values of the attributes, an array of shape (n tokens, n attributes) for
    each document."""
    others = [example for i, example in enumerate(examples) if i not in fold]
    others += map(untagged, OwnWords().of(others))
    tagger.initialize(lambda: others)
    run = tagger.training_run()
    words = WordBatch(
        [example.predicted for example in others],
        tuple(tagger.recipe.sources.values()),
    )
    data = run.read(others, words)
    for epoch in range(1, epochs + 1):
        run.learn(data, epoch)
    tagger.set_model(tagger.frozen_model())
    return tagger.predict([examples[i].predicted for i in fold])
