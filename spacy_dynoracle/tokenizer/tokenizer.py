"""The tokenizer of a language, corrected so that it finds the words of a treebank."""

# spaCy evaluates the annotations of `initialize`, so they are no strings here.

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import srsly
from spacy.attrs import IS_SPACE, ORTH, intify_attrs
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokenizer import Tokenizer  # type: ignore[import-not-found]
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from ..doc.surroundings import Surroundings
from ..errors import PipelineError
from ..treebank.corpora import read_docs, spacy_files
from ..util.files import replace_file
from ..util.typography import is_blank, plain
from .asking import Rules
from .beside import learns_words, trained_beside
from .boundaries import WordBoundaries
from .evidence import Evidence, has_treebank
from .pretokens import pretokens, token_texts
from .reading import SETTINGS, TextReader
from .rewriting import Rewriter
from .splitter import Splitter

# The settings of spaCy's tokenizer that may be read and set here.
_SETTINGS = (*SETTINGS, "vocab")
# Sentences of CoNLL-U in one document: where no blank follows a sentence, the words
# behind its end tell something, too.
_SENTENCES = 10
_CHINESE_DEFAULTS = {"pkuseg_model": None, "pkuseg_user_dict": "default"}
ONLY_BEGINNING = (
    "WordTokenizer: the training data are a stream (max_epochs = -1), of which the "
    "tokenizer learns from the first hundred documents alone: set path under "
    "[initialize.tokenizer] to the file or folder of the training data"
)
_OWN = ("tokenizer", "boundaries", "splitter", "_cases", "_reader", "_is_stored")

# The class `Tokenizer` of spaCy would read a file of this one silently, and then know
# no rules. It fails to compile this pattern, and the error shows what it says.
NO_PATTERN = "(?P<config[nlp][tokenizer] must name spacy_dynoracle.WordTokenizer.v1>)"

MakeTokenizer = Callable[[Language], Callable[[str], Doc]]


@registry.tokenizers("spacy_dynoracle.WordTokenizer.v1")
def make_word_tokenizer(
    tokenizer: MakeTokenizer | None = None,
) -> Callable[[Language], "WordTokenizer"]:
    """The tokenizer of the language, corrected by what a treebank has for words.

    Training learns where words begin and end, and the multiword tokens, from the
    training data or from the file that `path` in `[initialize.tokenizer]` names.

    Args:
        tokenizer: The tokenizer for the tokens of the text; null for that of the
            language.
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
    joined and cut as the treebank does it, and multiword tokens are split into words. A
    number with blanks, such as 10 000, becomes one word if the treebank has it so.

    The Doc has a token for each word. The tokens of ``du`` are ``d`` and ``u``; their
    NORM is ``de`` and ``le``; ``doc.spans["multiword"]`` has the span of both.

    Args:
        tokenizer: The tokenizer for the tokens of the text.

    Attributes:
        boundaries: Knows where words begin and end between two blanks.
        splitter: Finds the multiword tokens. Before `initialize` both change nothing.
    """

    def __init__(self, tokenizer: Callable[[str], Doc]) -> None:
        self.tokenizer = tokenizer
        vocab = getattr(tokenizer, "vocab", None)
        if vocab is not None:
            # Whitespace with marks of quoted lines is no word, wherever it is read.
            vocab.lex_attr_getters[IS_SPACE] = is_blank
        # The texts of the tokens of special cases, by the text of the case.
        self._cases: dict[str, tuple[str, ...]] = {}
        # Whether it is one that was stored; what it has learnt may be nothing.
        self._is_stored = False
        self._use(WordBoundaries(), Splitter())

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a setting of spaCy's tokenizer there, so that it has its effect.

        Raises:
            AttributeError: For a name that neither tokenizer has.
        """
        if name in _OWN:
            object.__setattr__(self, name, value)
        elif name in _SETTINGS and hasattr(self.tokenizer, name):
            setattr(self.tokenizer, name, value)
            if name not in ("vocab", "rules"):
                # The boundaries have learnt with other settings.
                self._reader.ask_always()
        else:
            raise AttributeError(
                f"a WordTokenizer around {type(self.tokenizer).__name__} has no "
                f"setting {name!r}: expected one of {', '.join(_SETTINGS)}"
            )

    def __getattr__(self, name: str) -> Any:
        """The setting of spaCy's tokenizer."""
        if name in _SETTINGS and "tokenizer" in self.__dict__:
            return getattr(self.tokenizer, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def explain(self, text: str) -> list[tuple[str, str]]:
        """Why spaCy's tokenizer finds its tokens, and what they become.

        Returns:
            For each token the rule of spaCy and the text, as `Tokenizer.explain` gives
            them; where the treebank divides the text otherwise, "TREEBANK" and the text
            of each word.

        Raises:
            PipelineError: If the tokenizer cannot explain its tokens.
        """
        explain = getattr(self.tokenizer, "explain", None)
        if explain is None:
            raise PipelineError(
                f"explain: {type(self.tokenizer).__name__} has no such method; use a "
                "tokenizer of the class spacy.tokenizer.Tokenizer"
            )
        found: list[tuple[str, str]] = []
        texts, followed = token_texts(self(text))
        for first, stop in pretokens(texts, followed):
            words = texts[first:stop]
            rules = explain("".join(words))
            is_same = [piece for _, piece in rules] == words
            found += rules if is_same else [("TREEBANK", word) for word in words]
        return found

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """The scores of tokens, as `spacy evaluate` shows them (TOK)."""
        return Scorer.score_tokenization(examples)

    @property
    def has_learnt(self) -> bool:
        """Whether it knows the words of a treebank."""
        return bool(self._reader.rewriter)

    @property
    def joins_numbers(self) -> bool:
        """Whether a number with blanks, such as 10 000, is one word."""
        return self._reader.rewriter.joins_numbers

    def _use(
        self,
        boundaries: WordBoundaries,
        splitter: Splitter,
        rules: Rules | None = None,
        joins_numbers: bool = False,
    ) -> None:
        """Replace the models."""
        self.boundaries = boundaries
        self.splitter = splitter
        cases = tuple(self._cases.values())
        rewriter = Rewriter(boundaries, splitter, cases, rules, joins_numbers)
        rewriter.rules.cases = self._cases_of_pretokens
        self._reader = TextReader(rewriter)

    @property
    def _cases_of_pretokens(self) -> tuple[str, ...]:
        """The special cases that somebody has added and that have no blank."""
        return tuple(plain(case) for case in self._cases if case.split() == [case])

    def __call__(self, text: str) -> Doc:
        """A Doc with a token for each word of the text."""
        return self._reader(self.tokenizer, text)

    def add_special_case(
        self, string: str, substrings: Iterable[Mapping[Any, str]]
    ) -> None:
        """Add a special case to the rules of the tokenizer.

        Its tokens stay as they are, whatever the treebank has.

        Call this method and not that of the inner tokenizer, whose changes of a case
        that exists are not seen. Tokens that are equal to those of a case stay as well,
        wherever they stand together.

        Args:
            string: The text of the special case.
            substrings: The attributes of its tokens, as spaCy's
                `Tokenizer.add_special_case` expects them.

        Raises:
            PipelineError: If the tokenizer has no special cases, and spaCy's ValueError
                for tokens that are not the text.
        """
        add = getattr(self.tokenizer, "add_special_case", None)
        if add is None:
            raise PipelineError(
                f"add_special_case: {type(self.tokenizer).__name__} has no special "
                "cases; use a tokenizer of the class spacy.tokenizer.Tokenizer"
            )
        tokens = [dict(token) for token in substrings]
        add(string, tokens)
        texts = (intify_attrs(token, _do_deprecated=True)[ORTH] for token in tokens)
        self._cases[string] = tuple(texts)
        rules = self._reader.rewriter.rules
        self._use(self.boundaries, self.splitter, rules, self.joins_numbers)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Yield the Doc of each text."""
        for text in texts:
            yield self(text)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        path: str | Path | None = None,
        pkuseg_model: str | None = None,
        pkuseg_user_dict: str | None = "default",
    ) -> None:
        """Learn where words begin and end, the multiword tokens, and whether numbers
        with blanks are one word.

        A tokenizer that has learnt stays as it is if there is no path, and if the data
        have no tags, lemmas or trees, or if all components that are initialized with it
        learn something else, as where one for entities is added to a pipeline.

        Args:
            get_examples: The training data, whose reference Docs are learnt from if
                there is no path. Sentences that a corpus with `gold_preproc` cuts out
                of longer Docs have lost their multiword tokens. If no two words stand
                together in the data, as where the spaces are unknown, the tokenizer
                learns to join the words that its rules cut, and keeps the cuts of the
                rules between neighbours. If any two words stand together, Docs with
                unknown spaces teach nothing.
            path: A .conllu, .conll or .spacy file to learn from, or a folder with
                .spacy files.
            pkuseg_model, pkuseg_user_dict: For spaCy's tokenizer for Chinese, whose
                config has these two.

        Raises:
            PipelineError: For settings that the tokenizer of the language has not.
            TreebankError: For a file that cannot be used.
        """
        docs: Iterable[Doc]
        chinese = {"pkuseg_model": pkuseg_model, "pkuseg_user_dict": pkuseg_user_dict}
        own = {k: of for k, of in chinese.items() if of != _CHINESE_DEFAULTS[k]}
        if hasattr(self.tokenizer, "initialize"):
            self.tokenizer.initialize(get_examples, nlp=nlp, **own)
        elif own:
            raise PipelineError(
                f"{' and '.join(own)} are settings of spaCy's tokenizer for Chinese, "
                f"and not of {type(self.tokenizer).__name__}: remove them from "
                "[initialize.tokenizer]"
            )
        learns, trained = learns_words(nlp), trained_beside(nlp)
        is_old = self.has_learnt or self._is_stored or path is not None
        if trained and not learns and not is_old:
            warnings.warn(
                f"WordTokenizer: it is new, and {trained[0]} has learnt with another: "
                "copy that one with spacy.copy_from_base_model.v1 in "
                "[initialize.before_init]",
                stacklevel=2,
            )
        learns_again = learns and has_treebank(get_examples())
        if self.has_learnt and path is None and not learns_again:
            return
        if path is not None and nlp is not None:
            # One file at a time is in memory.
            files = spacy_files(path)
            docs = (
                doc for file in files for doc in read_docs(file, nlp.vocab, _SENTENCES)
            )
        else:
            # Commands that only put a pipeline together give a bare example.
            if Surroundings(nlp, self).is_streamed and has_treebank(get_examples()):
                warnings.warn(ONLY_BEGINNING, stacklevel=2)
            docs = (example.reference for example in get_examples())
        evidence = Evidence(self.tokenizer, docs)
        for message in evidence.doubts:
            warnings.warn(f"WordTokenizer: {message}", stacklevel=2)
        boundaries, splitter = WordBoundaries(), Splitter()
        rules = Rules(always=type(self.tokenizer) is not Tokenizer)
        rules.special = getattr(self.tokenizer, "rules", None) or {}
        rules.cases = self._cases_of_pretokens
        boundaries.learn(evidence.pretokens, rules.are_needed)
        splitter.learn(evidence.tokens)
        if not boundaries:
            rules.always = True
        self._use(boundaries, splitter, rules, evidence.joins_numbers)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The tokenizer as bytes."""
        data: dict[str, Any] = {
            "boundaries": self.boundaries.as_dict(),
            "asks_always": self._reader.rewriter.rules.always,
            "splitter": self.splitter.as_dict(),
            "joins_numbers": self.joins_numbers,
            "cases": {text: list(tokens) for text, tokens in self._cases.items()},
            "prefix_search": NO_PATTERN,
        }
        if hasattr(self.tokenizer, "to_bytes"):
            data["tokenizer"] = self.tokenizer.to_bytes(exclude=["vocab"])
        return srsly.msgpack_dumps(data)

    def from_bytes(
        self, data: bytes, *, exclude: Iterable[str] = ()
    ) -> "WordTokenizer":
        """Become the tokenizer that `to_bytes` has stored.

        Raises:
            PipelineError: For other bytes.
        """
        try:
            values: Any = srsly.msgpack_loads(data)
            boundaries = WordBoundaries.from_dict(values["boundaries"])
            splitter = Splitter.from_dict(values["splitter"])
            cases = {
                _text(text): tuple(map(_text, tokens))
                for text, tokens in values["cases"].items()
            }
            if "tokenizer" in values:
                inner: Any = self.tokenizer
                before = inner.to_bytes(exclude=["vocab"])
                # To read thousands of special cases takes as long as all the rest.
                if values["tokenizer"] != before:
                    _replace(inner, values["tokenizer"], before)
            rules = Rules(always=values["asks_always"] is True)
            self._is_stored = True
            self._cases = cases
            # Older files do not have it.
            joins_numbers = values.get("joins_numbers") is True
            self._use(boundaries, splitter, rules, joins_numbers)
        # Damaged bytes fail in spaCy in any way.
        except Exception as error:
            raise PipelineError(
                f"the tokenizer cannot be read ({error}): it was not stored by "
                "WordTokenizer; name the tokenizer that stored it in the config, or "
                "train the pipeline again"
            ) from error
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Store the tokenizer in a file."""
        replace_file(Path(path), self.to_bytes())

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = ()
    ) -> "WordTokenizer":
        """Become the tokenizer that a file contains.

        Raises:
            PipelineError: For another file.
        """
        return self.from_bytes(Path(path).read_bytes())


def _replace(tokenizer: Any, data: bytes, before: bytes) -> None:
    """Give a tokenizer the settings in `data`, or those `before` if they fail."""
    try:
        tokenizer.from_bytes(data, exclude=["vocab"])
        # Rules of a damaged file may fail only when they are used.
        tokenizer("a")
    except Exception:
        tokenizer.from_bytes(before, exclude=["vocab"])
        raise


def _text(value: Any) -> str:
    """The value, which must be a text.

    Raises:
        TypeError: For any other.
    """
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
