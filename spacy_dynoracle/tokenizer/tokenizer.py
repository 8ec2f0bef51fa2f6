"""The tokenizer of a language, corrected by what a treebank has for words."""

# spaCy evaluates the annotations of `initialize`, so they are no strings here.

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
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
from .boundaries import Ends, KnownStretch, WordBoundaries, ends_of
from .splits import Split
from .splitter import KnownToken, Splitter

# What tokenizers set on tokens; those of some languages tag.
_KEPT = [NORM, TAG, POS, MORPH, LEMMA]

# How many stretches are remembered, and of how many tokens.
_REMEMBERED = 1 << 16
_SHORT = 8

MakeTokenizer = Callable[[Language], Callable[[str], Doc]]


@registry.tokenizers("spacy_dynoracle.WordTokenizer.v1")
def make_word_tokenizer(
    tokenizer: MakeTokenizer | None = None,
) -> Callable[[Language], "WordTokenizer"]:
    """The tokenizer of the language, corrected by what a treebank has for words.

    Training learns where words begin and end, and the multiword tokens, from the
    training data or from the file that `path` in `[initialize.tokenizer]` names.

    tokenizer: the tokenizer for the tokens of the text; null for that of the language.
    """

    def make(nlp: Language) -> "WordTokenizer":
        if tokenizer is not None:
            return WordTokenizer(tokenizer(nlp))
        block = {"tokenizer": nlp.default_config["nlp"]["tokenizer"]}
        return WordTokenizer(registry.resolve(block)["tokenizer"](nlp))

    return make


class WordTokenizer:
    """Splits a text into the words of a treebank.

    The tokenizer of the language finds tokens. Between two blanks, its tokens are then
    joined and cut as the treebank does it, and multiword tokens are split into words.

    tokenizer: the tokenizer for the tokens of the text.
    boundaries: knows where words begin and end between two blanks.
    splitter: finds the multiword tokens. Before `initialize` both change nothing.

    The Doc has a token for each word. The tokens of ``du`` are ``d`` and ``u``; their
    NORM is ``de`` and ``le``; ``doc.spans["multiword"]`` has the span of both.
    """

    def __init__(self, tokenizer: Callable[[str], Doc]) -> None:
        self.tokenizer = tokenizer
        self.boundaries = WordBoundaries()
        self.splitter = Splitter()
        # For the forms of tokens without blanks between them, what changes there.
        self._remembered: dict[
            int | tuple[int, ...], tuple[tuple[int, int, Ends], ...]
        ] = {}
        # Forms that are never split.
        self._whole: set[int] = set()

    def __call__(self, text: str) -> Doc:
        """A Doc with a token for each word of the text."""
        doc = self.tokenizer(text)
        if self.boundaries:
            doc = self._correct(doc)
        return self._split(doc) if self.splitter else doc

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Yield the Doc of each text."""
        for text in texts:
            yield self(text)

    def _correct(self, doc: Doc) -> Doc:
        """The Doc with the tokens that the treebank would have."""
        changes = list(self._changes(doc))
        if not changes:
            return doc
        texts, followed = _texts(doc)
        words: list[str] = []
        spaces: list[bool] = []
        sources: list[int] = []
        changed: list[int] = []
        done = 0
        for first, stop, found in changes:
            words += texts[done:first]
            spaces += followed[done:first]
            sources += range(done, first)
            old = texts[first:stop]
            text = "".join(old)
            starts = {start: i for i, start in enumerate((0, *ends_of(old)), first)}
            for start, end in pairwise((0, *found, len(text))):
                word = text[start:end]
                source = starts.get(start, first)
                if texts[source] != word:
                    changed.append(len(words))
                words.append(word)
                sources.append(source)
            spaces += [False] * len(found) + [followed[stop - 1]]
            done = stop
        words += texts[done:]
        spaces += followed[done:]
        sources += range(done, len(texts))
        return _remade(doc, words, spaces, sources, changed)

    def _changes(self, doc: Doc) -> Iterator[tuple[int, int, Ends]]:
        """Yield the first token of each stretch whose tokens are not the words of the
        treebank, the token after it, and the ends of these words."""
        table = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
        forms = table[:, 0].tolist()
        stops = (np.flatnonzero(table[:, 1]) + 1).tolist()
        remembered = self._remembered
        start = 0
        for stop in (*stops, len(forms)):
            # Most stretches are one token, for which a tuple would take longer.
            key = forms[start] if stop - start == 1 else tuple(forms[start:stop])
            found = remembered.get(key)
            if found is None:
                words = [doc.vocab.strings[form] for form in forms[start:stop]]
                found = tuple(self._changes_between_blanks(words))
                if len(remembered) >= _REMEMBERED:
                    remembered.clear()
                if len(words) <= _SHORT:
                    remembered[key] = found
            for first, after, ends in found:
                yield start + first, start + after, ends
            start = stop

    def _changes_between_blanks(
        self, words: Sequence[str]
    ) -> Iterator[tuple[int, int, Ends]]:
        """The same for tokens without blanks between them."""
        for first, stop in _stretches(words, [False] * len(words)):
            old = words[first:stop]
            ends = ends_of(old)
            new = self.boundaries.find("".join(old), ends)
            if new != ends:
                yield first, stop, new

    def _split(self, doc: Doc) -> Doc:
        """The Doc with its multiword tokens split.

        A new Doc takes one pass. The retokenizer of spaCy moves all later tokens at
        each split.
        """
        forms = doc.to_array(ORTH).tolist()
        whole = self._whole
        others = [i for i, form in enumerate(forms) if form not in whole]
        if not others:
            return doc
        texts, followed = _texts(doc)
        if len(whole) >= _REMEMBERED:
            whole.clear()
        can_split = self.splitter.can_split
        whole.update(forms[i] for i in others if not can_split(texts[i]))
        found = list(self.splitter.find(texts))
        if not found:
            return doc
        words: list[str] = []
        spaces: list[bool] = []
        sources: list[int] = []
        pieces_of: list[int] = []
        marked = []
        done = 0
        for i, split in found:
            words += texts[done:i]
            spaces += followed[done:i]
            sources += range(done, i)
            pieces, of_words = split.words(texts[i])
            marked.append((len(words), of_words))
            pieces_of += range(len(words), len(words) + len(pieces))
            words += pieces
            spaces += [False] * (len(pieces) - 1) + [followed[i]]
            sources += [i] * len(pieces)
            done = i + 1
        words += texts[done:]
        spaces += followed[done:]
        sources += range(done, len(texts))
        made = _remade(doc, words, spaces, sources, pieces_of)
        multiword.mark(made, marked)
        return made

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        path: str | Path | None = None,
    ) -> None:
        """Learn where words begin and end, and the multiword tokens.

        get_examples: the training data, whose reference Docs are learnt from if there
            is no path. Sentences that a corpus with `gold_preproc` cuts out of longer
            Docs have lost their multiword tokens. Docs with unknown spaces do not tell
            which words stand together.
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
        tokens: list[list[KnownToken]] = []
        # As keys, because each stretch is learnt from once, in the order of the text.
        stretches: dict[KnownStretch, None] = {}
        for doc in docs:
            tokens.append(known_tokens(doc))
            stretches |= dict.fromkeys(self._known_stretches(doc))
        self._forget()
        self.boundaries.learn(stretches)
        self.splitter.learn(tokens)

    def _known_stretches(self, doc: Doc) -> Iterator[KnownStretch]:
        """The stretches of a Doc of a treebank that the tokenizer finds too."""
        if doc.has_unknown_spaces:
            return
        ends = dict(multiword.spans(doc))
        texts: list[str] = []
        followed: list[bool] = []
        i = 0
        while i < len(doc):
            words = doc[i : ends.get(i, i + 1)]
            texts.append(words.text)
            followed.append(bool(words[-1].whitespace_))
            i += len(words)
        gold = dict(_placed(texts, followed))
        for start, (text, found) in _placed(*_texts(self.tokenizer(doc.text))):
            if start in gold and gold[start][0] == text:
                yield text, found, gold[start][1]

    def _forget(self) -> None:
        """Forget what was found with the models before."""
        self._remembered.clear()
        self._whole.clear()

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The tokenizer as bytes."""
        data: dict[str, Any] = {
            "boundaries": self.boundaries.as_dict(),
            "splitter": self.splitter.as_dict(),
        }
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
            # Tokenizers of earlier releases have none.
            boundaries = WordBoundaries.from_dict(values.get("boundaries", {}))
            self.splitter = Splitter.from_dict(values["splitter"])
            self.boundaries = boundaries
            self._forget()
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


def _texts(doc: Doc) -> tuple[list[str], list[bool]]:
    """The texts of the tokens, and whether a blank follows each."""
    table = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
    strings = doc.vocab.strings
    texts = [strings[number] for number in table[:, 0].tolist()]
    return texts, (table[:, 1] != 0).tolist()


def _stretches(
    texts: Sequence[str], followed: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """Yield the first token of each stretch of text without blanks, and the token after
    it. Whitespace tokens belong to none."""
    first = 0
    for i, text in enumerate(texts):
        if text.isspace():
            if first < i:
                yield first, i
            first = i + 1
        elif followed[i]:
            yield first, i + 1
            first = i + 1
    if first < len(texts):
        yield first, len(texts)


def _placed(
    texts: Sequence[str], followed: Sequence[bool]
) -> Iterator[tuple[int, tuple[str, Ends]]]:
    """Yield for each stretch where it begins in the text, itself, and the ends of its
    words."""
    lengths = [len(t) + f for t, f in zip(texts, followed, strict=True)]
    starts = [0, *accumulate(lengths)]
    for first, stop in _stretches(texts, followed):
        words = texts[first:stop]
        yield starts[first], ("".join(words), ends_of(words))


def _remade(
    doc: Doc,
    words: list[str],
    spaces: list[bool],
    sources: list[int],
    changed: list[int],
) -> Doc:
    """The Doc with other tokens.

    sources: for each token the one of the Doc whose attributes it takes over. changed:
    the tokens that do not have the NORM of that one.
    """
    made = Doc(doc.vocab, words=words, spaces=spaces, user_data=doc.user_data)
    kept: Any = doc.to_array(_KEPT)[sources]
    kept[changed, 0] = 0
    made.from_array(_KEPT, kept)
    return made


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
