"""The command `language` of the project: from a treebank to a package."""

import os
import subprocess
from contextlib import contextmanager

import pytest
import spacy
import srsly
import typer

from scripts import language, model_card, sources
from spacy_dynoracle.treebank import read_conllu
from spacy_dynoracle.treebank.files import find_splits

SENTENCE = "# sent_id = {0}\n1\tx{0}\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
LICENCE = "=== Machine-readable metadata ===\nLicense: CC BY-SA 4.0\n"


def git(directory, *arguments):
    own = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *own, *arguments], cwd=directory, check=True)


@pytest.fixture
def refused(capfd):
    """A context that must end with a message."""

    @contextmanager
    def context(message):
        with pytest.raises(typer.Exit):
            yield
        assert message in capfd.readouterr().err

    return context


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


@pytest.fixture
def fetched(bank, tmp_path):
    """Its release r1, as the command has fetched it."""
    language.fetch("UD_Toy", str(bank), "r1", tmp_path / "assets")
    return tmp_path / "assets"


@pytest.mark.parametrize("is_repository", [True, False])
def test_fetch(bank, tmp_path, is_repository, capfd):
    if not is_repository:
        (bank / ".git").rename(tmp_path / "git")
    target = tmp_path / "assets"
    known = language.fetch("UD_Toy", str(bank), "r1", target)
    assert known["licence"] == "CC BY-SA 4.0"
    assert (known["commit"] is not None) == is_repository
    assert sorted(known["files"]) == sorted(
        f.name for f in bank.glob("*.*") if f.is_file()
    )
    assert srsly.read_json(target / language.PROVENANCE) == known
    assert language.language_of(target) == "de"
    assert language.count_words(target) == 3
    # The second time nothing is copied.
    assert language.fetch("UD_Toy", str(bank), "r1", target) == known
    assert "fetched before" in capfd.readouterr().err


def test_a_file_that_has_changed(fetched, bank, refused):
    file = fetched / "de_toy-ud-dev.conllu"
    file.write_text("my own work", encoding="utf8")
    with refused("is not the file that was fetched"):
        language.fetch("UD_Toy", str(bank), "r1", fetched)
    assert file.read_text(encoding="utf8") == "my own work"


@pytest.mark.parametrize("release", ["r1", "r2"])
def test_a_directory_of_something_else_stays(bank, tmp_path, release, refused):
    git(bank, "tag", "r2")
    target = tmp_path / "assets"
    target.mkdir()
    (target / "train.conllu").write_text("my own work", encoding="utf8")
    with refused("was not fetched by this command"):
        language.fetch("UD_Toy", str(bank), release, target)
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


def list_files(directory):
    return {x.name: x.read_bytes() for x in directory.iterdir() if x.is_file()}


@pytest.mark.parametrize("own", ["notes.txt", "my-ud-extra.conllu", ".hidden", "a/b"])
def test_another_release_leaves_own_files(fetched, bank, own, refused):
    git(bank, "tag", "r2")
    (fetched / own).parent.mkdir(exist_ok=True)
    (fetched / own).write_text("my own work", encoding="utf8")
    before = list_files(fetched)
    with refused(f"{own} was not fetched"):
        language.fetch("UD_Toy", str(bank), "r2", fetched)
    assert list_files(fetched) == before
    # The release that is there can still be used.
    assert language.fetch("UD_Toy", str(bank), "r1", fetched)["release"] == "r1"


@pytest.mark.parametrize(
    "step", ["copytree", "sha256", "write_json", "leave_own_files"]
)
def test_an_interrupted_fetch(bank, tmp_path, monkeypatch, step):
    """What is there stays, and the next fetch ends as if nothing had happened."""
    (bank / ".git").rename(tmp_path / "git")
    target, other = tmp_path / "assets", tmp_path / "other"
    language.fetch("UD_Toy", str(bank), "r1", target)
    before = list_files(target)
    (bank / "de_toy-ud-dev.conllu").write_text(SENTENCE.format("new"), "utf8")

    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    modules = {"copytree": language.shutil, "write_json": language.srsly}
    original = language.sha256
    if step == "sha256":
        # Not while the files of before are checked.
        monkeypatch.setattr(
            language, step, lambda x: interrupt() if "new" in x.parts else original(x)
        )
    else:
        monkeypatch.setattr(modules.get(step, language), step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        language.fetch("UD_Toy", str(bank), "r1", target)
    monkeypatch.undo()
    assert list_files(target) == before
    language.fetch("UD_Toy", str(bank), "r1", target)
    language.fetch("UD_Toy", str(bank), "r1", other)
    assert list_files(target) == list_files(other) != before
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 1}'])
def test_a_damaged_note(fetched, bank, text, refused):
    (fetched / language.PROVENANCE).write_text(text, encoding="utf8")
    with refused("is damaged"):
        language.fetch("UD_Toy", str(bank), "r1", fetched)


@pytest.mark.parametrize("file", ["README.md", "train.conllu"])
def test_every_fetched_file_is_checked(tmp_path, file, refused):
    """Those that a treebank in one file was divided into, too."""
    source, target = one_file(tmp_path, 25), tmp_path / "assets"
    language.fetch("UD_Toy", str(source), "r1", target)
    (target / file).write_text("damaged", encoding="utf8")
    with refused(f"{file} is not the file that was fetched"):
        language.fetch("UD_Toy", str(source), "r1", target)


def one_file(directory, n_sentences, name="xx_one-ud-test.conllu", between=""):
    source = directory / "a source"
    source.mkdir()
    text = between.join(SENTENCE.format(i) for i in range(n_sentences))
    (source / name).write_text(text, encoding="utf8")
    (source / "README.md").write_text(LICENCE, encoding="utf8")
    return source


@pytest.mark.parametrize(
    ("name", "between"),
    [
        ("xx_one-ud-test.conllu", ""),
        ("xx_one-ud-train.conllu", ""),
        ("all.conllu", "\n"),
        ("all.conllu", " \n"),
    ],
)
def test_a_treebank_in_one_file(tmp_path, name, between):
    source = one_file(tmp_path, 25, name, between)
    target = tmp_path / "assets"
    language.fetch("UD_One", str(source), "r1", target)
    parts = {
        split: [s.forms[0] for s in read_conllu(path)]
        for split, path in find_splits(target).items()
    }
    assert [len(part) for part in parts.values()] == [21, 2, 2]
    forms = [form for part in parts.values() for form in part]
    assert sorted(forms) == sorted(f"x{i}" for i in range(25))
    # The files that it is divided into have names without a language.
    assert language.language_of(target) == ("xx" if name.startswith("xx") else None)


def test_a_file_with_too_few_sentences(tmp_path, refused):
    source, target = one_file(tmp_path, 9), tmp_path / "assets"
    with refused("expected 10 sentences or more"):
        language.fetch("UD_One", str(source), "r1", target)
    assert not target.exists()


def test_a_treebank_without_a_split(bank, refused):
    (bank / "de_toy-ud-dev.conllu").unlink()
    with refused("bank: no file for dev"):
        language.divide(bank, "bank")


@pytest.mark.parametrize(
    "settings",
    [
        {"treebank": "UD_My Bank"},
        {"treebank": "../UD_Toy"},
        {"name": "my name"},
        {"name": "my-name"},
        {"version": "one"},
        {"config": "best"},
    ],
)
def test_settings_that_cannot_be(settings, refused):
    with refused(f"{next(iter(settings))} = "):
        language.main(**{"treebank": "UD_Toy", "name": "x", "version": "1"} | settings)


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("License: CC BY-SA 4.0", "CC BY-SA 4.0"),
        ("License: CC BY-NC-SA 3.0", "CC BY-NC-SA 3.0"),
        ("Licence: LGPL-LR (Lesser General ...)", "LGPL-LR"),
        ("under the License Attribution-ShareAlike 4.0", "Attribution-ShareAlike 4.0"),
        ("License: GPL 3.0", "GPL 3.0"),
        ("License: LGPLLR", "LGPLLR"),
        ("license CreativeCommons BY-NC-SA 3.0", "CreativeCommons BY-NC-SA 3.0"),
        ("a CC BY 4.0 licence\nLicense: CC BY-NC-SA 4.0", "CC BY-NC-SA 4.0"),
        (
            "License: Attribution Non-Commercial Share-Alike 4.0",
            "Attribution Non-Commercial Share-Alike 4.0",
        ),
        ("Some licence with Attribution", "unknown"),
        ("License: Attribution (CC BY-NC 4.0)", "CC BY-NC 4.0"),
        ("License: CC BY-SA-NC 4.0", "CC BY-SA-NC 4.0"),
        ("Licence Attribution-NoDerivs 3.0", "Attribution-NoDerivs 3.0"),
        ("nothing", "unknown"),
    ],
)
def test_licences(tmp_path, text, licence):
    (tmp_path / "LICENSE.txt").write_text(text, encoding="utf8")
    assert language.licence_of(tmp_path) == licence


def test_sources(fetched, tmp_path):
    """The address in a README, that of a release of UD, and what was noted."""
    addresses = {
        "Source: https://example.org/toy.": "https://example.org/toy",
        "- Source: github.com/a/b, r2": "https://github.com/a/b",
        "Source: <http://x.org:80/a?id=3>": "http://x.org:80/a?id=3",
        f"Source: e.g. and/or\n{LICENCE}": sources.GITHUB.format("UD_Toy"),
        "a link to https://example.org/toy": "",
    }
    for text, address in addresses.items():
        (tmp_path / "README.md").write_text(text, encoding="utf8")
        assert sources.source_of("UD_Toy", tmp_path)["source"] == address
    assert sources.source_of("x", fetched) == language.fetched_before(fetched)


def test_a_language_that_needs_more(capfd):
    assert language.usable_language("de") == "de"
    assert language.usable_language("qqq") == "xx"
    assert "no tokenizer for 'qqq'" in capfd.readouterr().err


def test_the_scores_are_told_at_the_end(bank, tmp_path, monkeypatch, capfd):
    """Below what the steps print."""
    (bank / ".git").rename(tmp_path / "git")
    steps = []

    def run(step, _overrides):
        steps.append(step)
        path = tmp_path / "metrics" / "UD_Toy-accurate-text.json"
        path.parent.mkdir(exist_ok=True)
        srsly.write_json(path, {"scores": {"LAS": {"f1": 0.5}}})

    monkeypatch.setattr(language, "ROOT", tmp_path)
    monkeypatch.setattr(language, "run_step", run)
    monkeypatch.setattr(language.metadata, "distributions", lambda name: iter([name]))
    settings = {"lang": "", "config": "accurate", "epochs": 1, "name": "x"}
    language.main("UD_Toy", source=str(bank), release="r1", version="1", **settings)
    assert steps[0] == "prepare"
    assert steps[1:] == [f"{step}-accurate" for step in language.STEPS[1:]]
    assert "| LAS | 50.00 | - |" in capfd.readouterr().err


@pytest.mark.heavy
def test_the_card(fetched, tmp_path):
    pipeline = tmp_path / "pipeline"
    spacy.blank("de").to_disk(pipeline)
    (fetched / "LICENSE.txt").write_text("the licence", encoding="utf8")
    srsly.write_json(tmp_path / "UD_Toy-text.json", {"scores": {"LAS": {"f1": 0.5}}})
    settings = {"metrics": tmp_path, "suffix": "", "package": "ud"}
    model_card.main(pipeline, ["UD_Toy"], source=fetched / "source.json", **settings)
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
    # The pipeline is newer than these scores, which are of one that was there before.
    scores = {"scores": {"LAS": {"f1": 0.5}}, "model": str(pipeline)}
    srsly.write_json(tmp_path / "UD_Toy-text.json", scores)
    os.utime(tmp_path / "UD_Toy-text.json", (0, 0))
    model_card.main(pipeline, ["UD_Toy"], source=None, **settings)
    assert "| LAS | - | - |" in (pipeline / "README.md").read_text(encoding="utf8")


def test_the_card_of_several_test_sets_and_seeds(tmp_path, monkeypatch):
    """It loads the pipeline once before the loads that it times."""
    loaded = []
    load = spacy.load
    monkeypatch.setattr(spacy, "load", lambda x: loaded.append(x) or load(x))
    # The median is the number of loads before.
    monkeypatch.setattr(model_card, "repeat", lambda *_, **__: [len(loaded), 9, 0])
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
    assert "| loading | 1.00 s," in card
    assert "1,234 words a second from text, that of the test set of A," in card
    assert "- tagger, 1 labels: NN" in card


@pytest.mark.parametrize("missing", [{"build", "wheel"}, {"scipy"}])
def test_what_the_steps_need_is_told_before_training(monkeypatch, missing, refused):
    monkeypatch.setattr(
        language.metadata,
        "distributions",
        lambda name: iter(() if name in missing else (name,)),
    )
    with refused(f"pip install {min(missing)}"):
        language.main("UD_Toy", config="fast", name="x", version="1")


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        (SystemExit(-9), "the step train ended with code -9"),
        (KeyboardInterrupt(), "the step train was interrupted"),
    ],
)
def test_a_step_that_is_killed_is_told(monkeypatch, stop, message, refused):
    def end(*_, **__):
        raise stop

    monkeypatch.setattr(language, "project_run", end)
    with refused(f"{message}: the same command begins with this step"):
        language.run_step("train", {})
