"""The columns of the whitespace behind words."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_dynoracle.doc.attribute_table import AttributeTable, n_line_breaks

VOCAB = spacy.blank("en").vocab
TOKENS = ["a", "b", " ", "\n", "\n\n", " \r\n", "\t"]


def expected(doc):
    """(space, line, line breaks) of each token, token by token."""
    found = []
    for token in doc:
        breaks = 0
        for follower in doc[token.i + 1 :]:
            if not follower.is_space:
                break
            breaks += n_line_breaks(follower.text)
        following = doc[token.i + 1 : token.i + 2]
        space = bool(token.whitespace_) or any(t.is_space for t in following)
        found.append((space, breaks > 0, breaks))
    return found


@given(
    st.lists(st.lists(st.tuples(st.sampled_from(TOKENS), st.booleans()), max_size=6))
)
def test_every_token(texts):
    docs = [
        Doc(VOCAB, words=[w for w, _ in text], spaces=[s for _, s in text])
        for text in texts
    ]
    table = AttributeTable(docs, ["ORTH", "SPACY:space", "SPACY:line"])
    rows = zip(
        table.values[:, 1].tolist(),
        table.values[:, 2].tolist(),
        table.line_breaks.tolist(),
        strict=True,
    )
    assert list(rows) == [row for doc in docs for row in expected(doc)]


def test_documents_of_other_vocabs():
    docs = [Doc(spacy.blank("en").vocab, words=["a", "\n\n", "b"]) for _ in range(3)]
    assert AttributeTable(docs, []).line_breaks.tolist() == [2, 0, 0] * 3


@pytest.mark.parametrize(
    ("text", "n"),
    [("", 0), (" ", 0), ("\n", 1), ("\r\n", 1), ("\n\n", 2), (" \n\n", 2)],
)
def test_line_breaks(text, n):
    assert n_line_breaks(text) == n
