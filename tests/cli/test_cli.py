"""The commands parse, evaluate and check, with a tiny rule-based parser."""

import io
import json
import os
import threading
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.cli.formats import tree_text
from spacy_dynoracle.cli.sources import paragraphs as paragraphs_of
from spacy_dynoracle.treebank import TreebankSentence, TreebankWord

from ..commands import fails, run, works
from ..conllu import sentences_of
from ..programs import new_process

pytestmark = pytest.mark.heavy

DATA = """\
# newdoc
# sent_id = one
# text = Birds don't read.
1\tBirds\tbird\tNOUN\tNNS\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tread\tread\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = two
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
2\thome\thome\tADV\tRB\t_\t1\tadvmod\t_\t_

"""


@Language.component("test_chain_parser", assigns=["token.head", "token.dep"])
def chain_parser(doc):
    """Each word heads the next; the sentence boundaries stay."""
    heads = [i if token.is_sent_start else i - 1 for i, token in enumerate(doc)]
    if not len(doc):
        return doc
    heads[0] = 0
    deps = ["ROOT" if head == i else "advmod" for i, head in enumerate(heads)]
    parsed = Doc(doc.vocab, [token.text for token in doc], heads=heads, deps=deps)
    doc.from_array(["HEAD", "DEP"], parsed.to_array(["HEAD", "DEP"]))
    return doc


@Language.component("test_other_tagger", assigns=["token.tag", "token.pos"])
def other_tagger(doc):
    """One tag for all words."""
    for token in doc:
        token.tag_ = "OTHER"
        token.pos_ = "X"
    return doc


@pytest.fixture
def model(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("test_other_tagger")
    nlp.add_pipe("test_chain_parser")
    nlp.to_disk(tmp_path / "model")
    return str(tmp_path / "model")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.conllu"
    path.write_text(DATA, encoding="utf-8")
    return str(path)


def test_parse_text(model):
    shown = works(run("parse", model, "--text", "Go home. <Now>"))
    rows = [line.split("\t") for line in shown.splitlines()[2:-1]]
    assert [row[1] for row in rows] == ["Go", "home", ".", "<", "Now", ">"]
    assert [row[6] for row in rows] == ["0", "1", "2", "3", "4", "5"]
    assert rows[0][3:5] == ["X", "OTHER"]
    assert rows[0][7] == "root"
    assert rows[1][9] == "SpaceAfter=No"


def test_parse_conllu_keeps_everything_but_the_tree(model, data):
    shown = works(run("parse", model, data))

    def others(text):
        rows = (line.split("\t") for line in text.splitlines())
        return [[*row[:6], *row[8:]] for row in rows]

    assert others(shown) == others(DATA)
    assert "2\tdo\tdo\tAUX\tVBP\t_\t1\tadvmod\t_\t_" in shown


def test_parse_conllu_with_the_tags_of_the_pipeline(model, data):
    shown = works(run("parse", model, data, "--from", "words"))
    assert "2\tdo\t_\tX\tOTHER\t_\t1\tadvmod\t_\t_" in shown


def test_conllu_is_seen_whatever_its_name(model, tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("# comment\n" * 900 + DATA, encoding="utf-8")
    shown = works(run("parse", model, path))
    assert "2\tdo\tdo\tAUX\tVBP\t_\t1\tadvmod\t_\t_" in shown
    as_text = run("parse", model, path, "--input", "text")
    assert "2\tdo\tdo\tAUX" not in as_text.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", "MODEL", "PIPE"],
        ["parse", "MODEL", "PIPE", "--from", "words"],
        ["evaluate", "MODEL", "PIPE"],
        ["evaluate", "DATA", "PIPE"],
        ["check", "PIPE"],
    ],
)
def test_pipes_are_read_once(model, data, tmp_path, arguments):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(DATA,), daemon=True)
    writer.start()
    paths = {"MODEL": model, "DATA": data, "PIPE": str(pipe)}
    works(run(*(paths.get(x, x) for x in arguments)))
    writer.join(10)
    assert not writer.is_alive()


def test_text_can_be_read_as_conllu_only_if_it_is(model, tmp_path):
    (tmp_path / "text").write_text("Go.\n")
    result = run("parse", model, tmp_path / "text", "--input", "conllu")
    assert result.exit_code == 1
    assert "1 tab-separated column where 10 were expected" in result.stderr


TAGGED = "1\tGo\tgo\tVERB\tVB\t_\t_\t_\t_\t_\n\n"
BARE = "1\tStop\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


@pytest.mark.parametrize(
    ("sentences", "note"),
    [
        ([TAGGED, BARE], "1 of 2 sentences"),
        ([BARE, TAGGED], "1 of 2 sentences"),
        ([BARE, TAGGED, BARE, BARE, TAGGED], "3 of 5 sentences"),
        ([TAGGED, TAGGED], None),
        ([BARE], "has no tags"),
    ],
)
def test_tags_are_used_sentence_by_sentence(model, tmp_path, sentences, note):
    path = tmp_path / "partly.conllu"
    path.write_text("".join(sentences), encoding="utf-8")
    result = run("parse", model, path)
    assert result.exit_code == 0, result.output
    tags = [r.split("\t")[3] for r in result.stdout.splitlines() if r[:1] == "1"]
    assert tags == ["VERB" if s is TAGGED else "X" for s in sentences]
    assert note in result.stderr if note else "Note" not in result.stderr


def test_a_text_that_is_not_utf8_is_one_line(model):
    result = run("parse", model, "--text", "caf\udce9")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: --text: character 4 is not UTF-8")


def test_parse_files_and_stdin(model, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("Go\nhome.\n\n\nStay.\n", encoding="utf-8")
    result = run("parse", model, path, "-", stdin="Now")
    texts = [line for line in result.stdout.splitlines() if line.startswith("#")]
    assert texts == [
        f"# newdoc id = {path}",
        "# newpar",
        "# sent_id = 1",
        "# text = Go home.",
        "# newpar",
        "# sent_id = 2",
        "# text = Stay.",
        "# newdoc",
        "# newpar",
        "# sent_id = 3",
        "# text = Now",
    ]
    path.rename(tmp_path / "TEXT.TXT")
    assert "# text = Stay." in works(run("parse", model, tmp_path))


def test_text_files_and_treebanks_have_comments_of_their_own(model, data, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("Go home.", encoding="utf-8")
    output = run("parse", model, path, data, path).stdout
    first, treebank, second = output.partition(DATA.partition("1\t")[0])
    assert treebank
    assert first.count("# new") == second.count("# new") == 2
    Path(data).write_text(DATA.replace("# newdoc\n", ""), encoding="utf-8")
    output = run("parse", model, data, path, data).stdout
    assert not output.startswith("# newdoc")
    assert "# newdoc\n# sent_id = one\n" in output


def test_a_name_of_a_file_is_one_line(model, tmp_path):
    path = tmp_path / "two\nlines.txt"
    path.write_text("Go.", encoding="utf-8")
    comment = run("parse", model, path).stdout.splitlines()[0]
    assert comment == f"# newdoc id = {tmp_path}/two lines.txt"


def test_parse_json(model, data):
    result = run("parse", model, data, "--format", "json")
    docs = json.loads(result.stdout)
    assert len(docs) == 2
    assert docs[0]["tokens"][0]["tag"] == "NNS"
    assert docs[1]["tokens"][1]["head"] == 0
    assert json.loads(run("parse", model, "-", "--format=json", stdin="").stdout) == []


def test_parse_html(model, data):
    result = run("parse", model, data, "--format", "html")
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert result.stdout.rstrip().endswith("</html>")
    assert result.stdout.count("<svg") == 2
    assert result.stdout == run("parse", model, data, "--format", "html").stdout
    escaped = run("parse", model, "--text", "<script>", "--format", "html")
    assert "<script>" not in escaped.stdout
    long = run("parse", model, "--text", "birds sing " * 11, "--format", "html")
    assert "<svg" not in long.stdout
    assert "└── " in long.stdout


def test_parse_tree(model, data):
    result = run("parse", model, data, "--format", "tree")
    assert result.stdout.endswith(
        "# two: Go home\nGo  VERB  root\n└── home  ADV  advmod\n\n"
    )


@pytest.mark.quick
def test_tree_puts_dependents_in_order():
    first, *_ = sentences_of(DATA.replace("4\tadvmod", "2\tadvmod"))
    assert tree_text(first) == (
        "read  VERB  root\n"
        "├── Birds  NOUN  nsubj\n"
        "├── do  AUX  aux\n"
        "│   └── n't  PART  advmod\n"
        "└── .  PUNCT  punct\n"
    )


def test_parse_errors(model, data, tmp_path):
    fails(run("parse", model), "INPUT", "--text")
    fails(run("parse", model, data, "--text", "x"), "INPUT", "--text")
    fails(run("parse", model, tmp_path / "none.txt"), "none.txt", "no such file")
    (tmp_path / "empty").mkdir()
    fails(run("parse", model, tmp_path / "empty"), "empty", ".conllu")
    fails(run("parse", tmp_path / "none", data), "cannot load", "none")
    fails(run("parse", tmp_path, data), "cannot load", "not a complete pipeline")
    parent = Path(model).parent
    fails(run("parse", parent, data), f"name a pipeline in it: {Path(model).name}")
    fails(run("parse", model, data, "-o", tmp_path), "is a directory")
    fails(run("parse", model, data, "-o", tmp_path / "no" / "x"), "no such directory")
    for command in (("parse", model), ("check",), ("evaluate", model)):
        fails(run(*command, data, "-o", data), "is an input, too; name another")
    fails(run("parse", model, "-", stdin=b"ok\ncaf\xe9"), "input:2", "0xe9")
    nlp = spacy.blank("en")
    nlp.to_disk(tmp_path / "blank")
    fails(run("parse", tmp_path / "blank", data), "sets no heads", "none")


def test_pipelines_that_merge_words(data, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("test_chain_parser")
    nlp.add_pipe("test_merger")
    nlp.to_disk(tmp_path / "merger")
    fails(run("parse", tmp_path / "merger", data), "test_merger", "merges words")
    fails(run("evaluate", tmp_path / "merger", data), "merges words")


def test_lines_of_a_file_are_those_of_the_text(model, tmp_path):
    """Line breaks may end sentences, and the marks of quoted lines follow them."""
    path = tmp_path / "mail.txt"
    path.write_text("Nora wrote:\n> We go\n\nNow.\n", encoding="utf-8")
    shown = works(run("parse", model, path, "--format", "json"))
    assert [doc["text"] for doc in json.loads(shown)] == [
        "Nora wrote:\n> We go",
        "Now.",
    ]


def test_paragraphs_of_a_text():
    def paragraphs(text):
        return list(paragraphs_of("x", io.BytesIO(text.encode()), 10))

    assert paragraphs("\ufeffa\r\nb\n \nc") == ["a\nb", "c"]
    assert paragraphs("1234\n5678\n90\n") == ["1234\n5678", "90"]
    with pytest.raises(CommandError, match=r"^x:2: a line of 11 characters"):
        paragraphs("a\n12345678901")


def test_evaluate(model, data, tmp_path):
    out = tmp_path / "metrics.json"
    shown = works(run("evaluate", model, data, "--by", "label", "--output", out))
    assert "no punct. (ud)" in shown
    assert "2 sentences, 7 words" in shown
    assert "words/s" in shown
    assert "advmod" in shown
    metrics = json.loads(out.read_text(encoding="utf-8"))
    scores = metrics["scores"]
    assert list(scores) == ["all", "ud"]
    # Right: "." from "read", and both words of the second sentence.
    assert scores["all"]["uas"] == pytest.approx(3 / 7)
    assert scores["all"]["las"] == pytest.approx(2 / 7)
    assert scores["ud"]["uas"] == pytest.approx(2 / 6)
    assert scores["all"]["root_accuracy"] == pytest.approx(1 / 2)
    assert scores["all"]["exact_labelled"] == pytest.approx(1 / 2)
    assert metrics["gold_tags"] is True


def test_evaluate_heads_without_labels(model, tmp_path):
    path = tmp_path / "heads.conllu"
    path.write_text("1\tGo" + "\t_" * 4 + "\t0" + "\t_" * 3 + "\n\n", encoding="utf-8")
    assert "no word of this file has a DEPREL" in run("evaluate", model, path).stderr


def test_evaluate_from_text(model, data, tmp_path):
    """The pipeline splits words; without a sentencizer, each text is one sentence."""
    out = tmp_path / "metrics.json"
    shown = works(run("evaluate", model, data, "--from", "text", "--output", out))
    assert "7 words found" in shown
    metrics = json.loads(out.read_text(encoding="utf-8"))
    assert metrics["from_text"] is True
    scores = metrics["scores"]
    assert scores["Words"]["f1"] == 1
    assert scores["Sentences"]["f1"] == 0
    assert scores["UPOS"]["f1"] == 0
    # Right: "." from "read" and "home" from "Go".
    assert scores["UAS"]["f1"] == pytest.approx(2 / 7)
    assert scores["LAS"]["f1"] == pytest.approx(1 / 7)


@pytest.mark.quick
def test_check(data, tmp_path):
    out = tmp_path / "report.json"
    shown = works(run("check", data, "--output", out))
    assert "0 errors, 0 warnings" in shown
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["files"]["data.conllu"]["words"] == 7


def test_check_directory(tmp_path):
    treebank = tmp_path / "treebank"
    treebank.mkdir()
    (treebank / "train.conllu").write_text(DATA, encoding="utf-8")
    (treebank / "dev.conllu").write_text(DATA, encoding="utf-8")
    shown = works(run("check", treebank))
    assert "2 (100.00 %)" in shown
    # Two sent_ids occur again.
    assert shown.count("warning: ") == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n",
            ":1: sentence #1",
        ),
        ("", "contains no sentence"),
        ("1\tcaf\xe9\t_\t_\t_\t_\t0\tx\t_\t_\n", ":1: sentence #1: byte 0xe9"),
    ],
)
def test_check_errors_take_one_line_each(tmp_path, text, words):
    path = tmp_path / "bad.conllu"
    path.write_bytes(text.encode("latin-1"))
    result = run("check", path)
    assert result.exit_code == 1
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("error")]
    assert line.startswith(f"error: {path}")
    assert words in line


def test_module_entry_point():
    result = new_process("-m", "spacy_dynoracle", "check", "no.conllu")
    assert result.returncode == 1
    assert result.stderr == (
        "Error: no.conllu: no such file; check the path of the treebank\n"
    )


def test_an_untrained_parser_and_a_wrong_value_in_its_config(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser")
    nlp.to_disk(tmp_path)
    fails(run("parse", tmp_path, "--text", "A test."), "not trained")
    config = tmp_path / "config.cfg"
    text = config.read_text(encoding="utf8").replace('root = "last"', 'root = "middle"')
    config.write_text(text, encoding="utf8")
    fails(run("parse", tmp_path, "--text", "A test."), "middle")


def test_deep_trees_have_margins_of_a_page():
    """A chain of thousands of words; each depends on the one before."""
    words = tuple(
        TreebankWord("w", "_", "X", "_", "_", i, "dep", "_", "_", 0)
        for i in range(3000)
    )
    text = tree_text(TreebankSentence("", 1, None, 1, (), words))
    assert text.count("\n") == 3000
    assert max(map(len, text.splitlines())) < 500
