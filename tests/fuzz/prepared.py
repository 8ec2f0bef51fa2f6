"""Small trained pipelines and files that the surfaces work on."""

from __future__ import annotations

import shutil
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.rerank.training import RerankSettings, train
from spacy_dynoracle.treebank import read_conllu, to_doc

from ..programs import ROOT

BANK = ROOT / "treebanks" / "English-Harbour"
N_TRAIN, N_DEV = 40, 10
LOG_LINEAR = {
    "learner": {"@misc": "spacy_dynoracle.AdaGradRDA.v1"},
    "exploration": {"@misc": "spacy_dynoracle.SamplingExploration.v1"},
}
TEMPERATURE = 2.0


def system(name: str) -> dict[str, object]:
    """The block of a transition system."""
    return {"@misc": f"spacy_dynoracle.{name}.v1"}


# The components of each pipeline and their settings. The language without rules of its
# own loads fastest.
PIPELINES: dict[str, dict[str, dict[str, object]]] = {
    "text": {
        "dynoracle_senter": {},
        "dynoracle_tagger": {},
        "dynoracle_parser": {"sentences": "preset"} | LOG_LINEAR,
    },
    "swap": {"dynoracle_parser": {"system": system("ArcHybridSwap")}},
    "easy": {"dynoracle_parser": {"system": system("EasyFirst")}},
    "beam": {
        "dynoracle_parser": {
            "system": system("ArcStandard"),
            "search": {"@misc": "spacy_dynoracle.BeamSearch.v1", "beam_size": 4},
        },
    },
}


def prepare(directory: Path, names: tuple[str, ...] = (*PIPELINES, "ranked")) -> None:
    """Write `train.conllu`, `dev.conllu`, `text.txt` and pipelines into a directory."""
    for name, n in (("train", N_TRAIN), ("dev", N_DEV)):
        text = (BANK / f"{name}.conllu").read_text(encoding="utf8")
        blocks = text.split("\n\n")[:n]
        path = directory / f"{name}.conllu"
        path.write_text("\n\n".join([*blocks, ""]), encoding="utf8")
    texts = [s.text or " ".join(s.forms) for s in read_conllu(directory / "dev.conllu")]
    (directory / "text.txt").write_text("\n\n".join(texts), encoding="utf8")
    for name in names:
        if name != "ranked":
            trained(name, directory / "train.conllu").to_disk(directory / name)
    if "ranked" in names:
        make_ranked(directory)


def trained(name: str, path: Path) -> Language:
    """A pipeline of `PIPELINES`, trained on a file."""
    nlp = spacy.blank("xx")
    for component, settings in PIPELINES[name].items():
        nlp.add_pipe(component, config=settings)
    examples = [
        Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
        for s in read_conllu(path)
    ]
    for example in examples:
        for token in example.predicted if len(nlp.pipe_names) > 1 else ():
            token.tag_ = token.pos_ = ""
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    parser = nlp.get_pipe("dynoracle_parser")
    model = parser.model.freeze()
    is_sure = getattr(parser.recipe.learner, "alpha", None) is None
    parser.set_model(model if is_sure else model.with_temperature(TEMPERATURE))
    return nlp


def make_ranked(directory: Path) -> None:
    """The pipeline `ranked`: `beam` with a reranker."""
    nlp = spacy.load(directory / "beam")
    settings = RerankSettings(n_rounds=1, n_folds=2, epochs=1)
    files = directory / "train.conllu", directory / "dev.conllu"
    train(nlp, *files, settings, directory=directory / "candidates")
    nlp.to_disk(directory / "ranked")
    shutil.rmtree(directory / "candidates")


def documents(directory: Path, nlp: Language, n: int = 3) -> list[Doc]:
    """Tagged documents without trees."""
    found = list(read_conllu(directory / "dev.conllu"))[:n]
    return [to_doc(sentence, nlp.vocab, tree=False) for sentence in found]
