"""Notes about the tags of treebank files."""

import pytest
import spacy

from spacy_dynoracle.cli.file_tags import use_file_tags

ROWS = "1\tGo\t_\tVERB\t{}\t_\t0\troot\t_\t_\n2\t!\t_\tPUNCT\t{}\t_\t1\tdep\t_\t_\n\n"
PARSER, COMMITTEE = "dynoracle_parser", "dynoracle_committee"


def pipeline(parser, tag_attr="TAG"):
    nlp = spacy.blank("xx")
    tagger = nlp.add_pipe("tagger")
    for tag in (".", "VB"):
        tagger.add_label(tag)
    nlp.add_pipe(parser, config={"tag_attr": tag_attr} if parser == PARSER else {})
    return nlp


@pytest.mark.parametrize("parser", [PARSER, COMMITTEE])
@pytest.mark.parametrize(
    ("xpos", "unknown"),
    [
        (("VB", "."), ""),
        (("VB", "PCT"), ""),
        (("V", "PCT"), "V, PCT"),
        (("_", "_"), "VERB, PUNCT"),
    ],
)
def test_tags_that_the_pipeline_does_not_know(xpos, unknown, parser, tmp_path, capsys):
    path = tmp_path / "x.conllu"
    path.write_text(ROWS.format(*xpos), encoding="utf8")
    assert use_file_tags(pipeline(parser), path, True)
    said = capsys.readouterr().err
    expected = f"({unknown}) are not those that the pipeline knows (VB, .)"
    assert expected in said if unknown else not said
    assert not use_file_tags(pipeline(parser), path, False)


def test_no_note_where_no_parser_reads_such_tags(tmp_path, capsys):
    path = tmp_path / "x.conllu"
    path.write_text(ROWS.format("_", "_"), encoding="utf8")
    for nlp in (pipeline("parser"), pipeline(PARSER, "POS"), pipeline(PARSER, None)):
        assert use_file_tags(nlp, path, True)
    assert not capsys.readouterr().err
    # A word without any tag has none that could be unknown.
    path.write_text(ROWS.replace("PUNCT", "_").format("_", "_"), encoding="utf8")
    assert use_file_tags(pipeline(PARSER), path, True)
    assert "(VERB) are not those" in capsys.readouterr().err
