"""Words of labels that never govern have no dependents."""

import copy
from collections import Counter

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import is_projective
from spacy_dynoracle.doc.tables import moved_up
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.parser.label_counts import GovernorCounts

from .half_trained import SYSTEMS, half_trained, name_of
from .test_preset_arcs import trees
from .treebank import (
    NAME,
    SENTENCES,
    analysis,
    assert_tree,
    block,
    example,
    examples,
    heads_of,
    make_nlp,
    mixed_examples,
    parser_of,
    partial,
    update,
)
from .uncertain import ASKED, of_tokens, uncertain

# In half of the trees of parsers that make mistakes, some of these govern.
LEAVES = ["det", "punct", "nsubj", "obj"]


def by_definition(heads, leaves, kept=()):
    """The heads 1..n or 0 that the words must have."""
    may_govern = set(kept) | {heads[word - 1] for word in kept}
    found = []
    for word, head in enumerate(heads, 1):
        above = head
        while above and above in leaves and above not in may_govern:
            above = heads[above - 1]
        found.append(above if above and word not in kept else head)
    return found


@pytest.mark.parametrize(
    ("n_words", "n_governors", "may"),
    [(100, 5, False), (100, 6, True), (10_000, 10, False), (10_000, 11, True)],
)
def test_few_dependents_are_errors_as_in_training(n_words, n_governors, may):
    number = get_string_id("punct")
    counts = GovernorCounts(Counter({number: n_words}), Counter({number: n_governors}))
    assert counts.may_govern("punct") == may


@pytest.mark.heavy
@pytest.mark.parametrize("saved", [False, True])
def test_training_on_other_trees_contradicts_them(saved):
    """They are those of the documents that were there when training began."""
    nlp = make_nlp()
    words = [["they", f"ran{i}", "off"] for i in range(120)]
    pos = ["PRON", "VERB", "PART"]
    made = [
        [
            Example(
                Doc(nlp.vocab, words=own, pos=pos),
                Doc(nlp.vocab, words=own, pos=pos, heads=heads, deps=deps),
            )
            for own in words
        ]
        for heads, deps in (
            ([1, 1, 1], ["nsubj", "ROOT", "part"]),
            ([2, 1, 1], ["mod", "ROOT", "part"]),
        )
    ]
    nlp.initialize(lambda: made[0])
    update(nlp, made[0], 2)
    assert "part" in parser_of(nlp).never_govern
    if saved:
        parser_of(nlp).from_bytes(parser_of(nlp).to_bytes())
    update(nlp, made[1], 10)
    assert "part" not in parser_of(nlp).never_govern
    doc = parser_of(nlp)(Doc(nlp.vocab, words=words[0], pos=pos))
    assert [t.head.i for t in doc] == [2, 1, 1]


@given(st.lists(trees(), min_size=1, max_size=3), st.data())
def test_the_definition(sentences, data):
    one_based = [[h + 1 if h != d else 0 for d, h in enumerate(s)] for s in sentences]
    n_words = sum(map(len, sentences))
    flags = st.lists(st.booleans(), min_size=n_words, max_size=n_words)
    leaves, kept = np.array(data.draw(flags)), np.array(data.draw(flags))
    heads = np.array([head for s in one_based for head in s], dtype=np.int32)
    given, lengths = heads.copy(), list(map(len, sentences))
    found = {}
    for which, preset in (("free", None), ("kept", kept.view(np.uint8))):
        moved = moved_up(heads, leaves.view(np.uint8), lengths, preset)
        assert moved is None or (moved != heads).any()
        found[which] = heads if moved is None else moved
    assert (heads == given).all()
    start = 0
    for tree in one_based:
        part = slice(start, start + len(tree))
        of_tree = set((np.flatnonzero(leaves[part]) + 1).tolist())
        free = found["free"][part].tolist()
        assert free == by_definition(tree, of_tree)
        assert is_projective(free) or not is_projective(tree)
        preset = (np.flatnonzero(kept[part]) + 1).tolist()
        assert found["kept"][part].tolist() == by_definition(tree, of_tree, preset)
        start = part.stop


def wrong_arcs(doc):
    """The words below words of LEAVES, but for those below roots that are such."""
    above = [(token, list(token.ancestors)) for token in doc if token.head != token]
    return [
        token.i
        for token, path in above
        if token.head.dep_ in LEAVES and any(a.dep_ not in LEAVES for a in path)
    ]


def pair(block, sentences="predict", **settings):
    """Two parsers of one model: one moves no arcs."""
    plain = copy.deepcopy(half_trained(block, sentences=sentences))
    parser_of(plain).change(never_govern=None, **settings)
    moving = copy.deepcopy(plain)
    parser_of(moving).change(never_govern=LEAVES)
    return plain, moving


@pytest.mark.parametrize("block", SYSTEMS, ids=name_of)
def test_trees_of_every_system(block):
    plain, moving = pair(block)
    golds = mixed_examples(plain.vocab)
    before = [plain(eg.predicted.copy()) for eg in golds]
    after = list(moving.pipe([eg.predicted.copy() for eg in golds]))
    assert any(map(wrong_arcs, before))
    for doc, moved, eg in zip(before, after, golds, strict=True):
        leaves = {token.i + 1 for token in doc if token.dep_ in LEAVES}
        assert heads_of(moved) == by_definition(heads_of(doc), leaves)
        assert analysis(moved)[1:] == analysis(doc)[1:]
        assert not wrong_arcs(moved)
        assert_tree(moved)
        assert analysis(moving(eg.predicted.copy())) == analysis(moved)


def test_preset_arcs_stay():
    """Also those of words that never govern, which may then have other dependents."""
    plain, keeping = pair(SYSTEMS[0])
    parser_of(keeping).change(keep_preset_heads=True)
    n_kept = 0
    for eg in mixed_examples(plain.vocab):
        found = plain(eg.predicted.copy())
        doc = eg.predicted.copy()
        kept = wrong_arcs(found)[:1]
        for word in kept:
            doc[word].head = doc[found[word].head.i]
            doc[word].dep_ = found[word].dep_
            n_kept += 1
        doc = keeping(doc)
        assert all(doc[word].head.i == found[word].head.i for word in kept)
        governors = {found[word].head.i for word in kept}
        others = {doc[word].head.i for word in wrong_arcs(doc)}
        assert others <= {*governors, *kept}
    assert n_kept > 0


def test_the_best_trees():
    search = block("BeamSearch", beam_size=8)
    search = spacy.registry.resolve({"search": search})["search"]
    plain, moving = pair(SYSTEMS[0], search=search)
    n_merged = 0
    for eg in mixed_examples(plain.vocab):
        doc = moving(eg.predicted.copy())
        found = parser_of(moving).k_best(eg.predicted, 8)
        listed = found.docs(8)
        assert analysis(listed[0]) == analysis(doc)
        assert not any(map(wrong_arcs, listed))
        # Trees that have become equal are one tree of the list.
        n_merged += len(parser_of(plain).k_best(eg.predicted, 8)[0]) - len(found[0])
        assert len({str(analysis(tree)) for tree in listed}) == len(listed)
    assert n_merged > 0


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_probabilities_are_those_of_the_arcs_that_were_found(asked):
    """As of lifted arcs: they belong to the derivation."""
    pipelines = uncertain(SENTENCES[:5], epochs=1)
    plain = pipelines(**asked, never_govern=None)
    moving = pipelines(**asked, never_govern=LEAVES)
    n_moved = 0
    for eg in mixed_examples(plain.vocab):
        before, after = plain(eg.predicted.copy()), moving(eg.predicted.copy())
        n_moved += heads_of(before) != heads_of(after)
        assert not wrong_arcs(after)
        assert of_tokens(before) == of_tokens(after)
        assert None not in [token._.dep_probability for token in after]
    assert n_moved > 0


def many(vocab):
    """Examples in which each sentence occurs seven times."""
    return [example(vocab, s) for s in SENTENCES for _ in range(7)]


def test_labels_are_learnt_and_saved(tmp_path):
    nlp = make_nlp(data=many, epochs=0)
    parser = parser_of(nlp)
    assert parser.never_govern == ["det", "punct"]
    nlp.to_disk(tmp_path)
    for again in (spacy.load(tmp_path), copy.deepcopy(nlp)):
        assert parser_of(again).never_govern == ["det", "punct"]
        again.resume_training()
        update(again, examples(again.vocab))
        assert parser_of(again).never_govern == ["det", "punct"]
    parser.change(never_govern=["cc"])
    assert parser.never_govern == ["cc"]
    parser.change(never_govern=None)
    assert parser.never_govern == []
    # Too few words are no evidence.
    parser.change(never_govern="auto")
    nlp.initialize(lambda: examples(nlp.vocab))
    assert parser.never_govern == []


def test_what_counts_as_a_dependent():
    nlp = make_nlp()
    data = many(nlp.vocab)
    # One word of a hundred is no error of a treebank.
    wrong = SENTENCES[4]._replace(heads=(2, 0, 4, 5, 2))
    nlp.initialize(lambda: [*data, example(nlp.vocab, wrong)])
    assert parser_of(nlp).never_govern == ["det"]
    # Whitespace is no word.
    gold = Doc(
        nlp.vocab,
        words=["It", "rains", ".", "\n"],
        heads=[1, 1, 1, 2],
        deps=["nsubj", "root", "punct", "dep"],
    )
    spaces = spacy.training.Example(gold.copy(), gold)
    nlp.initialize(lambda: [*data, spaces])
    assert parser_of(nlp).never_govern == ["det", "punct"]
    # Words whose heads are unknown may depend on any other.
    nlp.initialize(lambda: [partial(nlp.vocab, s) for s in SENTENCES * 20])
    assert parser_of(nlp).never_govern == []


def test_models_of_earlier_releases_and_damaged_ones():
    nlp = make_nlp(data=many, epochs=0)
    parser = parser_of(nlp)
    for value, expected in (
        (None, []),
        (["punct"], ["punct"]),
        (3, None),
        ([3], None),
        ("auto", None),
    ):
        state = {} if value is None else {"never_govern": value}
        if expected is None:
            with pytest.raises(ModelFileError, match="never_govern"):
                parser.check_state(state)
        else:
            parser.check_state(state)
            parser.set_state(state)
            assert parser.never_govern == expected
    with pytest.raises(ModelFileError, match="never_govern"):
        parser.check_state({"never_govern": None})


@pytest.mark.parametrize(
    ("heads", "leaves", "lengths"),
    [([0, 3], [0, 0], [2]), ([0, -1], [0, 0], [2]), ([0], [0, 0], [1]),
     ([0, 1], [0, 0], [1]), ([0, 1], [0, 0], [3])],
)  # fmt: skip
def test_arrays_that_do_not_fit_together(heads, leaves, lengths):
    with pytest.raises(ValueError, match=r"head|words in sentences"):
        moved_up(np.array(heads, np.int32), np.array(leaves, np.uint8), lengths)


@pytest.mark.parametrize("value", ["punct", [""], [3], 3, True])
def test_wrong_settings(value):
    with pytest.raises(ValueError, match="never_govern"):
        spacy.blank("xx").add_pipe(NAME, config={"never_govern": value})
