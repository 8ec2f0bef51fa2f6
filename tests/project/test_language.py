"""The command `language` of the project: from a treebank to a package."""

import subprocess

import pytest
import spacy
import srsly
import typer

from scripts import language, model_card
from spacy_dynoracle.treebank import read_conllu
from spacy_dynoracle.treebank.files import find_splits

SENTENCE = "# sent_id = {0}\n1\tx{0}\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
LICENCE = "=== Machine-readable metadata ===\nLicense: CC BY-SA 4.0\n"


def git(directory, *arguments):
    own = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *own, *arguments], cwd=directory, check=True)


@pytest.fixture
def bank(tmp_path):
    """A repository with a treebank, as on GitHub."""
    directory = tmp_path / "bank"
    directory.mkdir()
    for n, split in enumerate(("train", "dev", "test")):
        text = "".join(SENTENCE.format(f"{split}{i}") for i in range(3 + n))
        (directory / f"de_toy-ud-{split}.conllu").write_text(text, encoding="utf8")
    (directory / "README.md").write_text(f"# Toy\n\n{LICENCE}", encoding="utf8")
    git(directory, "init", "--quiet", ".")
    git(directory, "add", "-A")
    git(directory, "commit", "--quiet", "-m", "release")
    git(directory, "tag", "r1")
    return directory


@pytest.mark.parametrize("is_repository", [True, False])
def test_fetch(bank, tmp_path, is_repository, capfd):
    if not is_repository:
        (bank / ".git").rename(tmp_path / "git")
    target = tmp_path / "assets"
    known = language.fetch("UD_Toy", str(bank), "r1", target)
    assert known["licence"] == "CC BY-SA 4.0"
    assert (known["commit"] is not None) == is_repository
    assert sorted(known["files"]) == sorted(f.name for f in bank.glob("*.conllu"))
    assert srsly.read_json(target / language.PROVENANCE) == known
    assert language.language_of(target) == "de"
    assert language.count_words(target) == 3
    # The second time nothing is copied.
    assert language.fetch("UD_Toy", str(bank), "r1", target) == known
    assert "fetched before" in capfd.readouterr().err


def test_a_file_that_has_changed(bank, tmp_path, capfd):
    target = tmp_path / "assets"
    language.fetch("UD_Toy", str(bank), "r1", target)
    file = target / "de_toy-ud-dev.conllu"
    file.write_text("my own work", encoding="utf8")
    with pytest.raises(typer.Exit):
        language.fetch("UD_Toy", str(bank), "r1", target)
    assert "is not the file that was fetched" in capfd.readouterr().err
    assert file.read_text(encoding="utf8") == "my own work"


@pytest.mark.parametrize("release", ["r1", "r2"])
def test_a_directory_of_something_else_stays(bank, tmp_path, release, capfd):
    git(bank, "tag", "r2")
    target = tmp_path / "assets"
    target.mkdir()
    (target / "train.conllu").write_text("my own work", encoding="utf8")
    with pytest.raises(typer.Exit):
        language.fetch("UD_Toy", str(bank), release, target)
    assert "was not fetched by this command" in capfd.readouterr().err
    assert (target / "train.conllu").read_text(encoding="utf8") == "my own work"


def test_another_release_replaces_it(bank, tmp_path):
    target = tmp_path / "assets"
    first = language.fetch("UD_Toy", str(bank), "r1", target)
    (bank / "new.conllu").write_text(SENTENCE.format("new"), encoding="utf8")
    git(bank, "add", "-A")
    git(bank, "commit", "--quiet", "-m", "more")
    git(bank, "tag", "r2")
    second = language.fetch("UD_Toy", str(bank), "r2", target)
    assert second["commit"] != first["commit"]
    assert "new.conllu" in second["files"]


@pytest.mark.parametrize("source", ["bank", "none", "empty"])
def test_what_cannot_be_fetched(bank, tmp_path, source, capfd):
    (tmp_path / "empty").mkdir()
    target = tmp_path / "assets"
    with pytest.raises(typer.Exit):
        language.fetch("UD_Toy", str(tmp_path / source), "r99", target)
    assert capfd.readouterr().err.startswith("Error: ")
    assert not target.exists()


def test_a_treebank_in_one_file(tmp_path):
    text = "".join(SENTENCE.format(i) for i in range(25))
    (tmp_path / "xx_one-ud-test.conllu").write_text(text, encoding="utf8")
    language.divide(tmp_path, ["xx_one-ud-test.conllu"])
    parts = {
        split: [s.forms[0] for s in read_conllu(path)]
        for split, path in find_splits(tmp_path).items()
    }
    assert [len(part) for part in parts.values()] == [21, 2, 2]
    forms = [form for part in parts.values() for form in part]
    assert sorted(forms) == sorted(f"x{i}" for i in range(25))


def test_a_treebank_without_a_split(bank, tmp_path, capfd):
    (bank / "de_toy-ud-dev.conllu").unlink()
    with pytest.raises(typer.Exit):
        language.divide(bank, [f.name for f in bank.glob("*.conllu")])
    assert "no file for dev" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("License: CC BY-SA 4.0", "CC BY-SA 4.0"),
        ("License: CC BY-NC-SA 3.0", "CC BY-NC-SA 3.0"),
        ("Licence: LGPL-LR (Lesser General ...)", "LGPL-LR"),
        ("under the License Attribution-ShareAlike 4.0", "Attribution-ShareAlike 4.0"),
        ("License: GPL 3.0", "GPL 3.0"),
        ("nothing", "unknown"),
    ],
)
def test_licences(tmp_path, text, licence):
    (tmp_path / "LICENSE.txt").write_text(text, encoding="utf8")
    assert language.licence_of(tmp_path) == licence


def test_a_language_that_needs_more(capfd):
    assert language.usable_language("de") == "de"
    assert language.usable_language("qqq") == "xx"
    assert "no tokenizer for 'qqq'" in capfd.readouterr().err


def test_the_card(tmp_path, bank):
    pipeline = tmp_path / "pipeline"
    spacy.blank("de").to_disk(pipeline)
    target = tmp_path / "assets"
    language.fetch("UD_Toy", str(bank), "r1", target)
    (target / "LICENSE.txt").write_text("the licence", encoding="utf8")
    srsly.write_json(tmp_path / "UD_Toy-text.json", {"scores": {"LAS": {"f1": 0.5}}})
    settings = {"metrics": tmp_path, "suffix": "", "package": "ud"}
    model_card.main(pipeline, ["UD_Toy"], source=target / "source.json", **settings)
    card = (pipeline / "README.md").read_text(encoding="utf8")
    assert "# de_ud" in card
    assert "| LAS | 50.00 | - |" in card
    assert "One seed" in card
    assert "CC BY-SA 4.0" in card
    assert (pipeline / "LICENSE").read_text(encoding="utf8") == "the licence"
    meta = srsly.read_json(pipeline / "meta.json")
    assert meta["license"] == "CC BY-SA 4.0"
    assert meta["sources"][0]["name"].startswith("UD_Toy r1, commit ")
    assert spacy.load(pipeline).lang == "de"


def test_the_card_of_several_test_sets_and_seeds(tmp_path):
    pipeline = tmp_path / "pipeline"
    nlp = spacy.blank("de")
    nlp.add_pipe("tagger").add_label("NN")
    nlp.initialize()
    nlp.to_disk(pipeline)
    for seed, las in (("", 0.5), ("seed-2", 0.75)):
        (tmp_path / seed).mkdir(exist_ok=True)
        for name in ("A", "B"):
            metrics = {"scores": {"LAS": {"f1": las}}, "words_per_second": 1234.5}
            srsly.write_json(tmp_path / seed / f"{name}-text.json", metrics)
    arcs = {"calibration": {"labelled arcs": {"error": 0.0123}}}
    srsly.write_json(tmp_path / "calibration.json", arcs)
    settings = {"metrics": tmp_path, "suffix": "", "source": None, "package": "ud"}
    model_card.main(pipeline, ["A", "B"], **settings)
    card = (pipeline / "README.md").read_text(encoding="utf8")
    assert "| LAS | 50.00 | - | 50.00 | - |" in card
    assert "text of B with 2 seeds: 62.50 on average, 50.00 to 75.00" in card
    assert "off by 1.2 points" in card
    assert "1,234 words a second" in card
    assert "- tagger, 1 labels: NN" in card
