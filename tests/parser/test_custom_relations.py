"""Relations that are no grammar: labels of any kind, one tree for each document."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from .treebank import NAME, analysis, make_nlp, sentence, train, update

pytestmark = pytest.mark.heavy

# What is ordered, how much of it, when and by whom; "-" is everything else. The trees
# span what looks like several sentences, and one has crossing arcs.
ORDERS = [
    sentence(text)
    for text in (
        "Hello/X/5/- !/X/1/- I/X/5/WHO now/X/5/WHEN need/X/0/ORDER two/X/7/COUNT "
        "oars/X/5/WHAT ./X/5/-",
        "Six/X/2/COUNT ropes/X/4/WHAT ,/X/4/- send/X/0/ORDER them/X/4/- "
        "tomorrow/X/4/WHEN ?/X/4/-",
        "The/X/2/- skipper/X/4/WHO ./X/2/- wants/X/0/ORDER paint/X/4/WHAT !/X/4/- "
        "By/X/8/- Monday/X/4/WHEN !/X/8/-",
        "Oars/X/4/WHAT I/X/4/WHO do/X/4/- need/X/0/ORDER ./X/4/- Four/X/1/COUNT "
        "!/X/6/-",
    )
]


def documents(vocab, orders=ORDERS, rename=str):
    golds = [
        Doc(
            vocab,
            words=order.words,
            heads=[(h or d) - 1 for d, h in enumerate(order.heads, 1)],
            deps=[rename(label) for label in order.labels],
        )
        for order in orders
    ]
    return [Example(Doc(vocab, words=[t.text for t in gold]), gold) for gold in golds]


def order_nlp(**settings):
    return make_nlp(sentences="doc", **{"tag_attr": None, **settings})


def test_orders_are_learned():
    """Whatever the punctuation says, each is one tree."""
    nlp = order_nlp()
    data = documents(nlp.vocab)
    train(nlp, data, epochs=40)
    for eg in data:
        doc = nlp(eg.predicted.copy())
        assert analysis(doc) == analysis(eg.reference)
        assert len(list(doc.sents)) == 1
    assert set(nlp.get_pipe(NAME).labels) == {
        label for order in ORDERS for label in order.labels
    }


@settings(max_examples=10)
@given(st.data())
def test_labels_may_be_any_text(data):
    """But for two vertical bars, which record lifted arcs."""
    names = st.text(min_size=1, max_size=8).filter(lambda name: "|" not in name)
    old = sorted({label for order in ORDERS for label in order.labels})
    new = data.draw(
        st.lists(names, min_size=len(old), max_size=len(old), unique=True), label="new"
    )
    rename = dict(zip(old, new, strict=True)).__getitem__
    nlp = order_nlp()
    examples = documents(nlp.vocab, rename=rename)
    train(nlp, examples, epochs=30)
    loaded = order_nlp().from_bytes(nlp.to_bytes())
    assert set(loaded.get_pipe(NAME).labels) == set(new)
    for eg in examples:
        assert analysis(loaded(eg.predicted.copy())) == analysis(eg.reference)


def test_labels_with_two_vertical_bars():
    """They would come back cut in two."""
    nlp = order_nlp()
    data = documents(nlp.vocab)
    odd = documents(nlp.vocab, ORDERS[:1], rename="a||{}".format)
    with pytest.warns(UserWarning, match=r"'\|\|', which records lifted arcs"):
        train(nlp, data + odd, epochs=40)
    assert "a" not in nlp.get_pipe(NAME).labels
    assert update(nlp, odd) == {NAME: 0, f"{NAME}_skipped": 1}
