"""Notes about the tags of treebank files."""

import pytest
import spacy

from spacy_dynoracle.cli.file_tags import use_file_tags

ROWS = "1\tGo\t_\tVERB\t{}\t_\t0\troot\t_\t_\n2\t!\t_\tPUNCT\t{}\t_\t1\tdep\t_\t_\n\n"


@pytest.mark.parametrize(
    ("xpos", "note"),
    [
        (("VB", "."), ""),
        (("VB", "PCT"), ""),
        (
            ("V", "PCT"),
            "most tags of {} (V, PCT) are not those that the pipeline knows",
        ),
        (("_", "_"), "most tags of {} (VERB, PUNCT) are not those"),
    ],
)
def test_tags_that_the_pipeline_does_not_know(xpos, note, tmp_path, capsys):
    nlp = spacy.blank("xx")
    path = tmp_path / "x.conllu"
    path.write_text(ROWS.format(*xpos), encoding="utf8")
    # Without a tagger nothing is known of the tags that a parser has seen.
    assert use_file_tags(nlp, path, True)
    assert not capsys.readouterr().err
    tagger = nlp.add_pipe("tagger")
    for tag in (".", "VB"):
        tagger.add_label(tag)
    assert use_file_tags(nlp, path, True)
    said = capsys.readouterr().err
    assert note.format(path) in said if note else not said
    assert "(VB, .)" in said or not note
    assert not use_file_tags(nlp, path, False)
