"""Tag training data with taggers that were not trained on it.

A parser may be trained on gold tags, or on the tags of a tagger that was trained on the
same sentences. In use it then reads worse tags than in training. Jackknifing cuts the
data into folds and tags each fold with a tagger trained on the other folds.
"""

from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example

from ..doc.borders import write_portably
from ..doc.own_words import OwnWords, without_annotation
from ..util.arrays import IdArray
from ..util.folds import check_n_folds, cut_into_folds
from .attributes import ATTRIBUTES, NO_FEATURES, TAG_NAMES
from .component import DynOracleTagger
from .gold_tags import gold_starts, gold_tags
from .input import WordBatch
from .tagging import attribute_ids

# Attributes that features may read. Untagged documents have no others.
OF_WORDS = ("ORTH", "LOWER", "NORM", "SHAPE", "FLAGS", "CLUSTER")
EPOCHS = 6


def annotated_attrs(docs: Sequence[Doc]) -> list[str]:
    """The attributes that a tagger could learn from documents."""
    found = []
    for attr in TAG_NAMES:
        tags = (tag for doc in docs for tag in next(gold_tags(doc, [attr])))
        if any(tag not in (None, NO_FEATURES) for tag in tags):
            found.append(attr)
    return found


def untagged(example: Example) -> Example:
    """The example with nothing but words and the reference's sentence starts in the
    predicted document: what a tagger behind a perfect sentence splitter reads.
    """
    predicted = without_annotation(example.predicted, gold_starts(example))
    return Example(predicted, example.reference)


def not_of_words(tagger: DynOracleTagger) -> str | None:
    """The first column of a tagger's features that more than words determine."""
    sources: dict[str, str] = tagger.recipe_of(tagger.model).sources
    for column, source in sources.items():
        if source.partition(":")[0] not in OF_WORDS:
            return column
    return None


def held_out_tags(
    examples: Sequence[Example],
    fold: range,
    tagger: DynOracleTagger,
    epochs: int = EPOCHS,
) -> list[IdArray]:
    """Tag the predicted documents of a fold by training on the other folds.

    Args:
        examples: All folds.
        fold: The numbers of the examples to tag.
        tagger: An untrained tagger with the attributes to set; the function trains it.

    Returns:
        The values of the attributes, an array of shape (n tokens, n attributes) for
        each document.
    """
    others = [example for i, example in enumerate(examples) if i not in fold]
    others += map(untagged, OwnWords().of(others))
    tagger.initialize(lambda: others)
    run = tagger.training_run()
    words = WordBatch(
        [example.predicted for example in others], tuple(tagger.recipe.sources.values())
    )
    data = run.read(others, words, len(others))
    for epoch in range(1, epochs + 1):
        run.learn(data, epoch)
    tagger.set_model(tagger.frozen_model())
    return tagger.predict([examples[i].predicted for i in fold])


def jackknife(
    docs: Sequence[Doc], n_folds: int = 5, epochs: int = EPOCHS, **settings: Any
) -> list[str]:
    """Replace the tags of documents by those of taggers that were trained on the other
    folds of the documents.

    Args:
        docs: Documents of one vocab with gold tags, which are overwritten; everything
            else stays.
        n_folds: From 2 to the number of documents.
        epochs: Epochs of training.
        settings: Those of the taggers, such as attrs, which are by default all that the
            documents have.

    Returns:
        The attributes.

    Raises:
        ValueError: For impossible settings, and if the features read more than words.
    """
    check_n_folds(n_folds, len(docs))
    vocab = docs[0].vocab
    settings.setdefault("attrs", annotated_attrs(docs))
    column = not_of_words(DynOracleTagger(vocab, **settings))
    if column is not None:
        raise ValueError(f"the features use {column!r}, and others read words alone")
    examples = [untagged(Example(doc, doc)) for doc in docs]
    folds = cut_into_folds(list(map(len, docs)), n_folds)
    tables = [
        table
        for fold in folds
        for table in held_out_tags(
            examples, fold, DynOracleTagger(vocab, **settings), epochs
        )
    ]
    attrs: list[str] = settings["attrs"]
    for attr in attrs:
        ATTRIBUTES[attr].introduce([ATTRIBUTES[attr].blank], vocab)
    for doc, table in zip(docs, tables, strict=True):
        # This way adds analyses to the vocab.
        write_portably(doc, attribute_ids(tuple(attrs)), table)
    return attrs
