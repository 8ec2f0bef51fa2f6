"""Small trained pipelines and files that the surfaces work on."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.treebank import read_conllu, to_doc, to_doc_bin

from ..harbour import DIRECTORY as BANK
from ..harbour import RDA as LOG_LINEAR

N_TRAIN, N_DEV = 40, 10
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
        "dynoracle_lemmatizer": {},
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
# A plug-in is tried where it is installed.
RANKED = ("ranked",) if find_spec("dynoracle_hcsearch") else ()
ALL = (*PIPELINES, *RANKED)


def prepare(directory: Path, names: tuple[str, ...] = ALL) -> None:
    """Write `train.conllu`, `dev.conllu`, `text.txt` and pipelines into a directory."""
    for name, n in (("train", N_TRAIN), ("dev", N_DEV)):
        path = directory / f"{name}.conllu"
        path.write_text(some_sentences(name, n), encoding="utf8")
    texts = [s.text or " ".join(s.forms) for s in read_conllu(directory / "dev.conllu")]
    (directory / "text.txt").write_text("\n\n".join(texts), encoding="utf8")
    for name in names:
        shutil.copytree(pipeline(name), directory / name)


@cache
def kept() -> tempfile.TemporaryDirectory[str]:
    """A directory for the pipelines, as long as this process runs: making them takes
    longer than a short round.
    """
    return tempfile.TemporaryDirectory(prefix="dynoracle-pipelines-")


def pipeline(name: str) -> Path:
    """The directory of a trained pipeline, which is made when it is first wanted."""
    directory = Path(kept().name) / name
    if not directory.exists():
        with warnings.catch_warnings():
            # A few sentences for each training are meant.
            warnings.simplefilter("ignore")
            nlp = ranked() if name == "ranked" else trained(name)
        nlp.to_disk(directory)
    return directory


def some_sentences(name: str, n: int) -> str:
    """The first sentences of a file of the treebank, as text."""
    text = (BANK / f"{name}.conllu").read_text(encoding="utf8")
    return "\n\n".join([*text.split("\n\n")[:n], ""])


def trained(name: str) -> Language:
    """A pipeline of `PIPELINES`, trained on some sentences."""
    nlp = spacy.blank("xx")
    for component, settings in PIPELINES[name].items():
        nlp.add_pipe(component, config=settings)
    examples = [
        Example(to_doc(s, nlp.vocab, tree=False), to_doc(s, nlp.vocab))
        for s in list(read_conllu(BANK / "train.conllu"))[:N_TRAIN]
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


def ranked() -> Language:
    """The pipeline `beam` with a reranker."""
    from dynoracle_hcsearch import RerankSettings, train

    nlp = spacy.load(pipeline("beam"))
    settings = RerankSettings(n_rounds=1, n_folds=2, epochs=1)
    docs = [
        [to_doc(s, nlp.vocab) for s in list(read_conllu(BANK / f"{name}.conllu"))[:n]]
        for name, n in (("train", N_TRAIN), ("dev", N_DEV))
    ]
    with tempfile.TemporaryDirectory() as candidates:
        train(nlp, *docs, settings, directory=candidates)
    return nlp


def documents(directory: Path, nlp: Language, n: int = 3) -> list[Doc]:
    """Tagged documents without trees."""
    found = list(read_conllu(directory / "dev.conllu"))[:n]
    return [to_doc(sentence, nlp.vocab, tree=False) for sentence in found]


def write_docs(source: Path, path: Path) -> None:
    """Write the documents of a CoNLL-U file as a .spacy file."""
    vocab = spacy.blank("xx").vocab
    to_doc_bin(read_conllu(source), vocab, n_sents=4).to_disk(path)
