"""The report on treebank files and directories."""

import gzip
import os
from itertools import product
from pathlib import Path

import pytest
import spacy
from spacy.pipeline._parser_internals import nonproj

from spacy_dynoracle.core.state.projectivity import find_cycle, nonprojective_arcs
from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.tokenizer.tokenizer import make_word_tokenizer
from spacy_dynoracle.treebank import check
from spacy_dynoracle.treebank.checking import MALFORMED, NO_KNOWN_HEAD, check_file

from ..warned import said

TREEBANKS = os.environ.get("DYNORACLE_TREEBANKS")


def block(heads, labels, forms, comments=""):
    """A sentence from heads, labels and forms separated by blanks."""
    columns = zip(heads.split(), labels.split(), forms.split(), strict=True)
    rows = (
        f"{i}\t{form}\t_\tX\tY{i}\t_\t{head}\t{label}\t_\t_\n"
        for i, (head, label, form) in enumerate(columns, 1)
    )
    return comments + "".join(rows) + "\n"


HEARING = block("2 0 5 2 4", "det root mod obj dep", "a hearing on it today")
ODD = (
    block("0 1", "root obj", "go home", "# text = go  home\n")
    + block("0 0", "root root", "yes no", "# sent_id = r\n# text = yesno\n")
    + block("_ 1", "_ obj", "part known", "# sent_id = r\n")
    + block("_ _", "_ _", "nothing known")
    + block("0 3 2", "root a b", "one two three")
    + block("2 1", "a b", "ring ring")
    + "1\tcut\n\n"
)


def write(path, text):
    """The file, written."""
    path.write_text(text, encoding="utf-8")
    return path


def test_counts(tmp_path):
    report = check_file(write(tmp_path / "a.conllu", ODD))
    assert report.sentences == 7
    assert report.words == 13
    assert report.max_length == 3
    assert report.mean_length == pytest.approx(13 / 7)
    assert report.labels["root"] == 4
    assert report.unlabelled_words == 3
    assert len(report.upos) == 1
    assert len(report.xpos) == 3
    assert report.multiple_roots == 1
    assert report.cycles == 2
    assert report.unknown_heads == 3
    assert report.partial_sentences == 1
    assert dict(report.skipped) == {
        "cycle": 1,
        "no root": 1,
        MALFORMED: 1,
        NO_KNOWN_HEAD: 1,
    }
    assert [error.kind for error in report.errors] == ["cycle", "root", "columns"]
    assert [warning.kind for warning in report.warnings] == ["text", "root", "sent_id"]
    assert (report.text_mismatches, report.text_compared) == (1, 2)
    assert "'yes no' where '# text' has 'yesno'" in report.warnings[0].message


def test_several_roots_are_usual_in_conllx(tmp_path):
    text = block("0 0", "ROOT ROOT", "yes no")
    report = check_file(write(tmp_path / "a.conll", text))
    assert report.multiple_roots == 1
    assert not report.warnings
    packed = tmp_path / "a.conllu.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.conll").read_bytes()))
    assert [warning.kind for warning in check_file(packed).warnings] == ["root"]


def test_nonprojective_arcs_agree_with_spacy_on_all_small_trees():
    for heads in product(range(5), repeat=4):
        if not find_cycle(heads):
            own = [head - 1 if head else i for i, head in enumerate(heads)]
            assert bool(nonprojective_arcs(heads)) == nonproj.is_nonproj_tree(own)


def test_unknown_ancestors_cross_nothing():
    assert nonprojective_arcs([3, None, 0]) == []
    assert nonprojective_arcs([3, 0, None]) == [1]


def test_directory(tmp_path):
    same = block("0 1", "root obj", "go home")
    write(tmp_path / "train.conllu", same + HEARING)
    write(tmp_path / "test.conllu", same + block("0 1", "root new", "go on"))
    report = check(tmp_path)
    assert list(report.files) == ["train", "test"]
    train = report.files["train"]
    assert train.seen_sentences == 0
    assert (train.nonprojective_trees, train.nonprojective_arcs) == (1, 1)
    assert report.files["test"].seen_sentences == 1
    assert dict(report.files["test"].unseen_labels) == {"new": 1}
    assert not report.errors
    values = report.as_dict()
    assert values["files"]["test"]["labels"] == {"root": 2, "new": 1, "obj": 1}


def test_one_file(tmp_path):
    path = write(tmp_path / "a.conllu", ODD)
    report = check(path)
    assert list(report.files) == ["a.conllu"]
    assert str(report.errors[0]).startswith(f"{path}:")
    assert report.as_dict()["files"]["a.conllu"]["errors"][0] == str(report.errors[0])


def test_nothing_to_check(tmp_path):
    with pytest.raises(TreebankError, match="no train, dev or test file"):
        check(tmp_path)
    with pytest.raises(TreebankError, match="no such file"):
        check(tmp_path / "none.conllu")
    report = check(write(tmp_path / "empty.conllu", ""))
    assert [error.kind for error in report.errors] == ["file"]


@pytest.mark.heavy
@pytest.mark.skipif(not TREEBANKS, reason="DYNORACLE_TREEBANKS is not set")
def test_real_treebanks_have_no_errors():
    files = sorted(Path(TREEBANKS or "").glob("*/test.conll*"))
    assert files
    for path in files:
        assert not check_file(path).errors


@pytest.mark.parametrize("misc", ["_", "CorrectSpaceAfter=No", "SpaceAfter=No"])
def test_a_treebank_that_tells_no_blanks(misc, tmp_path):
    sentence = "1\tx\t_\tX\t_\t_\t0\troot\t_\t{}\n2\t.\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    path = tmp_path / "train.conllu"
    path.write_text(sentence.format(misc) * 100, encoding="utf8")
    told = misc != "SpaceAfter=No"
    assert any("no SpaceAfter=No" in text for text in check(path).advice) == told
    assert any("no SpaceAfter=No" in text for text in check(tmp_path).advice) == told
    path.write_text(sentence.format("_") * 99, encoding="utf8")
    assert check(path).advice == []
    # The tokenizer says so when it learns.
    path.write_text(sentence.format(misc) * 100, encoding="utf8")
    nlp = spacy.blank("xx")
    tokenizer = make_word_tokenizer()(nlp)
    messages = said(tokenizer.initialize, list, nlp=nlp, path=path)
    assert ["no SpaceAfter=No" in message for message in messages] == [True] * told


def test_what_spacy_does_not_hold_is_told(tmp_path):
    rows = "1\tx\t_\t{}\t_\t{}\t0\troot\t_\t_\n2\ty\t_\tX\t_\t_\t{}\tdep\t_\t_\n\n"
    path = tmp_path / "train.conllu"
    told = {
        "several roots": ("NOUN", "_", 0),
        "SUBST (1 words) are no UPOS": ("SUBST", "_", 1),
        "Case=Nom,Acc (1 words) are no FEATS": ("NOUN", "Case=Nom,Acc", 1),
        "Past (1 words) are no FEATS": ("NOUN", "Past", 1),
    }
    for text, values in told.items():
        path.write_text(rows.format(*values), encoding="utf8")
        (doubt,) = check(path).doubts
        assert text in doubt
    decomposed = rows.replace("x", "e\u0301").format("NOUN", "_", 1)
    path.write_text(decomposed, encoding="utf8")
    assert "1 words or their lemmas are not in Unicode form" in check(path).doubts[0]
    path.write_text(rows.format("_", "Number=Sing|Case=Acc,Nom", 1), encoding="utf8")
    assert not check(path).doubts
    # Unknown heads are told of the training data.
    partial = rows.format("NOUN", "_", "_")
    path.write_text(partial + rows.format("NOUN", "_", 1), encoding="utf8")
    assert not check(tmp_path).doubts
    path.write_text(2 * partial + rows.format("NOUN", "_", 1), encoding="utf8")
    assert "2 sentences of train have some unknown heads" in check(tmp_path).doubts[0]
