"""Parsers that read every sentence from its last word to its first one."""

import pytest
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.errors import ModelFileError

from .treebank import (
    BLANKS,
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    block,
    every_system,
    example,
    examples,
    make_nlp,
    parse,
    parse_all,
    train,
)
from .uncertain import MARGINAL

BACKWARD = {"backward": True, "sentences": "preset"}


def mirrored(doc):
    """A Doc with the words and the tree of another one in the opposite order."""
    last = len(doc) - 1
    tokens = list(doc)[::-1]
    tree = {}
    if doc.has_annotation("DEP"):
        tree["heads"] = [last - token.head.i for token in tokens]
        tree["deps"] = [token.dep_ for token in tokens]
    return Doc(
        doc.vocab,
        words=[token.text for token in tokens],
        pos=[token.pos_ for token in tokens],
        tags=[token.tag_ for token in tokens],
        **tree,
    )


def tree(doc):
    return [(token.head.i, token.dep_) for token in doc]


@every_system
def test_a_backward_parser_is_a_forward_parser_of_mirrored_text(system):
    sentences = SENTENCES + NONPROJECTIVE
    forward = make_nlp(system=system, sentences="preset")
    backward = make_nlp(system=system, **BACKWARD)
    data = examples(forward.vocab, sentences)
    mirror = [Example(mirrored(e.predicted), mirrored(e.reference)) for e in data]
    # Few epochs, so that there are errors to compare.
    train(forward, mirror, epochs=2)
    train(backward, examples(backward.vocab, sentences), epochs=2)
    for e in data:
        expected = mirrored(forward(mirrored(e.predicted)))
        found = backward(mirrored(mirrored(e.predicted)))
        assert tree(found) == tree(expected)


def test_sentences_of_a_document_stay_in_their_places():
    nlp = make_nlp(**BACKWARD, epochs=12)
    alone = parse_all(nlp, SENTENCES[:3])
    words = [word for s in SENTENCES[:3] for word in s.words]
    starts = [i == 0 for s in SENTENCES[:3] for i in range(len(s.words))]
    doc = parse(nlp, words, starts)
    assert [sent.text for sent in doc.sents] == [
        " ".join(s.words) for s in SENTENCES[:3]
    ]
    first = 0
    for heads, labels, _ in alone:
        part = doc[first : first + len(heads)]
        assert [t.head.i - first for t in part] == heads
        assert [t.dep_ for t in part] == labels
        first += len(heads)


def test_whitespace_hangs_below_the_word_before_it():
    nlp = make_nlp(**BACKWARD, epochs=12)
    words = SENTENCES[0].words
    plain = parse(nlp, words)
    for blank in BLANKS:
        doc = parse(nlp, (words[0], blank, *words[1:]))
        assert doc[1].head.i == 0
        kept = [t for t in doc if not t.is_space]
        assert [t.head.text for t in kept] == [t.head.text for t in plain]


@pytest.mark.parametrize(
    "settings",
    [
        {"sentences": "predict"},
        {"keep_preset_heads": True},
        {**MARGINAL, "learner": block("AdaGradRDA")},
        {"search": block("BeamSearch", beam_size=2, n_best=2)},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_what_needs_the_order_of_the_text_is_refused(settings):
    with pytest.raises(ValueError, match="direction"):
        make_nlp(**{**BACKWARD, **settings})


def test_k_best_trees_are_refused():
    nlp = make_nlp(**BACKWARD, search=block("BeamSearch", beam_size=2), epochs=1)
    with pytest.raises(ValueError, match="backward"):
        nlp.get_pipe(NAME).k_best(example(nlp.vocab, SENTENCES[0]).predicted, 2)


def test_the_direction_of_a_trained_parser_stays():
    nlp = make_nlp(**BACKWARD)
    parser = nlp.get_pipe(NAME)
    parser.change(backward=False)
    parser.change(backward=True)
    train(nlp, examples(nlp.vocab), epochs=1)
    parser.change(seed=1)
    with pytest.raises(ValueError, match="direction"):
        parser.change(backward=False)


@pytest.mark.parametrize("backward", [False, True])
def test_a_saved_model_keeps_its_direction(backward, tmp_path):
    settings = {**BACKWARD, "backward": backward}
    nlp = make_nlp(**settings, epochs=1)
    trained = nlp.get_pipe(NAME)
    trained.to_disk(tmp_path)
    same = make_nlp(**settings).get_pipe(NAME)
    same.from_disk(tmp_path)
    same.from_bytes(trained.to_bytes())
    for s in SENTENCES:
        again = same(example(nlp.vocab, s).predicted)
        assert tree(again) == tree(nlp(example(nlp.vocab, s).predicted))
    direction, opposite = ["forward", "backward"][:: -1 if backward else 1]
    other = make_nlp(**{**settings, "backward": not backward}).get_pipe(NAME)
    message = f"direction '{direction}', but the config says '{opposite}'"
    with pytest.raises(ModelFileError, match=message):
        other.from_disk(tmp_path)
    with pytest.raises(ModelFileError, match=message):
        other.from_bytes(trained.to_bytes())
    assert other.model is None
