"""What becomes of words left on the stack: counts, by hand and on a trained model."""

from types import SimpleNamespace

import pytest
import spacy
from spacy.training import Example

from experiments import fragmentation, parsing
from experiments.fragmentation import (
    Analysis,
    Leftover,
    analyse,
    count_leftover,
    first_empty_buffer,
    pooled,
    report,
)
from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.parser.label_names import restored_tree
from spacy_dynoracle.treebank import heads_and_labels, read_conllu, to_doc
from tests.harbour import FILE


def test_counts_of_a_hand_made_case():
    # Left on the stack: 2, 3 and 5. The gold head of 2 is ROOT, of 3 the word 2, both
    # on the stack; that of 5 is 4, which is not.
    counts = count_leftover(
        stack=[0, 2, 3, 5],
        headless=[2, 3, 5],
        gold=[2, 0, 2, 3, 4],
        old=[2, 0, 0, 3, 0],
        new=[2, 0, 2, 3, 2],
    )
    assert counts == {
        "root": Leftover(tokens=1, possible=1, old=1, new=1),
        "other": Leftover(tokens=2, possible=1, old=0, new=1),
    }


def test_words_with_a_head_and_unknown_gold_heads_do_not_count():
    counts = count_leftover(
        stack=[0, 1, 2, 3],
        headless=[1, 3],
        gold=[None, 1, 0],
        old=[0, 1, 0],
        new=[3, 1, 0],
    )
    assert counts["other"] == Leftover()
    assert counts["root"] == Leftover(1, 1, 1, 1)


def scripted_model(monkeypatch, transitions):
    """A model that takes these transitions, whatever it sees."""
    script = iter(transitions)

    def candidates(model, c, sentence, gold):
        name = next(script)
        return [
            SimpleNamespace(transition=t, label=None, position=None, score=float(s))
            for t, s in ((name, 1), ("SHIFT", 0), ("REDUCE", 0))
        ]

    monkeypatch.setattr(parsing, "candidates", candidates)
    return SimpleNamespace(system=ArcEager(root="first"), labels=())


def test_prefix_ends_at_the_first_empty_buffer(monkeypatch):
    model = scripted_model(monkeypatch, ["SHIFT", "LEFT", "SHIFT", "SHIFT", "REDUCE"])
    c = first_empty_buffer(model, [None] * 3)
    assert c.buffer == ()
    assert c.stack == (0, 2, 3)
    assert c.heads == (2, None, None)


def test_ties_go_to_the_first_action(monkeypatch):
    def candidates(model, c, sentence, gold):
        return [
            SimpleNamespace(transition=t, label=None, position=None, score=0.0)
            for t in ("SHIFT", "RIGHT")
        ]

    monkeypatch.setattr(parsing, "candidates", candidates)
    model = SimpleNamespace(system=ArcEager(root="first"), labels=())
    assert first_empty_buffer(model, [None] * 2).stack == (0, 1, 2)


def test_analysis_of_a_trained_model(pipeline):
    analysis = analyse(pipeline, FILE, repeats=2)
    assert analysis.sentences == len(analysis.old) == len(analysis.new)
    assert analysis.trees == analysis.sentences
    total = analysis.total
    assert total.tokens >= total.possible >= max(total.old, total.new)
    assert total.possible > 0
    # The heuristic attaches to ROOT and nowhere else.
    root, other = analysis.leftover.values()
    assert root.old == root.possible
    assert other.old == 0
    assert len(analysis.old_seconds) == len(analysis.new_seconds) == 2


def test_the_component_demands_one_root_besides(pipeline):
    nlp = spacy.load(pipeline)
    sentences = list(read_conllu(FILE))
    docs = nlp.pipe(parsing.unparsed(nlp, sentences))
    model = parsing.parser_of(nlp).model
    core = parsing.core_sentences(nlp, sentences)
    trees = parsing.parse(model, core, RootRule.ONE)
    for doc, tree in zip(docs, trees, strict=True):
        assert heads_and_labels(doc) == restored_tree(model, *tree)


@pytest.mark.parametrize("rule", [RootRule.ANY, RootRule.TREE])
def test_the_derivation_is_that_of_the_core(pipeline, rule):
    nlp = spacy.load(pipeline)
    model = parsing.parser_of(nlp).model
    sentences = parsing.core_sentences(nlp, list(read_conllu(FILE)))
    for sentence, (heads, _) in zip(
        sentences, parsing.parse(model, sentences, rule), strict=True
    ):
        *_, c = parsing.derive(model, sentence, rule)
        assert [head or 0 for head in c.heads] == heads


def test_a_model_with_root_elsewhere_is_an_error(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None})
    doc = to_doc(next(read_conllu(FILE)), nlp.vocab)
    nlp.initialize(lambda: [Example(doc.copy(), doc)])
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match="ROOT first"):
        analyse(tmp_path, FILE)


def test_tables_of_two_treebanks():
    one = Analysis(sentences=2, trees=2, old_seconds=[0.2], new_seconds=[0.1])
    one.leftover["root"] = Leftover(2, 2, 2, 1)
    one.leftover["other"] = Leftover(4, 2, 0, 2)
    counts = fragmentation.SentenceCounts
    one.old = [counts(10, 7, 10, 5)] * 2
    one.new = [counts(10, 8, 10, 6)] * 2
    both = pooled([one, one])
    assert both.total == Leftover(12, 8, 4, 6)
    grids, values = report({"A": both, "B": one}, "dev")
    leftover, target, scores, trees = grids
    assert leftover.rows[0] == ["A", "12", "8", "4", "6", "50.0", "75.0"]
    assert leftover.rows[-1] == ["average", "", "", "", "", "50.0", "75.0"]
    assert target.rows[0][1:] == ["4", "100.0", "50.0", "4", "0.0", "100.0"]
    assert scores.rows[0][1:3] == ["70.00", "80.00"]
    assert scores.rows[0][3].startswith("+10.00 (p = ")
    assert scores.rows[-1][3].startswith("+10.00 (p = ")
    assert trees.rows[0][-1] == "0.500"
    assert values["treebanks"]["B"]["new"] == {"uas": 80.0, "las": 60.0}
