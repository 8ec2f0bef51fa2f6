"""UDPipe 1, which takes part in comparisons if `ufal.udpipe` is installed.

    python -m benchmarks.udpipe TRAIN DEV MODEL

trains its pipeline.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spacy_dynoracle.cli.common import CommandError

from .data import Text, treebank_file

# These are UDPipe's defaults with two exceptions. UPOS is the only tag, as for our
# parser. The hidden layer is half as large, which shortens training.
SETTINGS = (
    "embedding_upostag=20;embedding_feats=0;embedding_xpostag=0;embedding_form=50;"
    "embedding_lemma=0;embedding_deprel=20;learning_rate=0.02;"
    "learning_rate_final=0.001;l2=0.5;hidden_layer=100;batch_size=10;"
    "transition_system=projective;transition_oracle=dynamic;structured_interval=8"
)


def is_installed() -> bool:
    """Whether `ufal.udpipe` is installed."""
    return find_spec("ufal") is not None and find_spec("ufal.udpipe") is not None


class UDPipe:
    """UDPipe's Python interface: trains a parser, and parses with it.

    Raises:
        CommandError: If training, loading or parsing fails.
    """

    def __init__(self) -> None:
        import ufal.udpipe  # type: ignore[import-not-found,import-untyped,unused-ignore]

        self.library: Any = ufal.udpipe

    def read(self, path: Path) -> list[Any]:
        """The sentences of a CoNLL-U file."""
        reader = self.library.InputFormat.newConlluInputFormat()
        reader.setText(path.read_text(encoding="utf8"))
        error = self.library.ProcessingError()
        sentences = []
        sentence = self.library.Sentence()
        while reader.nextSentence(sentence, error):
            sentences.append(sentence)
            sentence = self.library.Sentence()
        if error.occurred():
            raise CommandError(f"{path}: UDPipe cannot read it: {error.message}")
        return sentences

    def sentence(self, text: Text) -> Any:
        """The words of a sentence with their UPOS."""
        sentence = self.library.Sentence()
        for form, pos in zip(text.words, text.pos, strict=True):
            sentence.addWord(form).upostag = pos
        return sentence

    def train(self, treebank: Path, iterations: int, path: Path) -> None:
        """Train a parser on the train file and save it.

        What the library prints goes to a file beside it.
        """
        train = self.read(treebank_file(treebank, "train"))
        parser = f"iterations={iterations};{SETTINGS}"
        self._train(train, [], ("none", "none", parser), path)

    def train_pipeline(self, train: Path, dev: Path, path: Path) -> None:
        """Train a tokenizer, a tagger with lemmas and a parser as UDPipe sets them up,
        and save them. The tokenizer and the parser of the best iteration on the dev
        file are kept.
        """
        self._train(self.read(train), self.read(dev), ("", "", ""), path)

    def _train(
        self,
        train: list[Any],
        dev: list[Any],
        options: tuple[str, str, str],
        path: Path,
    ) -> None:
        """Train a tokenizer, a tagger and a parser with these options."""
        error = self.library.ProcessingError()
        with output_of_the_library(path.with_suffix(".log")):
            sentences = map(self.library.Sentences, (train, dev))
            model = self.library.Trainer.train(
                "morphodita_parsito", *sentences, *options, error
            )
        if error.occurred():
            raise CommandError(f"UDPipe cannot be trained: {error.message}")
        path.write_bytes(model)

    def load_pipeline(self, path: Path) -> Callable[[str], str]:
        """A function that makes CoNLL-U of a text, with the pipeline in a file."""
        model = self.library.Model.load(str(path))
        if not model:
            raise CommandError(f"{path}: UDPipe cannot load the model it has trained")
        default = self.library.Pipeline.DEFAULT
        pipeline = self.library.Pipeline(model, "tokenize", default, default, "conllu")
        error = self.library.ProcessingError()

        # The pipeline does not keep the model.
        def parse(text: str, model: Any = model) -> str:
            found: str = pipeline.process(text, error)
            if error.occurred():
                raise CommandError(f"UDPipe cannot parse: {error.message}")
            return found

        return parse

    def load(self, path: Path) -> Callable[[Iterable[Any]], None]:
        """A function that parses sentences with the parser in a file, in place."""
        model = self.library.Model.load(str(path))
        if not model:
            raise CommandError(f"{path}: UDPipe cannot load the model it has trained")
        error = self.library.ProcessingError()

        def parse(sentences: Iterable[Any]) -> None:
            for sentence in sentences:
                if not model.parse(sentence, "", error):
                    raise CommandError(f"UDPipe cannot parse: {error.message}")

        return parse


def arcs_of(sentence: Any) -> tuple[list[int], list[str]]:
    """The heads and labels of the words of a parsed sentence."""
    # The first word is the root of UDPipe's tree.
    words = list(sentence.words)[1:]
    return [word.head for word in words], [word.deprel for word in words]


@contextmanager
def output_of_the_library(path: Path) -> Iterator[None]:
    """Redirect to a file the output of a C++ library to standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with path.open("wb") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


if __name__ == "__main__":
    UDPipe().train_pipeline(*map(Path, sys.argv[1:4]))
