"""The output formats of ``parse``. A new format is a class, a name and a line here."""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from html import escape
from itertools import count
from typing import Literal, NamedTuple

import srsly
from spacy.displacy.render import DependencyRenderer
from spacy.language import Language
from spacy.tokens import Doc

from ..treebank import TreebankSentence, TreebankWord, multiword
from ..treebank.pipelines import has_xpos
from ..treebank.sentence import UNKNOWN, comment_value
from ..treebank.text import sentence_text, starts_text
from ..treebank.writer import doc_sentences, sentence_to_conllu
from .pipelines import ListedTree

# Words of the longest sentence that is drawn, and pixels of a character.
_MOST_DRAWN = 20
_CHARACTER = 10
# Pixels between two words. With less, the label of an arc lies on the next one.
_NARROWEST = 120
# Characters of the margin of an indented tree.
_WIDEST = 400
_TSV_COLUMNS = (
    "doc_id paragraph_id sentence_id sentence token_id token lemma upos xpos feats "
    "head_token_id dep_rel deps misc"
)
# Sentences of CoNLL-U that begin with a document.
_NEWDOC = re.compile(r"(#.*\n)*#\s*newdoc\b")
# Text of the output; None stands for the number of the next sentence.
Piece = str | None


class ParsedDoc(NamedTuple):
    """A parsed Doc.

    Attributes:
        source: The sentence of CoNLL-U that it was made from, if there is one.
        doc_tags: Whether the tags are taken from the Doc.
        probabilities: The probability of the arc of each token; None for a token
            without one.
        ranked: Place and scores in a list of the best trees.
    """

    doc: Doc
    source: TreebankSentence | None
    doc_tags: bool
    probabilities: Sequence[float | None] | None = None
    ranked: ListedTree | None = None

    def sentences(self, xpos: bool) -> Iterator[TreebankSentence]:
        """The sentences as they are written.

        Args:
            xpos: Whether TAG is an XPOS.
        """
        return doc_sentences(
            self.doc,
            self.source,
            doc_tags=self.doc_tags,
            xpos=xpos,
            probabilities=self.probabilities,
            support=None if self.ranked is None else self.ranked.tree.support(),
        )


class Format(ABC):
    """Turns parsed Docs into text, piece by piece.

    `doc` keeps no state, so that several processes may call it. `joined` keeps the
    state of an output.
    """

    def __init__(self, nlp: Language) -> None:
        self._xpos = has_xpos(nlp)
        self._numbers = count(1)

    def begin(self) -> str:
        """The text before the first Doc."""
        return ""

    @abstractmethod
    def doc(self, parsed: ParsedDoc) -> list[Piece]:
        """The pieces of a Doc, which `joined` puts together."""

    def begin_source(self, text_file: str | None) -> None:  # noqa: B027
        """Begin an input.

        Args:
            text_file: The file of text whose paragraphs are the next Docs, empty for
                standard input; None if they are sentences, or a text that is in no
                file.
        """

    def joined(self, pieces: Sequence[Piece]) -> str:
        """The text of the next Doc of the output, as it is written."""
        return "".join(
            str(next(self._numbers)) if piece is None else piece for piece in pieces
        )

    def end(self) -> str:
        """The text after the last Doc."""
        return ""


class Conllu(Format):
    """CoNLL-U. Comments tell where text files and their paragraphs begin."""

    _newdoc = _newpar = ""
    _has_begun = False

    def doc(self, parsed: ParsedDoc) -> list[Piece]:
        comments = [] if parsed.ranked is None else parsed.ranked.comments()
        pieces: list[Piece] = []
        for sentence in parsed.sentences(self._xpos):
            if parsed.source is None:
                pieces += ["# sent_id = ", None, "\n"]
            pieces.append(sentence_to_conllu(sentence, comments))
        return pieces

    def begin_source(self, text_file: str | None) -> None:
        if text_file is None:
            # A treebank behind another input may tell itself where its documents begin.
            self._newdoc = "# newdoc\n" if self._has_begun else ""
            self._newpar = ""
            return
        name = _in_one_line(text_file)
        self._newdoc = f"# newdoc id = {name}\n" if name else "# newdoc\n"
        self._newpar = "# newpar\n"

    def joined(self, pieces: Sequence[Piece]) -> str:
        if not pieces:
            return ""
        text = super().joined(pieces)
        begin, self._newdoc = f"{self._newdoc}{self._newpar}", ""
        self._has_begun = True
        return text if _NEWDOC.match(text) and not self._newpar else begin + text


class Json(Format):
    """A JSON array with one object per Doc, as ``Doc.to_json`` gives it.

    Probabilities are the extension ``dep_probability`` of tokens. The place and scores
    in a list of the best trees are under ``k_best``. A word of a multiword token has
    its form as ``norm`` where that is not its text.
    """

    _separator = "[\n"

    def doc(self, parsed: ParsedDoc) -> list[Piece]:
        values = parsed.doc.to_json()
        for token, form in multiword.own_forms(parsed.doc):
            values["tokens"][token]["norm"] = parsed.doc.vocab.strings[form]
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
            values["k_best"] = parsed.ranked.as_dict()
        return [srsly.json_dumps(values)]

    def joined(self, pieces: Sequence[Piece]) -> str:
        text = self._separator + super().joined(pieces)
        self._separator = ",\n"
        return text

    def end(self) -> str:
        return "[]\n" if self._separator == "[\n" else "\n]\n"


class Html(Format):
    """A page with the trees, without script and network: a drawing of displaCy for a
    sentence that fits on a screen, and an indented tree for a longer one.
    """

    def __init__(self, nlp: Language) -> None:
        super().__init__(nlp)
        self._drawing = DependencyRenderer({"compact": True})
        self._lang = nlp.lang or "und"
        direction = str(nlp.vocab.writing_system.get("direction", "ltr"))
        self._drawing.lang, self._drawing.direction = self._lang, direction

    def begin(self) -> str:
        return (
            "<!DOCTYPE html>\n"
            f'<html lang="{escape(self._lang)}" dir="{self._drawing.direction}">\n'
            '<head>\n<meta charset="utf-8">\n<title>Dependency trees</title>\n</head>\n'
            '<body style="font-family: sans-serif">\n'
        )

    def doc(self, parsed: ParsedDoc) -> list[Piece]:
        caption = "" if parsed.ranked is None else escape(parsed.ranked.caption())
        pieces: list[Piece] = []
        for sentence in parsed.sentences(self._xpos):
            text = escape(_text(sentence))
            if len(sentence.words) > _MOST_DRAWN:
                tree = f"<pre>{escape(tree_text(sentence))}</pre>"
            else:
                tree = self._drawn(sentence)
            below = caption and f"\n<figcaption>{caption}</figcaption>"
            pieces.append(f"<figure>\n<p>{text}</p>\n{tree}{below}\n</figure>\n")
        return pieces

    def end(self) -> str:
        return "</body>\n</html>\n"

    def _drawn(self, sentence: TreebankSentence) -> str:
        words = [
            {"text": word.form, "tag": escape(shown_tag(word).strip("_"))}
            for word in sentence.words
        ]
        arcs = [
            {
                "start": min(word.head - 1, i),
                "end": max(word.head - 1, i),
                "dir": "left" if i < word.head - 1 else "right",
                "label": escape(word.deprel or ""),
            }
            for i, word in enumerate(sentence.words)
            if word.head
        ]
        longest = max(len(word.form) for word in sentence.words)
        self._drawing.distance = max(_NARROWEST, _CHARACTER * (longest + 1))
        # Labels find their arcs by the name of the drawing: only equal ones share it.
        name = hashlib.sha256(repr((words, arcs)).encode()).hexdigest()
        return self._drawing.render_svg(name, words, arcs)


class IndentedTree(Format):
    """An indented tree for each sentence, for the terminal."""

    def doc(self, parsed: ParsedDoc) -> list[Piece]:
        caption = "" if parsed.ranked is None else f"# {parsed.ranked.caption()}\n"
        pieces: list[Piece] = []
        for sentence in parsed.sentences(self._xpos):
            name = None if parsed.source is None else sentence.name
            tree = f": {_text(sentence)}\n{tree_text(sentence)}\n"
            pieces += [f"{caption}# ", name, tree]
        return pieces


class Tsv(Format):
    """A table with a row for each token, multiword tokens and empty nodes included. Its
    columns are those of the data frame of R's udpipe. A cell without a value is empty.
    """

    _document = ""
    _n_documents = _paragraph = 0
    _is_text = False

    def begin(self) -> str:
        return _TSV_COLUMNS.replace(" ", "\t") + "\n"

    def doc(self, parsed: ParsedDoc) -> list[Piece]:
        pieces: list[Piece] = []
        for sentence in parsed.sentences(self._xpos):
            name = None if parsed.source is None else sentence.name
            pieces += [sentence_to_conllu(sentence), name, _text(sentence)]
        return pieces

    def begin_source(self, text_file: str | None) -> None:
        self._is_text = text_file is not None
        self._document = ""
        if text_file is not None:
            self._begin_document(text_file)

    def _begin_document(self, name: str | None) -> None:
        self._n_documents += 1
        self._document = _in_one_line(name or f"doc{self._n_documents}")
        self._paragraph = 0

    def joined(self, pieces: Sequence[Piece]) -> str:
        self._paragraph += self._is_text
        found = []
        for conllu, name, text in zip(*[iter(pieces)] * 3, strict=True):
            lines = (conllu or "").rstrip("\n").split("\n")
            self._follow([line for line in lines if line.startswith("#")])
            place = (self._document, str(self._paragraph))
            name = name or str(next(self._numbers))
            sentence = (_in_one_line(name), _in_one_line(text or ""))
            for line in lines:
                if not line.startswith("#"):
                    token_id, form, lemma, *others = line.split("\t")
                    # An underscore is no value, unless it is the word itself.
                    values = ["" if value == UNKNOWN else value for value in others]
                    lemma = "" if lemma == UNKNOWN != form else lemma
                    row = (*place, *sentence, token_id, form, lemma, *values)
                    found.append("\t".join(row) + "\n")
        return "".join(found)

    def _follow(self, comments: Sequence[str]) -> None:
        """Begin the documents and paragraphs that the comments of a sentence begin."""
        for comment in filter(starts_text, comments):
            if comment.lstrip("# ").startswith("newdoc"):
                self._begin_document(comment_value(comment, "newdoc id"))
            else:
                self._paragraph += 1
        if not self._document:
            self._begin_document(None)
        self._paragraph = max(self._paragraph, 1)


FormatName = Literal["conllu", "json", "html", "tree", "tsv"]
FORMATS: dict[str, type[Format]] = {
    "conllu": Conllu,
    "json": Json,
    "html": Html,
    "tree": IndentedTree,
    "tsv": Tsv,
}


def shown_tag(word: TreebankWord) -> str:
    """UPOS, or XPOS if the pipeline sets no UPOS."""
    return word.xpos if word.upos == UNKNOWN else word.upos


def _in_one_line(value: str) -> str:
    """A value without tabs, line ends and several blanks, such as the name of a file,
    which may also have bytes that are not UTF-8.
    """
    return " ".join(value.encode(errors="replace").decode().split())


def _text(sentence: TreebankSentence) -> str:
    return sentence.text or sentence_text(sentence)


def cut_off(margin: str) -> str:
    """A margin that is no wider than a page: a tree may be thousands of words deep."""
    return margin if len(margin) <= _WIDEST else "… " + margin[-_WIDEST:]


def tree_text(sentence: TreebankSentence) -> str:
    """A sentence as an indented tree: each line has the form, tag and label of a word.

    Dependents stand below their head in the order of the sentence; a word with
    an unknown head stands at the left margin like a root.
    """
    dependents: dict[int, list[int]] = {}
    for i, word in enumerate(sentence.words, 1):
        dependents.setdefault(word.head or 0, []).append(i)
    lines = []
    # A stack instead of recursion: a chain of heads may be thousands of words long.
    stack = [(i, "", "") for i in reversed(dependents.get(0, []))]
    while stack:
        i, branch, margin = stack.pop()
        word = sentence.words[i - 1]
        lines.append(f"{branch}{word.form}  {shown_tag(word)}  {word.deprel or '_'}")
        # The stack holds them from the last to the first; pop gives sentence order.
        branch, below = "└── ", "    "
        for dependent in reversed(dependents.get(i, [])):
            stack.append((dependent, margin + branch, cut_off(margin + below)))
            branch, below = "├── ", "│   "
    return "\n".join(lines) + "\n"
