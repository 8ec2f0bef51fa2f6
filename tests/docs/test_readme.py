"""The code of the README and of the pages in docs runs, and their commands exist."""

import re
import shlex
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_dynoracle.cli import app
from spacy_dynoracle.treebank import read_conllu, to_doc

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").glob("*.md"))]
MODEL = Path("training", "English-Harbour", "model-last")
# What one of the blocks makes of it.
BEAM = Path("training", "English-Harbour", "beam")


def blocks(language, document=README):
    text = document.read_text(encoding="utf8")
    return re.findall(
        rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE
    )


def everywhere(language):
    return [
        pytest.param(block, id=f"{document.name}-{i}")
        for document in DOCUMENTS
        for i, block in enumerate(blocks(language, document))
    ]


def test_nothing_is_left_out():
    """Config in pages other than the README: see test_migration.py."""
    for document in DOCUMENTS:
        languages = (
            {"python", "bash", "ini"} if document == README else {"python", "diff"}
        )
        fences = re.findall("(?m)^```(.*)$", document.read_text(encoding="utf8"))
        assert set(fences[::2]) <= languages
        assert set(fences[1::2]) <= {""}
        assert len(fences) == 2 * sum(len(blocks(x, document)) for x in languages)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A directory with what the README takes for granted: the treebank, a model trained
    on some of it, and the same with a beam."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None})
    treebank = ROOT / "treebanks" / "English-Harbour"
    sentences = list(read_conllu(treebank / "dev.conllu"))
    examples = [
        spacy.training.Example(
            to_doc(sentence, nlp.vocab, tree=False), to_doc(sentence, nlp.vocab)
        )
        for sentence in sentences
    ]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    # As if it had been calibrated.
    parser = nlp.get_pipe("dynoracle_parser")
    parser.set_model(parser.model.freeze().with_temperature(50.0))
    (tmp_path / MODEL).parent.mkdir(parents=True)
    nlp.to_disk(tmp_path / MODEL)
    search = {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 4}
    beam = spacy.load(
        tmp_path / MODEL, config={"components.dynoracle_parser.search": search}
    )
    beam.to_disk(tmp_path / BEAM)
    (tmp_path / "treebanks").symlink_to(ROOT / "treebanks")
    monkeypatch.chdir(tmp_path)


def test_contents_are_the_headings():
    text = re.sub("```.*?```", "", README.read_text(encoding="utf8"), flags=re.DOTALL)
    headings = re.findall("(?m)^## (.+)$", text)
    anchors = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings]
    contents = re.findall(r"(?m)^- \[(.+)\]\(#(.+)\)$", text)
    assert contents == list(zip(headings, anchors, strict=True))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_to_files(document):
    links = re.findall(
        r"\]\((?!#|https?:)([^)#]+)", document.read_text(encoding="utf8")
    )
    assert [x for x in links if not (document.parent / x).is_file()] == []


@pytest.mark.parametrize("code", everywhere("python"))
def test_python_block_runs(code, checkout, capsys):
    exec(compile(code, "block", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        line
        for block in blocks("bash")
        for line in block.splitlines()
        # .ci/package makes en_pipeline, installs it and runs the command.
        if line.startswith("spacy-dynoracle ") and "en_pipeline" not in line
    ],
)
def test_command_runs(command, checkout):
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    assert result.stdout.strip()


def test_config_excerpt_names_every_setting():
    excerpt = blocks("ini")[0]
    config = spacy.util.load_config_from_str(
        "[system]\nseed = 1\n\n[components]\n\n" + excerpt, interpolate=True
    )
    shown = config["components"]["dynoracle_parser"]
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser")
    built = nlp.config["components"]["dynoracle_parser"]
    assert set(built) - set(shown) == {"scorer"}
    assert {k: v for k, v in built.items() if k not in ("scorer", "seed")} == {
        k: v for k, v in shown.items() if k not in ("factory", "seed")
    } | {"factory": "dynoracle_parser"}


@pytest.mark.parametrize(
    "excerpt", [b for b in blocks("ini")[1:] if "source =" not in b]
)
def test_other_config_excerpts_make_a_parser(excerpt):
    config = spacy.util.load_config_from_str(
        "[components]\n\n[components.dynoracle_parser]\n\n" + excerpt
    )
    settings = config["components"]["dynoracle_parser"]
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config=settings)
    built = nlp.config["components"]["dynoracle_parser"]
    assert all(built[block].items() >= settings[block].items() for block in settings)


def test_config_excerpt_sources_the_parser(checkout):
    (excerpt,) = [b for b in blocks("ini") if "source =" in b]
    config = spacy.util.load_config_from_str(excerpt)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert nlp("Nora found a map.").has_annotation("DEP")
    assert nlp.config["training"]["frozen_components"] == nlp.pipe_names
