"""From the name of a treebank of Universal Dependencies to an installable pipeline.

    python scripts/language.py UD_German-GSD

fetches a release, tells its licence, its size and how long training will take, then
runs the steps of project.yml: prepare, train, calibrate, evaluate and package, and
prints the scores. Each step that is done is left out the next time, so an interrupted
run goes on.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import time
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, NoReturn

import spacy
import srsly
import typer
from rich.console import Console
from spacy.cli.project.run import project_run

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.treebank import read_conllu
from spacy_dynoracle.treebank.files import SPLITS, SUFFIXES, find_splits
from spacy_dynoracle.util.texts import counted

if __package__:
    from .model_card import score_table
    from .sources import GITHUB, PROVENANCE, licence_of
else:
    from model_card import score_table
    from sources import GITHUB, PROVENANCE, licence_of

ROOT = Path(__file__).resolve().parent.parent
STEPS = ("prepare", "train", "calibrate", "evaluate", "package")
# How long the steps took, in seconds, behind the name of the treebank.
TIMES = "-times.json"
# Sentences of a treebank in one file: of each ten the ninth is for dev, the last for
# test.
TENTH = 10
# CPU microseconds for a word in an epoch, and for a word of the tags of all folds.
COST = {"fast": (170, 1500), "accurate": (720, 2500)}
# Languages whose tokenizer in spaCy needs another package.
NEEDS = {
    "ja": "sudachipy sudachidict_core",
    "ko": "natto-py and mecab-ko",
    "th": "pythainlp",
    "vi": "pyvi",
}
AGAIN = "the same command begins with this step, from its beginning"
console = Console(stderr=True, highlight=False, soft_wrap=True)


def fail(message: str) -> NoReturn:
    """Print an error and stop."""
    console.print(f"Error: {message}", style="red", markup=False)
    raise typer.Exit(1)


# ---- the treebank --------------------------------------------------------------------


def fetch(name: str, source: str, release: str, target: Path) -> dict[str, Any]:
    """Copy a treebank from a git repository or a directory, unless it is there.

    Returns:
        Where it is from, with the hash of each file.
    """
    known = fetched_before(target) if target.exists() else None
    # The release of a directory is unknown.
    noted = ((release, source), (None, source))
    is_same = known and (known["release"], known["source"]) in noted
    is_plain = Path(source).is_dir() and not is_repository(Path(source))
    unchanged = f"{name}: fetched before, its files are unchanged"
    # The files of a directory may have changed since; a release does not.
    if known and is_same and not is_plain:
        console.print(unchanged)
        return known
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    found = copy(name, source, release, part / "new")
    if found == known:
        console.print(unchanged)
    else:
        if known:
            leave_own_files(target, known)
            target.rename(part / "old")
        (part / "new").rename(target)
    shutil.rmtree(part)
    return found


def copy(name: str, source: str, release: str, work: Path) -> dict[str, Any]:
    """Copy a treebank into a new directory, with a note of where it is from."""
    commit = None
    directory = Path(source)
    if directory.is_dir() and not is_repository(directory):
        try:
            shutil.copytree(directory, work, ignore=shutil.ignore_patterns(".*"))
        except OSError as error:
            fail(f"{source} cannot be copied: {error}")
    else:
        clone = ["clone", "--quiet", "--depth", "1", "--branch", release]
        url = directory.absolute().as_uri() if directory.is_dir() else source
        git(*clone, url, str(work))
        commit = git("-C", str(work), "rev-parse", "HEAD")
        shutil.rmtree(work / ".git")
    divide(work, source)
    known = {
        "name": name,
        "source": source,
        # That of a directory is unknown.
        "release": release if commit else None,
        "commit": commit,
        "licence": licence_of(work),
        "files": {file: sha256(work / file) for file in files_of(work)},
    }
    srsly.write_json(work / PROVENANCE, known)
    return known


def files_of(directory: Path) -> list[str]:
    """The files of a fetched treebank, without the note of where it is from."""
    paths = (x.relative_to(directory) for x in directory.rglob("*") if not x.is_dir())
    return sorted(x.as_posix() for x in paths if x.as_posix() != PROVENANCE)


def leave_own_files(target: Path, known: dict[str, Any]) -> None:
    """Stop if a directory that is to be replaced has files that were not fetched."""
    own = sorted(set(files_of(target)) - set(known["files"]))
    if own:
        fail(
            f"{target / own[0]} was not fetched by this command, and another release "
            f"is to replace {target}: move it elsewhere"
        )


def fetched_before(target: Path) -> dict[str, Any]:
    """What was noted of a treebank that was fetched before.

    A directory with anything else is left alone: its files may be somebody's work.
    """
    note = target / PROVENANCE
    if not note.is_file():
        fail(f"{target} was not fetched by this command: rename it, or remove it")
    try:
        known: dict[str, Any] = srsly.read_json(note)
        files = known["files"].items()
        known["release"], known["source"]
    except (AttributeError, KeyError, TypeError, ValueError):
        fail(f"{note} is damaged: remove {target} to fetch the treebank again")
    for file, digest in files:
        if not (target / file).is_file() or sha256(target / file) != digest:
            fail(
                f"{target / file} is not the file that was fetched: restore it, or "
                f"remove {target} to fetch the treebank again"
            )
    return known


def is_repository(directory: Path) -> bool:
    """Whether a directory is a git repository, bare or not."""
    return (directory / ".git").exists() or (directory / "HEAD").is_file()


def git(*arguments: str) -> str:
    """What git prints."""
    try:
        found = subprocess.run(
            ["git", *arguments], check=True, capture_output=True, text=True
        )
    except FileNotFoundError:
        fail("git is not installed")
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["it failed"]
        missing = "not found in upstream" in lines[-1]
        advice = "; --vars.release names a tag that it has" if missing else ""
        fail(f"git {arguments[0]}: {lines[-1]}{advice}")
    return found.stdout.strip()


def sha256(path: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def language_of(directory: Path) -> str | None:
    """The code of the language, as files of a release begin with it."""
    for path in sorted(directory.iterdir()):
        found = re.match(r"([a-z]{2,3})_\w+-ud-", path.name)
        if found:
            return found.group(1)
    return None


def divide(directory: Path, source: str) -> None:
    """Divide a treebank in one file into train, dev and test, if it is in one file.

    Args:
        source: Where its files are from.
    """
    try:
        splits = find_splits(directory)
    except TreebankError as error:
        fail(str(error))
    if set(splits) >= set(SPLITS):
        return
    files = sorted(x for x in directory.iterdir() if x.suffix in SUFFIXES)
    if len(files) != 1:
        missing = ", ".join(sorted(set(SPLITS) - set(splits)))
        wrong = f"no file for {missing}" if files else "no .conllu or .conll file"
        fail(
            f"{source}: {wrong}: give a treebank with train, dev and test, or one with "
            f"a single file"
        )
    blocks = re.split(r"\n\s*\n", files[0].read_text("utf8", errors="surrogateescape"))
    sentences = [block.strip("\n") for block in blocks if block.strip()]
    if len(sentences) < TENTH:
        fail(f"{source}/{files[0].name}: expected {TENTH} sentences or more")
    parts: dict[str, list[str]] = {split: [] for split in SPLITS}
    for number, sentence in enumerate(sentences):
        place = number % TENTH
        split = {TENTH - 2: "dev", TENTH - 1: "test"}.get(place, "train")
        parts[split].append(sentence)
    for split, part in parts.items():
        text = "".join(f"{sentence}\n\n" for sentence in part)
        path = directory / f"{split}{files[0].suffix}"
        path.write_text(text, "utf8", errors="surrogateescape")
    console.print(
        f"{files[0].name} is the only file: of ten sentences eight are for train, one "
        f"for dev and one for test"
    )


def count_words(directory: Path) -> int:
    """The number of words to train on."""
    try:
        sentences = read_conllu(find_splits(directory)["train"])
        return sum(len(sentence.words) for sentence in sentences)
    except TreebankError as error:
        fail(str(error))


# ---- the pipeline --------------------------------------------------------------------


def usable_language(lang: str) -> str:
    """The language, or "xx" where its tokenizer cannot be used."""
    try:
        spacy.blank(lang)
    except (ImportError, OSError, ValueError) as error:
        needs = NEEDS.get(lang)
        advice = f"install {needs}" if needs else "that is a language of spaCy's"
        console.print(
            f"Warning: spaCy has no tokenizer for {lang!r} here ({type(error).__name__}"
            f"): {advice}, or the pipeline has the rules of no language (xx)",
            style="yellow",
            markup=False,
        )
        return "xx"
    return lang


def tell(known: dict[str, Any], n_words: int, config: str, epochs: int) -> None:
    """Say what is about to happen."""
    licence = known["licence"]
    epoch, folds = COST[config]
    minutes = n_words * (epochs * epoch + folds) / 6e7
    console.print(
        f"{known['name']}: {n_words:,} words to train on, licence {licence}; about "
        f"{counted(max(round(minutes), 1), 'minute')} on one core"
    )
    if re.search("NC|Non[ -]?Commercial", licence, re.IGNORECASE):
        console.print("A pipeline of it may not be used commercially.", style="yellow")
    if licence == "unknown":
        console.print(
            "Read its licence before you give a pipeline away.", style="yellow"
        )


def run_step(step: str, overrides: dict[str, Any]) -> None:
    """Run a step of project.yml, and stop if it does not end well."""
    try:
        # The package has licence and scores, too, of which project.yml does not know.
        project_run(ROOT, step, overrides=overrides, force=step.startswith("package"))
    except KeyboardInterrupt:
        fail(f"the step {step} was interrupted: {AGAIN}")
    # A process that was killed, as where memory is short, has said nothing.
    except SystemExit as error:
        fail(f"the step {step} ended with code {error.code}: {AGAIN}")


def note_time(treebank: str, step: str, seconds: float) -> None:
    """Note how long a step took, unless it had been done before."""
    path = ROOT / "metrics" / f"{treebank}{TIMES}"
    path.parent.mkdir(exist_ok=True)
    times = srsly.read_json(path) if path.is_file() else {}
    # To see that a step is done takes less than a second.
    if seconds > 1 or step not in times:
        srsly.write_json(path, times | {step: seconds})


def check_settings(treebank: str, config: str, name: str, version: str) -> None:
    """Stop before training if a later step would fail."""
    if config not in COST:
        fail(f"config = {config}: expected fast or accurate")
    if not re.fullmatch(r"[\w.-]+", treebank):
        fail(f"treebank = {treebank!r}: expected letters, digits, '_', '-' and '.'")
    if not re.fullmatch(r"[a-z0-9_]+", name):
        fail(f"name = {name!r}: expected small letters, digits and '_'")
    if not re.fullmatch(r"\d+(\.\d+)*((a|b|rc|\.dev|\.post)\d+)?", version):
        fail(f"version = {version!r}: expected a version such as 1.0.0")
    if not any(any(metadata.distributions(name=x)) for x in ("build", "wheel")):
        fail("the last step makes a package: pip install build")
    if not any(metadata.distributions(name="scipy")):
        fail("the step calibrate needs SciPy: pip install scipy")


def main(
    treebank: Annotated[str, typer.Argument(help="Name, such as UD_German-GSD.")],
    source: Annotated[
        str,
        typer.Option(help="A git repository or a directory. Default: on GitHub."),
    ] = "",
    release: Annotated[str, typer.Option(help="Tag of the release.")] = "r2.16",
    lang: Annotated[
        str, typer.Option(help="Language. Default: as its files are named.")
    ] = "",
    config: Annotated[str, typer.Option(help="fast or accurate.")] = "fast",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs.")] = 15,
    name: Annotated[str, typer.Option(help="Name of the package.")] = "dynoracle_ud",
    version: Annotated[str, typer.Option(help="Version of the package.")] = "0.0.0",
) -> None:
    """Fetch a treebank, train a pipeline on it, evaluate it, and package it."""
    check_settings(treebank, config, name, version)
    directory = ROOT / "assets" / treebank
    directory.parent.mkdir(exist_ok=True)
    known = fetch(treebank, source or GITHUB.format(treebank), release, directory)
    code = lang or language_of(directory)
    if not code:
        fail(
            f"the names of its files do not tell the language of {treebank}: say "
            f"--vars.code CODE, such as de"
        )
    lang = usable_language(code)
    tell(known, count_words(directory), config, epochs)
    overrides = {
        "vars.treebanks": "assets",
        "vars.treebank": treebank,
        "vars.lang": lang,
        "vars.epochs": epochs,
        "vars.package": name,
        "vars.version": version,
    }
    for step in STEPS:
        if config == "accurate" and step != "prepare":
            step = f"{step}-accurate"
        start = time.perf_counter()
        run_step(step, overrides)
        note_time(treebank, step, time.perf_counter() - start)
    suffix = "_accurate" if config == "accurate" else ""
    wheels = ROOT / "packages" / f"{lang}_{name}{suffix}-{version}" / "dist"
    console.print(score_table([treebank], ROOT / "metrics", suffix.replace("_", "-")))
    for wheel in sorted(wheels.glob("*.whl")):
        console.print(f"pip install {wheel.relative_to(ROOT)}")


if __name__ == "__main__":
    typer.run(main)
