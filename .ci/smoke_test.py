"""Try an installed wheel: train a parser, save it, parse with the command line.

Needs the folder of a treebank, with train.conllu and dev.conllu.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.converters import conllu_to_docs

N_SENTENCES = 50


def read(path: Path) -> list[Doc]:
    """The first sentences of a file."""
    text = path.read_text(encoding="utf8")
    return list(conllu_to_docs(text, n_sents=1, no_print=True))[:N_SENTENCES]


def main() -> None:
    """Fail unless a trained parser gives the words of a file heads."""
    treebank = Path(sys.argv[1])
    docs = read(treebank / "train.conllu")
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None})
    nlp.initialize(lambda: [Example(doc.copy(), doc) for doc in docs])
    for _ in range(3):
        nlp.update([Example(nlp.make_doc(doc.text), doc) for doc in docs])
    with tempfile.TemporaryDirectory() as directory:
        model, parsed = Path(directory, "model"), Path(directory, "parsed.conllu")
        nlp.to_disk(model)
        command = [sys.executable, "-m", "spacy_dynoracle"]
        source = treebank / "dev.conllu"
        options = [str(model), str(source), "--output", str(parsed)]
        subprocess.run([*command, "parse", *options], check=True)
        subprocess.run([*command, "check", str(parsed)], check=True)
        subprocess.run([*command, "evaluate", str(model), str(source)], check=True)


if __name__ == "__main__":
    main()
