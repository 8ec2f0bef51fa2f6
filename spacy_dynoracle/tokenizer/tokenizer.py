"""The tokenizer of a language, followed by the splitting of multiword tokens."""

# spaCy evaluates the annotations of `initialize`, so they are no strings here.

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.attrs import LEMMA, MORPH, NORM, ORTH, POS, SPACY, TAG
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from ..errors import PipelineError
from ..treebank import multiword
from ..treebank.corpora import read_docs, spacy_files
from ..util.files import replace_file
from .splits import Split
from .splitter import KnownToken, Splitter

# What tokenizers set on tokens; those of some languages tag.
_KEPT = [NORM, TAG, POS, MORPH, LEMMA]

MakeTokenizer = Callable[[Language], Callable[[str], Doc]]


@registry.tokenizers("spacy_dynoracle.WordTokenizer.v1")
def make_word_tokenizer(
    tokenizer: MakeTokenizer | None = None,
) -> Callable[[Language], "WordTokenizer"]:
    """The tokenizer of the language, followed by the splitting of multiword tokens.

    Training learns the multiword tokens from the training data, or from the file that
    `path` in the section `[initialize.tokenizer]` names.

    tokenizer: the tokenizer for the tokens of the text; null for that of the language.
    """

    def make(nlp: Language) -> "WordTokenizer":
        if tokenizer is not None:
            return WordTokenizer(tokenizer(nlp))
        block = {"tokenizer": nlp.default_config["nlp"]["tokenizer"]}
        return WordTokenizer(registry.resolve(block)["tokenizer"](nlp))

    return make


class WordTokenizer:
    """Splits a text into tokens, and multiword tokens into their words.

    tokenizer: the tokenizer for the tokens of the text.
    splitter: finds the multiword tokens. A new one finds none; `initialize` trains it.

    The Doc has a token for each word. The tokens of ``du`` are ``d`` and ``u``; their
    NORM is ``de`` and ``le``; ``doc.spans["multiword"]`` has the span of both.
    """

    def __init__(self, tokenizer: Callable[[str], Doc]) -> None:
        self.tokenizer = tokenizer
        self.splitter = Splitter()

    def __call__(self, text: str) -> Doc:
        """A Doc with a token for each word of the text."""
        doc = self.tokenizer(text)
        return self._split(doc) if self.splitter else doc

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Yield the Doc of each text."""
        for text in texts:
            yield self(text)

    def _split(self, doc: Doc) -> Doc:
        """The Doc with its multiword tokens split.

        A new Doc takes one pass. The retokenizer of spaCy moves all later tokens at
        each split.
        """
        table = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
        strings = doc.vocab.strings
        texts = [strings[number] for number in table[:, 0].tolist()]
        found = list(self.splitter.find(texts))
        if not found:
            return doc
        followed = (table[:, 1] != 0).tolist()
        words: list[str] = []
        spaces: list[bool] = []
        marked = []
        n_pieces = np.ones(len(doc), dtype=np.int64)
        done = 0
        for i, split in found:
            words += texts[done:i]
            spaces += followed[done:i]
            pieces, forms = split.words(texts[i])
            marked.append((len(words), forms))
            n_pieces[i] = len(pieces)
            words += pieces
            spaces += [False] * (len(pieces) - 1) + [followed[i]]
            done = i + 1
        words += texts[done:]
        spaces += followed[done:]
        kept = doc.to_array(_KEPT)
        # The pieces do not have the NORM of the whole token.
        kept[n_pieces > 1, 0] = 0
        made = Doc(doc.vocab, words=words, spaces=spaces, user_data=doc.user_data)
        rows: Any = np.repeat(kept, n_pieces, axis=0)
        made.from_array(_KEPT, rows)
        multiword.mark(made, marked)
        return made

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        path: str | Path | None = None,
    ) -> None:
        """Learn the multiword tokens.

        get_examples: the training data, whose reference Docs are learnt from if there
            is no path. Sentences that a corpus with `gold_preproc` cuts out of longer
            Docs have lost their multiword tokens.
        path: a .conllu, .conll or .spacy file to learn from, or a folder with .spacy
            files.

        Raises TreebankError for a file that cannot be used.
        """
        if path is not None and nlp is not None:
            files = spacy_files(path)
            # One file at a time is in memory.
            docs: Iterable[Doc] = (
                doc for file in files for doc in read_docs(file, nlp.vocab)
            )
        else:
            docs = (example.reference for example in get_examples())
        self.splitter.learn(known_tokens(doc) for doc in docs)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The tokenizer as bytes."""
        data: dict[str, Any] = {"splitter": self.splitter.as_dict()}
        if hasattr(self.tokenizer, "to_bytes"):
            data["tokenizer"] = self.tokenizer.to_bytes(exclude=["vocab"])
        stored: bytes = srsly.msgpack_dumps(data)
        return stored

    def from_bytes(
        self, data: bytes, *, exclude: Iterable[str] = ()
    ) -> "WordTokenizer":
        """Become the tokenizer that `to_bytes` has stored.

        Raises PipelineError for other bytes.
        """
        try:
            values: Any = srsly.msgpack_loads(data)
            self.splitter = Splitter.from_dict(values["splitter"])
            if "tokenizer" in values:
                inner: Any = self.tokenizer
                inner.from_bytes(values["tokenizer"], exclude=["vocab"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PipelineError(
                f"the tokenizer cannot be read ({error}): it was not stored by "
                "WordTokenizer; train the pipeline again"
            ) from error
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Store the tokenizer in a file."""
        replace_file(Path(path), self.to_bytes())

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = ()
    ) -> "WordTokenizer":
        """Become the tokenizer that a file contains.

        Raises PipelineError for another file.
        """
        return self.from_bytes(Path(path).read_bytes())


def known_tokens(doc: Doc) -> list[KnownToken]:
    """The tokens of the text of a Doc, with the splits of its multiword tokens."""
    ends = dict(multiword.spans(doc))
    found: list[KnownToken] = []
    i = 0
    while i < len(doc):
        words = doc[i : ends.get(i, i + 1)]
        split = None
        if len(words) > 1:
            forms = [multiword.word_form(word) for word in words]
            split = Split.of([word.text for word in words], forms)
        if not words.text.isspace():
            found.append((words.text, split))
        i += len(words)
    return found
