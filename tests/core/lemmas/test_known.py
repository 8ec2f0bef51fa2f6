"""What is known of lemmas."""

from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle.core.lemmas.known import KnownLemmas

NOUN, VERB = 11, 12
words = st.lists(
    st.tuples(
        st.sampled_from(["as", "bs", "abs"]),
        st.sampled_from([NOUN, VERB]),
        st.sampled_from(["a", "b", "ab", "as"]),
    ),
    max_size=8,
)


def known_from(words):
    known = KnownLemmas()
    for form, pos, lemma in words:
        known.learn(form, pos, lemma)
    return known


def known_naively(words, form, pos, lemma):
    """How a lemma is known from the pairs of form and part of speech but this one."""
    pairs = {(f, p) for f, p, found in words if found == lemma} - {(form, pos)}
    return (
        any(p == pos for _, p in pairs)
        + 2 * bool(pairs)
        + 4 * any(f == form for f, _ in pairs)
    )


@given(words)
@settings(max_examples=5 * settings().max_examples)
def test_what_is_known_is_what_other_words_show(given_words):
    known = known_from(given_words)
    for form in ("as", "bs", "abs"):
        for pos in (NOUN, VERB):
            for lemma in ("a", "b", "ab", "as"):
                expected = known_naively(given_words, form, pos, lemma)
                assert known.known_as(form, pos, lemma) == expected
    known.forget_forms()
    other = KnownLemmas()
    other.set_keys(known.keys())
    for form in ("as", "new"):
        expected = known_naively(given_words, "none", NOUN, "a") & 3
        assert other.known_as("none", NOUN, "a") & 3 == expected
        assert other.known_as(form, VERB, "a") == known.known_as(form, VERB, "a")
