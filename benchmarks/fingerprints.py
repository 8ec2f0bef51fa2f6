"""Fingerprints of models and parses, which show that a change alters neither.

The command trains every transition system with every oracle and learner, beams, a
reranker (where the plug-in `hc_search` is installed) and taggers. It trains through
spaCy, on the first sentences of each treebank. Each line of the output names a model
and shows the beginning of two SHA-256 digests: of the bytes of the model and of its
parses of development sentences. Two versions of the package that print the same lines
make the same models and parses:

    python -m benchmarks.fingerprints [TREEBANK...] > before.txt
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.converters import conllu_to_docs

from spacy_dynoracle.core.systems import SYSTEMS

HARBOUR = Path(__file__).parents[1] / "treebanks" / "English-Harbour"
PARSER = "dynoracle_parser"
TAGGER = "dynoracle_tagger"
# The systems that build trees, the projective ones first.
PARSING = sorted(
    (name for name, system in SYSTEMS.items() if system.builds_trees),
    key=lambda name: not SYSTEMS[name].projective,
)
PERCEPTRON = {"@misc": "spacy_dynoracle.AveragedPerceptron.v1", "margin": 0.0}
LEARNERS = {
    "AveragedPerceptron": PERCEPTRON,
    "AdaGradRDA": {"@misc": "spacy_dynoracle.AdaGradRDA.v1"},
}
WITH_BEAM = [name for name in PARSING if SYSTEMS[name].suits_beam]
BEAM = {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 8}
EPOCHS = 3
app = typer.Typer(add_completion=False, rich_markup_mode=None)


def block(name: str, **settings: Any) -> dict[str, Any]:
    """The config of a registered function of this package."""
    return {"@misc": f"spacy_dynoracle.{name}.v1", **settings}


def configs() -> Iterator[tuple[str, dict[str, Any]]]:
    """The names and settings of the parsers to train."""
    for system in PARSING:
        for learner, settings in LEARNERS.items():
            yield (
                f"{system} {learner}",
                {"system": block(system), "learner": settings},
            )
    for oracle in ("StaticOracle", "NonDeterministicOracle"):
        for system in PARSING:
            if not SYSTEMS[system].static_preferences:
                continue
            settings = {"system": block(system), "oracle": block(oracle)}
            yield (
                f"{system} {oracle}",
                {**settings, "exploration": block("NoExploration")},
            )
    for system in WITH_BEAM:
        for update in ("early", "max_violation"):
            yield (
                f"{system} beam {update}",
                {
                    "system": block(system),
                    "oracle": block("StaticOracle")
                    if update == "early" and SYSTEMS[system].static_preferences
                    else block("NonDeterministicOracle"),
                    "exploration": block("NoExploration"),
                    "learner": block("StructuredPerceptron", update=update),
                    "search": BEAM,
                },
            )
    yield (
        "sampling",
        {
            "learner": block("AdaGradRDA"),
            "exploration": block("SamplingExploration"),
        },
    )
    for root in ("first", "none"):
        yield f"ArcEager root {root}", {"system": block("ArcEager", root=root)}
    yield "Unshift", {"sentences": "preset"}
    for choice in ("lift", "drop"):
        yield f"crossing arcs: {choice}", {"nonprojective": choice}
    yield (
        "margin",
        {
            "learner": block("AveragedPerceptron", margin=20.0),
            "features": block("RichEager"),
        },
    )
    yield "without tags", {"tag_attr": None, "features": None}


def variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Further settings with which a trained log-linear parser parses."""
    yield "beam", {"search": BEAM}
    yield (
        "transition probabilities",
        {"probabilities": block("TransitionProbabilities")},
    )
    yield "marginals", {"probabilities": block("MarginalProbabilities", n_samples=16)}
    yield "preset heads", {"keep_preset_heads": True}
    yield "one root", {"sentences": "doc"}


def read(path: Path, n: int, merged: int = 1) -> list[Doc]:
    """The first n documents of a treebank file, each with `merged` sentences."""
    text = path.read_text(encoding="utf8")
    return list(islice(conllu_to_docs(text, n_sents=merged, no_print=True), n))


def untagged(nlp: Language, gold: Doc, tags: bool) -> Doc:
    """The words of a document, with or without its tags."""
    doc = Doc(
        nlp.vocab,
        words=[t.text for t in gold],
        spaces=[bool(t.whitespace_) for t in gold],
    )
    if tags:
        for token, source in zip(doc, gold, strict=True):
            token.tag_, token.pos_ = source.tag_, source.pos_
    return doc


def default_features(settings: dict[str, Any]) -> dict[str, Any]:
    """The usual feature set of a system, which does not depend on the data."""
    system = settings.get("system", block("ArcEager"))["@misc"].split(".")[1]
    return {"@misc": SYSTEMS[system].default_features}


def trained(name: str, settings: dict[str, Any], docs: list[Doc]) -> Language:
    """Train a pipeline with one component for a few epochs."""
    nlp = spacy.blank("xx")
    if name == PARSER:
        usual = {"features": default_features(settings), "learner": PERCEPTRON}
        settings = usual | settings
    nlp.add_pipe(name, config=settings)
    examples = [
        Example(untagged(nlp, doc, tags=name == PARSER), doc.copy()) for doc in docs
    ]
    nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        for start in range(0, len(examples), 32):
            nlp.update(examples[start : start + 32])
    return nlp


def parsed(nlp: Language, docs: list[Doc], keep: bool = False) -> str:
    """The digest of the annotations that a pipeline writes to documents."""
    found = []
    inputs = []
    for gold in docs:
        doc = untagged(nlp, gold, tags=TAGGER not in nlp.pipe_names)
        if keep:
            doc[0].head = doc[len(doc) - 1]
        inputs.append(doc)
    for doc in nlp.pipe(inputs, batch_size=16):
        rows = [
            (t.head.i, t.dep_, t.is_sent_start, t.tag_, t.pos_, str(t.morph))
            for t in doc
        ]
        extra = [
            sorted((str(key), repr(value)) for key, value in doc.user_data.items())
        ]
        found.append((rows, extra))
    return digest(json.dumps(found).encode("utf8"))


def digest(data: bytes) -> str:
    """The beginning of a SHA-256 digest."""
    return hashlib.sha256(data).hexdigest()[:16]


def model_bytes(nlp: Language, name: str) -> bytes:
    """The bytes of the saved model of a component."""
    with tempfile.TemporaryDirectory() as directory:
        nlp.get_pipe(name).to_disk(directory, exclude=["vocab"])  # type: ignore[attr-defined]
        return Path(directory, "model").read_bytes()


def changed(nlp: Language, settings: dict[str, Any]) -> Language:
    """The same pipeline with other settings of its parser."""
    with tempfile.TemporaryDirectory() as directory:
        nlp.to_disk(directory)
        config = {
            f"components.{PARSER}.{key}": value for key, value in settings.items()
        }
        return spacy.load(directory, config=config)


def reranked(path: Path, n_train: int, docs: list[Doc]) -> tuple[str, str]:
    """The digests of a model with a reranker that `rank` trained, and of its parses."""
    sentences = path.joinpath("train.conllu").read_text(encoding="utf8").split("\n\n")
    settings = {
        "system": block("ArcHybrid"),
        "oracle": block("NonDeterministicOracle"),
        "exploration": block("NoExploration"),
        "learner": block("StructuredPerceptron"),
        "search": BEAM,
    }
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        data = directory / "train.conllu"
        data.write_text("\n\n".join(sentences[:n_train]) + "\n\n", encoding="utf8")
        nlp = trained(PARSER, settings, read(data, n_train))
        nlp.to_disk(directory / "model")
        arguments = [directory / "model", data, data, "--output", directory / "ranked"]
        options = ["--folds", "2", "--epochs", "1", "--jobs", "1"]
        command = [sys.executable, "-m", "dynoracle_hcsearch", "rank"]
        subprocess.run(
            [*command, *map(str, arguments), *options], check=True, capture_output=True
        )
        nlp = spacy.load(directory / "ranked")
        return digest(model_bytes(nlp, PARSER)), parsed(nlp, docs)


def of_treebank(path: Path, n_train: int, n_dev: int) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the digest of the model and the digest of the parses of each
    parser.
    """
    train, dev = read(path / "train.conllu", n_train), read(path / "dev.conllu", n_dev)
    longer = read(path / "dev.conllu", max(1, n_dev // 5), merged=5)
    for name, settings in configs():
        nlp = trained(PARSER, settings, train)
        yield name, digest(model_bytes(nlp, PARSER)), parsed(nlp, dev)
        yield f"{name}, documents of five", "", parsed(nlp, longer)
        if name.endswith(" AdaGradRDA"):
            for variant, more in variants():
                if variant == "beam" and name.split()[0] not in WITH_BEAM:
                    continue
                other = changed(nlp, more)
                keep = variant == "preset heads"
                yield f"{name}, {variant}", "", parsed(other, longer, keep)
    nlp = trained(TAGGER, {}, train)
    yield "tagger", digest(model_bytes(nlp, TAGGER)), parsed(nlp, dev)
    if find_spec("dynoracle_hcsearch"):
        yield ("reranker", *reranked(path, n_train, dev))


@app.command()
def main(
    treebanks: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Directories with train.conllu and dev.conllu. Default: the treebank "
            "of this repository."
        ),
    ] = None,
    n_train: Annotated[int, typer.Option(help="Sentences to train on.")] = 100,
    n_dev: Annotated[int, typer.Option(help="Sentences to parse.")] = 40,
) -> None:
    """Print fingerprints of models and parses, a line each."""
    for path in treebanks or [HARBOUR]:
        for name, model, parses in of_treebank(path, n_train, n_dev):
            print(path.name, name, model or "-", parses, sep="\t", flush=True)


if __name__ == "__main__":
    app()
