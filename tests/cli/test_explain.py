"""The command explain: text, JSON and the page."""

import gzip
import json
import re
import shutil
import subprocess
from functools import partial

import pytest
import spacy
from rich.cells import cell_len

from spacy_dynoracle.explain.derivation import Limits
from spacy_dynoracle.explain.html import page, script_json
from spacy_dynoracle.explain.text import derivation_text
from spacy_dynoracle.explain.trace import trace

from .. import commands
from ..commands import fails, works
from ..parser.half_trained import (
    ARC_EAGER,
    SYSTEMS,
    crossing,
    half_trained,
    name_of,
    system,
    traced,
)
from ..parser.treebank import NAME, VOCABULARY, examples, make_doc, make_nlp

pytestmark = pytest.mark.heavy

untagged = pytest.mark.filterwarnings("ignore:.*no token has a POS")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def nlp():
    return half_trained(ARC_EAGER)


# ---- text, JSON and page -------------------------------------------------------------


def test_text_fits_into_100_columns(nlp):
    words = ["donaudampfschifffahrt" * 2, "漢字" * 20, *VOCABULARY[:28]] * 2
    for pipeline in (nlp, half_trained(system("EasyFirst"))):
        doc = make_doc(pipeline.vocab, words)
        for derivation in trace(pipeline.get_pipe(NAME), doc, limits=Limits(1, 6)):
            lines = [re.sub(r"\x1b\[\d+m", "", x) for x in derivation_text(derivation)]
            assert max(map(cell_len, lines)) <= 100
            assert any(" more" in line for line in lines)


def test_text_says_what_was_lifted():
    (derivation,) = traced(*crossing())
    text = "\n".join(derivation_text(derivation))
    assert "derived: 3 arrived acl||nsubj" in text
    assert "has crossing arcs" in text


def test_nothing_in_the_data_can_leave_its_script_element():
    data = {"words": ["</script><script>alert(1)</script>", "<!--", "]]>", "&\u2028é"]}
    text = script_json(data)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == data


def test_page_is_self_contained(nlp):
    (derivation,) = traced(nlp, examples(nlp.vocab)[0])
    title = "</title><script>{{data}}"
    made = page(page_data(title, derivation))
    assert "</title><script>{{" not in made
    assert made.count("<script") == made.count("</script>") == 2
    without_names = made.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//[a-z]|@import|url\(|src=", without_names)
    assert "default-src 'none'" in made
    assert json.loads(embedded(made))["derivations"][0]["words"][1] == "The"


def page_data(title, *derivations):
    return {
        "title": title,
        "model": "m",
        "follow": "model",
        "lang": "en",
        "direction": "ltr",
        "derivations": [derivation.as_dict() for derivation in derivations],
    }


def embedded(made):
    return re.search(r'id="data">(.*?)</script>', made, re.DOTALL)[1]


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
@pytest.mark.parametrize("block", SYSTEMS[::4], ids=name_of)
def test_page_runs_in_a_browser(block, tmp_path):
    nlp = half_trained(block)
    (derivation,) = traced(nlp, examples(nlp.vocab)[1])
    path = tmp_path / "page.html"
    path.write_text(page(page_data("<b>", derivation, derivation)), encoding="utf-8")
    last = len(derivation.steps)
    shown = in_browser(f"{path.as_uri()}#2.{last}", tmp_path)
    assert f"Step {last} of {last}" in shown
    assert '<h1 id="title" lang="en" dir="ltr">&lt;b&gt;</h1>' in shown
    transition = derivation.steps[-1].chosen.transition
    assert re.search(rf'<p id="summary"[^>]*><b>{transition}', shown)
    assert shown.count('class="word"') == len(derivation.words)
    assert shown.count('class="label"') >= len(derivation.words) - 2
    assert shown.count("<li>") >= last


def in_browser(address, directory):
    """The page's elements after its script has run."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    profile = f"--user-data-dir={directory / 'profile'}"
    command = [BROWSER, *flags, profile, "--virtual-time-budget=2000", address]
    result = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60
    )
    return result.stdout


# ---- the command ---------------------------------------------------------------------

TREEBANK = """\
# sent_id = one
# text = They will build a shed.
1\tThey\tthey\tPRON\tPRP\t_\t3\tnsubj\t_\t_
2\twill\twill\tAUX\tMD\t_\t3\taux\t_\t_
3\tbuild\tbuild\tVERB\tVB\t_\t0\troot\t_\t_
4\ta\ta\tDET\tDT\t_\t5\tdet\t_\t_
5\tshed\tshed\tNOUN\tNN\t_\t3\tobj\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# sent_id = 1
1\tRain\train\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tfell\tfall\tVERB\tVBD\t_\t0\troot\t_\t_

# sent_id = bare
1\tPears\t_\t_\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture(scope="module")
def files(tmp_path_factory, nlp):
    directory = tmp_path_factory.mktemp("explain")
    nlp.to_disk(directory / "model")
    (directory / "bank.conllu").write_text(TREEBANK, encoding="utf-8")
    return directory


@pytest.fixture
def run(files, monkeypatch):
    monkeypatch.chdir(files)
    return partial(commands.run, "explain")


@untagged
def test_text_is_explained(run):
    lines = works(run("model", "--text", "Two cats sleep.")).splitlines()
    assert lines[0] == "Two cats sleep."
    assert lines[2].startswith("ArcEager, ROOT last")
    assert lines[4] == "  1 stack   []"
    assert lines[5] == "    buffer  [Two cats sleep . ROOT]"
    assert lines[6].split() == [">", "SHIFT", "forced"]
    assert lines[-2].startswith("8 transitions, ")


def test_a_treebank_sentence_is_explained_with_costs(run):
    text = works(run("model", "bank.conllu"))
    assert text.startswith("one: They will build a shed.\n")
    assert re.search(r"> SHIFT +0  forced\n", text)
    assert re.search(r"transitions, \d+ of them forced; cost \d+; \d+ of 6 words", text)


@untagged
def test_a_sentence_is_found_by_its_name_or_its_number(run):
    def title(name):
        result = run("model", "bank.conllu", "--sentence", name)
        return works(result).splitlines()[0]

    assert title("one").startswith("one: ")
    assert title("1") == "1: Rain fell"
    assert title("2") == "1: Rain fell"
    assert title("3") == "bare: Pears"


def test_the_oracle_is_followed(run):
    arguments = ("model", "bank.conllu", "--follow", "oracle", "--top=0")
    text = works(run(*arguments))
    assert "cost 0; 0 of 6 words wrong" in text
    assert "to be seen" not in text
    assert len(text) > len(works(run(*arguments[:-1])))


@untagged
def test_wrong_choices_are_marked(run, files):
    untagged = re.sub(r"\t[A-Z]+\t[A-Z.]+\t", "\t_\t_\t", TREEBANK)
    (files / "untagged.conllu").write_text(untagged, encoding="utf-8")
    text = works(run("model", "untagged.conllu"))
    data = json.loads(works(run("model", "untagged.conllu", "--format=json")))
    (derivation,) = data["derivations"]
    chosen = [step["candidates"][step["chosen"]] for step in derivation["steps"]]
    assert text.count("  wrong\n") == sum(x["correct"] is False for x in chosen) > 0
    assert sum(x["cost"] or 0 for x in chosen) == derivation["total_cost"]


@pytest.mark.parametrize("option", ["--top=3", "--features=5"])
def test_tables_have_no_other_transitions(run, option):
    for form in ("--format=md", "--output=out.svg"):
        fails(run("model", "bank.conllu", form, option), "go with text, json and html")


def test_json_has_the_whole_derivation(run):
    data = json.loads(works(run("model", "bank.conllu", "--format=json")))
    assert data["follow"] == "model"
    (derivation,) = data["derivations"]
    assert derivation["words"] == ["ROOT", "They", "will", "build", "a", "shed", "."]
    assert derivation["tags"][1] == "PRON"
    assert derivation["treebank"]["heads"] == [3, 3, 0, 5, 3, 3]
    assert derivation["steps"][0]["stack"] == []
    assert derivation["steps"][1]["stack"] == [1]
    labels = [x["label"] for x in derivation["steps"][1]["candidates"]]
    assert len(labels) > 5


def test_output_and_packed_treebanks(run, files):
    packed = files / "bank.conllu.gz"
    packed.write_bytes(gzip.compress((files / "bank.conllu").read_bytes()))
    arguments = ("model", "bank.conllu.gz")
    assert works(run(*arguments, "--output", "out.json", "--format=json")) == ""
    written = (files / "out.json").read_text(encoding="utf-8")
    assert works(run(*arguments, "--format=json")) == written
    assert works(run("model", "bank.conllu", "--format=json")) == written
    assert works(run(*arguments, "--output", "out.txt")) == ""
    assert works(run(*arguments)) == (files / "out.txt").read_text(encoding="utf-8")


def test_a_page_is_written(run, files):
    result = run("model", "bank.conllu", "--output", "out.html")
    assert works(result) == ""
    assert re.search(r"out.html: 1 derivation, \d+ transitions\n", result.stderr)
    made = (files / "out.html").read_text(encoding="utf-8")
    data = json.loads(embedded(made))
    assert data["title"] == "one: They will build a shed."
    assert data["derivations"][0]["gold"]["heads"] == [3, 3, 0, 5, 3, 3]
    assert json.loads(works(run("model", "bank.conllu", "--format=json"))) == data


def test_a_table_is_written(run, files):
    works(run("model", "bank.conllu", "--output", "out.md"))
    made = (files / "out.md").read_text(encoding="utf-8")
    assert made.startswith(
        "|  | stack | buffer | transition | arc | cost | correct |\n"
    )
    assert works(run("model", "bank.conllu", "--format=md")) == made


def test_a_picture_is_written_and_no_unknown_format(run, files):
    works(run("model", "bank.conllu", "--output", "out.svg"))
    made = (files / "out.svg").read_text(encoding="utf-8")
    assert made.startswith("<svg ")
    assert works(run("model", "bank.conllu", "--format=svg")) == made
    result = run("model", "bank.conllu", "--output", "out.pdf")
    fails(result, "out.pdf: 'pdf' is none of", "html, md, svg")
    assert not (files / "out.pdf").exists()


@untagged
def test_mistakes_of_users_are_one_line(run):
    fails(run("model"), "INPUT", "--text")
    fails(run("model", "--text", "Rain.", "bank.conllu"), "INPUT")
    fails(run("model", "--text", " "), "no word")
    fails(run("model", "--text", "Rain.", "--sentence", "1"), "--sentence", "INPUT")
    fails(run("model", "no.conllu"), "no.conllu", "no such file")
    unknown = run("model", "bank.conllu", "--sentence", "x")
    fails(unknown, "bank.conllu", "'x'", "from 1 to 3")
    fails(run("model", "--text", "Rain.", "--follow", "oracle"), "gold tree")
    oracle = ("model", "bank.conllu", "--follow", "oracle")
    fails(run(*oracle, "--sentence", "bare"), "gold tree")
    fails(run("none", "--text", "Rain."), "cannot load", "none")
    fails(
        run("model", "--text", "Rain.", "--output", "no/out.html"), "no such directory"
    )


def test_a_pipeline_without_the_parser_is_one_clear_error(run, files):
    blank = make_nlp()
    blank.remove_pipe(NAME)
    blank.add_pipe("sentencizer")
    blank.to_disk(files / "blank")
    fails(run("blank", "--text=Rain."), "blank", "no dynoracle_parser", "sentencizer")


def test_a_pipeline_that_merges_words_is_one_clear_error(run, files):
    merging = spacy.load(files / "model")
    merging.add_pipe("test_merger", first=True)
    merging.to_disk(files / "merging")
    fails(run("merging", "bank.conllu"), "bank.conllu", "merges words")
