"""The output formats of ``parse``. A new format is a class, a name and a line here."""

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from enum import Enum
from html import escape
from itertools import count, repeat
from typing import NamedTuple

import srsly
from spacy.language import Language
from spacy.tokens import Doc

from ..reports.trees import STYLE, Tree, tree_svg
from ..treebank import TreebankSentence, TreebankWord, doc_to_conllu, read_conllu
from ..treebank.pipelines import has_xpos
from ..treebank.sentence import UNKNOWN
from .pipelines import ListedTree


class ParsedDoc(NamedTuple):
    """A parsed Doc.

    source: the sentence of CoNLL-U that it was made from, if there is one.
    doc_tags: whether the tags are taken from the Doc.
    probabilities: the probability of the arc of each token; None for a token without
        one.
    ranked: place and scores in a list of the best trees.
    """

    doc: Doc
    source: TreebankSentence | None
    doc_tags: bool
    probabilities: Sequence[float | None] | None = None
    ranked: ListedTree | None = None


# Stands for the number of a sentence until the output is put together.
_NUMBER = "\0number\0"


class Format(ABC):
    """Turns parsed Docs into text, piece by piece.

    `doc` keeps no state, so that several processes may call it. `joined` keeps the
    state of an output.
    """

    @abstractmethod
    def __init__(self, nlp: Language) -> None: ...

    def begin(self) -> str:
        """The text before the first Doc."""
        return ""

    @abstractmethod
    def doc(self, parsed: ParsedDoc) -> str:
        """The text of a Doc, which `joined` completes."""

    def begin_source(self, text_file: str | None) -> None:  # noqa: B027
        """Begin an input.

        text_file: the file of text whose paragraphs are the next Docs, empty for
            standard input; None if they are sentences, or a text that is in no file.
        """

    def joined(self, text: str) -> str:
        """The text of the next Doc of the output, as it is written."""
        return text

    def end(self) -> str:
        """The text after the last Doc."""
        return ""


class Conllu(Format):
    """CoNLL-U. Comments tell where text files and their paragraphs begin."""

    def __init__(self, nlp: Language) -> None:
        self._sent_ids = count(1)
        self._newdoc = self._newpar = ""
        self._xpos = has_xpos(nlp)

    def doc(self, parsed: ParsedDoc) -> str:
        return doc_to_conllu(
            parsed.doc,
            parsed.source,
            doc_tags=parsed.doc_tags,
            xpos=self._xpos,
            sent_ids=repeat(_NUMBER),
            probabilities=parsed.probabilities,
            support=None if parsed.ranked is None else parsed.ranked.support,
            comments=() if parsed.ranked is None else parsed.ranked.comments(),
        )

    def begin_source(self, text_file: str | None) -> None:
        if text_file is None:
            self._newdoc = self._newpar = ""
            return
        # A name of a file may have bytes that are not UTF-8, and line breaks.
        name = " ".join(text_file.encode(errors="replace").decode().split())
        self._newdoc = f"# newdoc id = {name}\n" if name else "# newdoc\n"
        self._newpar = "# newpar\n"

    def joined(self, text: str) -> str:
        first, *others = text.split(_NUMBER)
        if not others:
            return first
        numbered = (f"{next(self._sent_ids)}{other}" for other in others)
        begin, self._newdoc = f"{self._newdoc}{self._newpar}", ""
        return "".join([begin, first, *numbered])

    def sentences(self, parsed: ParsedDoc) -> Iterator[TreebankSentence]:
        """The sentences of a Doc as they would be written."""
        block = self.doc(parsed)
        if block:
            yield from read_conllu("parsed", stream=io.BytesIO(block.encode()))


class Json(Format):
    """A JSON array with one object per Doc, as ``Doc.to_json`` gives it.

    Probabilities are the extension ``dep_probability`` of tokens. The place and scores
    in a list of the best trees are under ``k_best``.
    """

    def __init__(self, nlp: Language) -> None:
        self._separator = "[\n"

    def doc(self, parsed: ParsedDoc) -> str:
        values = parsed.doc.to_json()
        if parsed.probabilities is not None:
            # spaCy keeps extensions of tokens under this key.
            values["underscore_token"] = {
                "dep_probability": [
                    {"start": token.idx, "value": p}
                    for token, p in zip(parsed.doc, parsed.probabilities, strict=True)
                    if p is not None
                ]
            }
        if parsed.ranked is not None:
            values["k_best"] = parsed.ranked._asdict()
        text: str = srsly.json_dumps(values)
        return text

    def joined(self, text: str) -> str:
        text = self._separator + text
        self._separator = ",\n"
        return text

    def end(self) -> str:
        return "[]\n" if self._separator == "[\n" else "\n]\n"


class Html(Format):
    """A page with a drawing of each tree, without script and network."""

    def __init__(self, nlp: Language) -> None:
        self._conllu = Conllu(nlp)
        self._lang = nlp.lang or "und"
        self._direction = str(nlp.vocab.writing_system.get("direction", "ltr"))

    def begin(self) -> str:
        return (
            "<!DOCTYPE html>\n"
            f'<html lang="{escape(self._lang)}" dir="{escape(self._direction)}">\n'
            '<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>Dependency trees</title>\n<style>\n{STYLE}</style>\n</head>\n"
            "<body>\n"
        )

    def doc(self, parsed: ParsedDoc) -> str:
        sentences = self._conllu.sentences(parsed)
        caption = "" if parsed.ranked is None else parsed.ranked.caption()
        return "".join(self._figure(sentence, caption) for sentence in sentences)

    def end(self) -> str:
        return "</body>\n</html>\n"

    def _figure(self, sentence: TreebankSentence, caption: str) -> str:
        words = sentence.words
        tree = Tree(
            sentence.forms,
            [shown_tag(word).strip("_") for word in words],
            sentence.heads,
            [word.deprel or "" for word in words],
        )
        text = escape(sentence.text or " ".join(sentence.forms))
        svg = tree_svg(tree, right_to_left=self._direction == "rtl")
        below = f"<figcaption>{escape(caption)}</figcaption>\n" if caption else ""
        # The drawing has its own order of the words.
        return (
            f'<figure>\n<p>{text}</p>\n<div class="tree" dir="ltr" tabindex="0">'
            f"{svg}</div>\n{below}</figure>\n"
        )


class IndentedTree(Format):
    """An indented tree for each sentence, for the terminal."""

    def __init__(self, nlp: Language) -> None:
        self._conllu = Conllu(nlp)

    def doc(self, parsed: ParsedDoc) -> str:
        sentences = self._conllu.sentences(parsed)
        caption = "" if parsed.ranked is None else f"# {parsed.ranked.caption()}\n"
        return "".join(caption + tree_text(s) + "\n" for s in sentences)

    def joined(self, text: str) -> str:
        return self._conllu.joined(text)


class FormatName(str, Enum):
    """The names of the formats, for the command line."""

    conllu = "conllu"
    json = "json"
    html = "html"
    tree = "tree"


FORMATS: dict[FormatName, type[Format]] = {
    FormatName.conllu: Conllu,
    FormatName.json: Json,
    FormatName.html: Html,
    FormatName.tree: IndentedTree,
}


def shown_tag(word: TreebankWord) -> str:
    """UPOS, or XPOS if the pipeline sets no UPOS."""
    return word.xpos if word.upos == UNKNOWN else word.upos


def tree_text(sentence: TreebankSentence) -> str:
    """A sentence as an indented tree: each line has the form, tag and label of a word.

    Dependents stand below their head in the order of the sentence; a word with
    an unknown head stands at the left margin like a root.
    """
    dependents: dict[int, list[int]] = {}
    for i, word in enumerate(sentence.words, 1):
        dependents.setdefault(word.head or 0, []).append(i)
    lines = [f"# {sentence.name}: {sentence.text or ' '.join(sentence.forms)}"]
    # A stack instead of recursion: a chain of heads may be thousands of words long.
    stack = [(i, "", "") for i in reversed(dependents.get(0, []))]
    while stack:
        i, branch, margin = stack.pop()
        word = sentence.words[i - 1]
        lines.append(f"{branch}{word.form}  {shown_tag(word)}  {word.deprel or '_'}")
        below = dependents.get(i, [])
        for position, dependent in enumerate(reversed(below)):
            last = position == 0
            stack.append(
                (
                    dependent,
                    margin + ("└── " if last else "├── "),
                    margin + ("    " if last else "│   "),
                )
            )
        # The stack holds them from the last to the first; pop gives sentence order.
    return "\n".join(lines) + "\n"
