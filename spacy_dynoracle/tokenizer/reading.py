"""The Doc of a text, from the words of its pretokens."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from spacy.attrs import NORM, ORTH
from spacy.tokenizer import Tokenizer  # type: ignore[import-not-found]
from spacy.tokens import Doc

from ..doc.borders import make_doc
from ..treebank import multiword
from ..util.typography import composed, with_apostrophes, without_marks
from .joining import joined, parts_of, words_of
from .pretokens import places_of, token_texts
from .rewriting import Rewriter, cut_like

# The settings of spaCy's tokenizer that decide which tokens it finds.
SETTINGS = (
    "rules",
    "prefix_search",
    "suffix_search",
    "infix_finditer",
    "token_match",
    "url_match",
    "faster_heuristics",
)
# How many pretokens are remembered, and of how many characters.
_REMEMBERED = 1 << 15
_SHORT = 64


# The NORM of tokens, by the character where a token begins in a pretoken or a text, and
# its text.
_Norms = dict[tuple[int, str], str]


class _Words(NamedTuple):
    """The words of a pretoken that need more than their texts.

    Attributes:
        words: Their texts, multiword tokens as one.
        norms: The NORM of tokens that have another one than their lexeme. A multiword
            token may be split into these.
        to_split: The numbers of the words that may be multiword tokens.
    """

    words: tuple[str, ...]
    norms: _Norms
    to_split: tuple[int, ...]


# The words of most pretokens are a tuple of their texts, which Python's garbage
# collector does not look at again.
_Known = tuple[str, ...] | _Words


class TextReader:
    """Makes the Doc of a text, and remembers the words of each pretoken.

    spaCy's tokenizer applies its rules to one pretoken after the other. So the reader
    asks it once for each different pretoken that needs the rules, for all of a text
    together, and makes the Doc of words that it knows. It asks any other tokenizer for
    each text, and spaCy's too for a text with a special case that has a blank in it. In
    rare texts spaCy does not find a special case in a pretoken because of the pretoken
    beside it; the reader finds it.

    Args:
        rewriter: Makes words of the tokens. It may not change as long as it is in use.
    """

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter
        self._remembered: dict[str, _Known] = {}
        # The NORM of lexemes, by form.
        self._usual_norms: dict[int, int] = {}
        self._rules: tuple[Any, ...] = ()
        # The special cases with a blank between characters.
        self._with_blanks: list[str] = []
        # If there are any: special cases with other than plain characters, where no
        # case is the same with plain ones.
        self._typographic: list[str] = []

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies for other processes begin without memory.
        return type(self), (self.rewriter,)

    def forget(self) -> None:
        """Forget the words of all pretokens, because the rules have changed."""
        self._remembered.clear()
        self._usual_norms = {}
        self.rewriter.forget()
        self._rules = ()

    def ask_always(self) -> None:
        """Ask the rules about all pretokens from now on, because they have changed."""
        self.rewriter.rules.always = True
        self.forget()

    def __call__(self, tokenizer: Any, text: str) -> Doc:
        """The Doc of a text.

        Args:
            tokenizer: Finds its tokens.
        """
        if not self.rewriter:
            doc: Doc = tokenizer(text)
            return doc
        if not self._reads_by_pretoken(tokenizer, text):
            return self.rewriter(self._whole(tokenizer, text))
        words, followed, special = self._words_of(tokenizer, text)
        to_split = [first + i for first, of in special for i in of.to_split]
        norms: _Norms = {}
        if any(of.norms for _, of in special):
            at = places_of(words, followed)
            for first, of in special:
                start = at[first]
                norms |= {(start + i, x): norm for (i, x), norm in of.norms.items()}
        words, followed, marked = self.rewriter.finished(words, followed, to_split)
        doc = make_doc(tokenizer.vocab, words, followed)
        if norms:
            at = places_of(words, followed)
            for (start, word), norm in norms.items():
                i = bisect_left(at, start)
                if at[i] == start and words[i] == word:
                    doc[i].norm_ = norm
        multiword.mark(doc, marked)
        return doc

    def _whole(self, tokenizer: Any, text: str) -> Doc:
        """The tokens of a text that the tokenizer reads as a whole. spaCy's reads plain
        characters; others may set more than words, and read the text itself.
        """
        read = text
        places: list[int] = []
        is_spacys = type(tokenizer) is Tokenizer
        if is_spacys and not any(case in text for case in self._typographic):
            read, places = composed(without_marks(text))
            read = with_apostrophes(read)
        doc: Doc = tokenizer(read)
        if read == text:
            return doc
        at = places or range(len(text) + 1)
        words = [text[at[t.idx] : at[t.idx + len(t)]] for t in doc]
        made = make_doc(tokenizer.vocab, words, [bool(t.whitespace_) for t in doc])
        for i, norm in self._own_norms(doc).items():
            made[i].norm_ = norm
        return made

    def _reads_by_pretoken(self, tokenizer: Any, text: str) -> bool:
        """Whether the words of a pretoken do not depend on the text around it.

        If the rules of the tokenizer have changed, all pretokens are forgotten.
        """
        if type(tokenizer) is not Tokenizer:
            return False
        rules = _rules(tokenizer)
        if rules != self._rules:
            # The boundaries have learnt with other settings.
            if self._rules and rules[1] != self._rules[1]:
                self.rewriter.rules.always = True
            self.forget()
            special = tokenizer.rules or {}
            self.rewriter.rules.special = special
            self._rules = rules
            self._with_blanks = [
                case
                for case in special
                if not case.isspace() and case.split() != [case]
            ]
            if self._with_blanks:
                self._typographic = [x for x in special if _plain(x) not in special]
        if not self._with_blanks:
            return True
        plain = _plain(text)
        return not any(case in text or case in plain for case in self._with_blanks)

    def _words_of(
        self, tokenizer: Any, text: str
    ) -> tuple[list[str], list[bool], list[tuple[int, _Words]]]:
        """The words of a text before multiword tokens are split, as `joined` gives
        them.
        """
        parts, pretokens = parts_of(without_marks(text), self._remembered)
        new = self._find_all(tokenizer, pretokens) if pretokens else {}
        if "\n>" in text:
            ends = accumulate(map(len, parts), initial=0)
            parts = [text[start:end] for start, end in pairwise(ends)]
            # The first blank belongs to the token before.
            blank = [part[i:] for part in parts[1::2] for i in (0, 1) if part[i:]]
            new |= {part: (part,) for part in blank if ">" in part}
        return joined(parts, self._remembered, new, partial(self._find, tokenizer))

    def _find_all(self, tokenizer: Any, pretokens: Iterable[str]) -> dict[str, _Known]:
        """The words of different pretokens, but of decomposed ones.

        One call of the tokenizer for all of them takes a third of the time.
        """
        rewriter = self.rewriter
        words, to_split, asked = words_of(
            [x for x in pretokens if x.isascii() or not composed(x)[1]],
            rewriter.rules,
            rewriter.boundaries.table.ends,
            rewriter.splitter,
        )
        found: dict[str, _Known] = {**words}
        for pretoken, numbers in to_split.items():
            found[pretoken] = _Words(words[pretoken], {}, numbers)
        if asked:
            found |= self._ask(tokenizer, asked)
        self._remember({x: words for x, words in found.items() if len(x) <= _SHORT})
        return found

    def _ask(self, tokenizer: Any, pretokens: list[str]) -> dict[str, _Known]:
        """The words of pretokens about which the rules are asked."""
        # Line breaks are tokens of their own, and are in no special case.
        doc = tokenizer("\n".join(map(self._for_rules, pretokens)))
        tokens = token_texts(doc)[0]
        norms = self._own_norms(doc)
        found: dict[str, _Known] = {}
        start = 0
        for pretoken in pretokens:
            is_last = len(found) + 1 == len(pretokens)
            stop = len(doc) if is_last else tokens.index("\n", start)
            words: Sequence[str] = tokens[start:stop]
            at = list(accumulate(map(len, words), initial=0))
            if not pretoken.isascii():
                words = [pretoken[i:j] for i, j in pairwise(at)]
            numbers = [i for i in range(start, stop) if i in norms]
            own = {(at[i - start], words[i - start]): norms[i] for i in numbers}
            words, to_split = self.rewriter.rewritten(words) or (words, ())
            found[pretoken] = _known(words, own, to_split)
            start = stop + 1
        return found

    def _for_rules(self, pretoken: str) -> str:
        """A pretoken for the rules, of which those of some languages know one kind of
        apostrophe. Somebody may have added a special case with another one.
        """
        for case in map("".join, self.rewriter.cases):
            if case in pretoken and case != with_apostrophes(case):
                return pretoken
        return with_apostrophes(pretoken)

    def _find(self, tokenizer: Any, pretoken: str) -> _Known:
        """The words of a pretoken that is decomposed, or whitespace."""
        # The rules know letters with accents, and not letters and accents.
        text, places = composed(pretoken)
        if not places and not pretoken.isspace():
            # A long text has made room for others since it was found.
            return self._find_all(tokenizer, [pretoken])[pretoken]
        known = self._ask(tokenizer, [text])[text]
        if places:
            more = known if isinstance(known, _Words) else _Words(known, {}, ())
            norms = {}
            for (at, word), norm in more.norms.items():
                start, stop = places[at], places[at + len(word)]
                norms[start, pretoken[start:stop]] = norm
            words = cut_like(more.words, pretoken, places)
            known = _known(words, norms, more.to_split)
        if len(pretoken) <= _SHORT:
            self._remember({pretoken: known})
        return known

    def _remember(self, found: dict[str, _Known]) -> None:
        if len(self._remembered) + len(found) > _REMEMBERED:
            self._remembered.clear()
        self._remembered |= found

    def _own_norms(self, doc: Doc) -> dict[int, str]:
        """The NORM of the tokens of special cases, which may have another one than
        their lexeme.
        """
        strings = doc.vocab.strings
        usual = self._usual_norms
        table = doc.to_array([ORTH, NORM]).reshape(len(doc), 2)
        pairs = zip(table[:, 0].tolist(), table[:, 1].tolist(), strict=True)
        found = {}
        for i, (form, norm) in enumerate(pairs):
            if form not in usual:
                usual[form] = doc.vocab[form].norm
            if usual[form] != norm:
                found[i] = strings[norm]
        if len(usual) > _REMEMBERED:
            # Not the same one: another thread may be reading it.
            self._usual_norms = {}
        return found


def _known(words: Sequence[str], norms: _Norms, to_split: tuple[int, ...]) -> _Known:
    """The words of a pretoken, as they are remembered."""
    texts = tuple(words)
    return _Words(texts, norms, to_split) if norms or to_split else texts


def _plain(text: str) -> str:
    """The text as the rules of a language have it."""
    return with_apostrophes(composed(text)[0])


def _rules(tokenizer: Tokenizer) -> tuple[Any, ...]:
    """The settings that decide which tokens a tokenizer finds.

    A special case that replaces another one changes none of them.
    """
    # Apart: the boundaries hold with other special cases, but with no other setting.
    settings = tuple(getattr(tokenizer, name) for name in SETTINGS if name != "rules")
    return (len(tokenizer.rules or ()), tokenizer.rules), settings
