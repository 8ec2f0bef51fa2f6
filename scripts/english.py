"""Make the English pipeline of `models`.

    python scripts/english.py /path/to/treebanks

trains on UD_English-EWT and UD_English-GUM10 together, calibrates, evaluates on both
test sets, and writes the package with its card. Each step that is done is left out the
next time, so an interrupted run goes on. `--check` makes the pipeline again, in
an empty directory, and compares it with the package, byte by byte. Word clusters are
those of spacy-lookups-data, which must be installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import Distribution
from pathlib import Path
from typing import Annotated

import srsly
import typer
from rich.console import Console
from spacy.cli.project.run import project_run

if __package__:
    from .harmonise import harmonise
else:
    from harmonise import harmonise

ROOT = Path(__file__).resolve().parent.parent
EWT, GUM = "UD_English-EWT", "UD_English-GUM10"
NAME, PACKAGE = "English", "dynoracle_ud"
AUTHOR = "the spacy_dynoracle developers"
MODEL = ROOT / "models" / f"en_{PACKAGE}"
# A third of the clusters know nearly all of the words. Small weights and rare features
# are much of the file and bring next to nothing. Each score during the training takes
# seconds.
SETTINGS = " ".join(
    (
        "--components.dynoracle_senter.learner.prune 0.01",
        "--components.dynoracle_senter.learner.min_updates 27",
        "--components.dynoracle_tagger.learner.prune 0.0275",
        "--components.dynoracle_tagger.learner.min_updates 30",
        "--components.dynoracle_lemmatizer.learner.min_updates 8",
        "--components.dynoracle_parser.learner.prune 0.015",
        "--components.dynoracle_parser.learner.min_updates 24",
        "--initialize.lookups.n_words 35000",
        "--training.eval_frequency 2000",
    )
)
CLUSTERS = "en"
# The word clusters are taken from it.
LOOKUPS = "spacy-lookups-data"
SOURCES = [
    {
        "name": EWT,
        "release": "r2.16",
        "commit": "4c89b5833a70aa5ed3a00bad2f23f57992cc7df8",
        "source": f"https://github.com/UniversalDependencies/{EWT}",
        "licence": "CC BY-SA 4.0",
        "author": "Universal Dependencies contributors (Silveira et al. 2014)",
    },
    {
        "name": GUM,
        "release": "ten genres whose licences allow it",
        "commit": "72ce5ac14978a324c2fd18d49484e65292cbe316",
        "source": "https://github.com/amir-zeldes/gum",
        "licence": "CC BY 4.0, texts CC BY or CC BY-SA",
        "author": "the GUM contributors (Zeldes 2017)",
    },
    {
        "name": f"word clusters of {LOOKUPS}",
        "source": f"https://github.com/explosion/{LOOKUPS}",
        "licence": "MIT",
        "author": "Explosion",
    },
]
# These tell the version, and the speed of the machine.
DIFFERENT = ("README.md", "meta.json")
console = Console(stderr=True, highlight=False, soft_wrap=True)


def merge(treebanks: Path, target: Path) -> None:
    """Write both treebanks as one, with the features of EWT, and their sources."""
    target.mkdir(parents=True, exist_ok=True)
    reference = (treebanks / EWT / "train.conllu").read_text("utf8")
    for split in ("train", "dev"):
        ewt = (treebanks / EWT / f"{split}.conllu").read_text("utf8")
        gum = (treebanks / GUM / f"{split}.conllu").read_text("utf8")
        text = ewt.rstrip("\n") + "\n\n" + harmonise(gum, reference)
        (target / f"{split}.conllu").write_text(text, "utf8")
    shutil.copyfile(treebanks / EWT / "test.conllu", target / "test.conllu")
    srsly.write_json(target / "source.json", SOURCES)
    licences = [
        f"# {name}\n\n{(treebanks / name / 'LICENSE.txt').read_text('utf8')}"
        for name in (EWT, GUM)
    ]
    licences.append(f"# {LOOKUPS} (word clusters)\n\n{licence_of(LOOKUPS)}")
    (target / "LICENSE").write_text("\n".join(licences), "utf8")


def licence_of(distribution: str) -> str:
    """The text of the licence of an installed distribution.

    Raises:
        PackageNotFoundError: If it is not installed.
        FileNotFoundError: If it has no licence.
    """
    for name in ("LICENSE", "licenses/LICENSE"):
        if text := Distribution.from_name(distribution).read_text(name):
            return text
    raise FileNotFoundError(f"{distribution}: the distribution has no LICENSE")


def run(*arguments: str | Path) -> str:
    """What a command of this environment prints."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def evaluate(pipeline: Path, treebanks: Path, metrics: Path) -> None:
    """Write the scores on both test sets, and how good the probabilities are."""
    metrics.mkdir(parents=True, exist_ok=True)
    for name in (EWT, GUM):
        gold = treebanks / name / "test.conllu"
        for start, suffix in (("text", "-text"), ("words", "")):
            command = ["-m", "spacy_dynoracle", "evaluate", pipeline, gold]
            output = metrics / f"{name}{suffix}.json"
            run(*command, "--from", start, "--output", output)
    measured = run(
        *["-m", "spacy_dynoracle", "calibrate", pipeline],
        *[treebanks / EWT / "test.conllu", "--from", "words", "--format", "json"],
    )
    (metrics / "calibration.json").write_text(measured, "utf8")


def train(name: str, seed: int, epochs: int, work: Path) -> Path:
    """The directory of a trained and calibrated pipeline.

    Args:
        work: The directory of the project, where the files of the steps are.
    """
    overrides = {
        "vars.treebanks": "assets",
        "vars.treebank": name,
        "vars.lang": "en",
        "vars.seed": seed,
        "vars.epochs": epochs,
        "vars.clusters": CLUSTERS,
        "vars.settings": SETTINGS,
    }
    for step in ("prepare", "train", "calibrate"):
        project_run(work, step, overrides=overrides)
    return work / "training" / name / "pipeline"


def package(pipeline: Path, work: Path, version: str, target: Path) -> None:
    """Write the package of a pipeline to a directory."""
    packaged = pipeline.with_name("packaged")
    shutil.rmtree(packaged, ignore_errors=True)
    run("scripts/for_package.py", pipeline, packaged)
    card = ["scripts/model_card.py", packaged, EWT, GUM]
    source = work / "assets" / NAME / "source.json"
    card += ["--metrics", work / "metrics" / NAME, "--source", source]
    run(*card, "--package", PACKAGE, "--author", AUTHOR)
    with tempfile.TemporaryDirectory() as output:
        command = ["-m", "spacy", "package", packaged, output, "--name", PACKAGE]
        run(*command, "--version", version, "--build", "none", "--force")
        (made,) = Path(output).iterdir()
        # Installing writes this file here, and would change the repository.
        (data,) = made.glob(f"{made.name.rpartition('-')[0]}/*-{version}")
        shutil.copyfile(made / "meta.json", data / "meta.json")
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(made, target)


def made_again(treebanks: Path, epochs: int, work: Path) -> Path:
    """The package of a pipeline that is trained in an empty directory."""
    for name in ("configs", "scripts"):
        shutil.copytree(ROOT / name, work / name)
    shutil.copyfile(ROOT / "project.yml", work / "project.yml")
    merge(treebanks, work / "assets" / NAME)
    again = work / MODEL.name
    package(train(NAME, 1, epochs, work), work, "0.0.0", again)
    return again


def differences(one: Path, other: Path) -> list[str]:
    """The files of a pipeline that are not the same in both packages."""

    def files(package: Path) -> dict[str, bytes]:
        # Not those of a directory "build", which an installation leaves.
        (config,) = package.glob("*_*/*-*/config.cfg")
        return {
            str(path.relative_to(config.parent)): path.read_bytes()
            for path in sorted(config.parent.rglob("*"))
            if path.is_file() and path.name not in DIFFERENT
        }

    left, right = files(one), files(other)
    return [name for name in left | right if left.get(name) != right.get(name)]


def main(
    treebanks: Annotated[
        Path,
        typer.Argument(
            help=f"Directory with {EWT} and {GUM}.", envvar="DYNORACLE_TREEBANKS"
        ),
    ],
    seeds: Annotated[
        int,
        typer.Option(min=1, help="So many seeds; the first is packaged."),
    ] = 1,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs.")] = 15,
    version: Annotated[str, typer.Option(help="Version of the package.")] = "1.0.0",
    check: Annotated[
        bool, typer.Option("--check", help="Compare with the package that is there.")
    ] = False,
) -> None:
    """Train, evaluate and package the English pipeline."""
    missing = [n for n in (EWT, GUM) if not (treebanks / n / "train.conllu").is_file()]
    if missing:
        console.print(f"Error: {treebanks} has no {' and no '.join(missing)}")
        raise typer.Exit(1)
    if check:
        with tempfile.TemporaryDirectory() as work:
            found = differences(MODEL, made_again(treebanks, epochs, Path(work)))
        console.print(json.dumps(found) if found else "The same, byte by byte.")
        raise typer.Exit(1 if found else 0)
    for seed in range(seeds, 0, -1):
        name = NAME if seed == 1 else f"{NAME}-{seed}"
        merge(treebanks, ROOT / "assets" / name)
        pipeline = train(name, seed, epochs, ROOT)
        other = f"seed-{seed}" if seed > 1 else ""
        evaluate(pipeline, treebanks, ROOT / "metrics" / NAME / other)
    package(pipeline, ROOT, version, MODEL)
    console.print(f"pip install {MODEL.relative_to(ROOT)}")


if __name__ == "__main__":
    typer.run(main)
