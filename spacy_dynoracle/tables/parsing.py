"""The batch function: a batch of rows with texts in, a batch of annotations out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_package

from ..errors import PipelineError, value_errors_as
from ..parser.lookup import find_any, load_pipeline
from ..treebank import TreebankSentence, to_doc
from ..treebank.pipelines import check_parsed, surviving
from ..util.config_errors import check_choice, check_count
from ..util.files import last_change
from .batches import pieces
from .columns import annotation_batch
from .documents import Words, read_sentence
from .schema import SCHEMA

# What a table may have to parse. The first of these that is there is parsed.
KINDS = ("text", "tokens", "conllu")
# Names of columns in a message.
_SHOWN = 20
# Words that a process keeps. Words that it meets after them are forgotten with their
# texts: memory stays constant, but the tokenizer works each time they come.
LEXEMES = 200_000


@dataclass(frozen=True)
class TableParser:
    """Parses batches of rows.

    An input row has an id and one of these, as the first of the columns that exists:

    - text: a text, which the tokenizer of the pipeline divides into words;
    - tokens: a list of words, with a list `spaces` that says whether a space follows
      each one (a space follows every word if the column is missing);
    - conllu: a sentence in CoNLL-U, whose words, tags and boundary are kept.

    Other columns are left out, unless they are kept. A row with an `error` is not
    parsed.

    The object is small and goes to worker processes. The pipeline is loaded once in
    each process, when the first batch comes.

    Attributes:
        model: Package or directory of a pipeline, as the workers see it. A directory
            that exists here is made absolute: workers may have another working
            directory.
        probabilities: "transition" or "marginal" for the probability of each arc.
        gold_tags: Whether the tags of CoNLL-U are used; components that would overwrite
            them are then disabled.
        id, text: Names of the columns with the id and the text. Without a column "id",
            which alone may be missing, rows have the id null.
        keep: Names of further columns that the output has, too, as text. Values that
            are no texts are written as JSON.
        batch_size: Docs in a batch of the pipeline.
    """

    model: str
    probabilities: Literal["transition", "marginal"] | None = None
    gold_tags: bool = True
    id: str = "id"
    text: str = "text"
    keep: tuple[str, ...] = ()
    batch_size: int = 256

    def __post_init__(self) -> None:
        kinds = (None, "transition", "marginal")
        check_choice("probabilities", self.probabilities, kinds)
        check_count("batch_size", self.batch_size, 1)
        if isinstance(self.keep, str):
            raise ValueError(f"keep = {self.keep!r}: expected a list of names")
        object.__setattr__(self, "keep", tuple(self.keep))
        taken = [name for name in self.keep if name in SCHEMA.names]
        if taken or len(set(self.keep)) < len(self.keep):
            raise ValueError(
                f"cannot keep the columns {', '.join(self.keep)}: expected each name "
                f"once, and none of {', '.join(SCHEMA.names)}, which the output has"
            )
        if self.id == self.text:
            raise ValueError(
                f"id and text are both the column {self.id!r}: name two columns"
            )
        # A package comes first, as for spaCy.
        if not is_package(self.model) and Path(self.model).is_dir():
            object.__setattr__(self, "model", str(Path(self.model).absolute()))

    def __call__(self, rows: pa.RecordBatch | pa.Table) -> pa.RecordBatch | pa.Table:
        """The annotation of a batch or a table of rows, in their order.

        Raises:
            PipelineError: If the pipeline cannot be loaded or sets no heads.
            TypeError: For a table of another library.
            ValueError: If there is no column to parse.
        """
        if not isinstance(rows, pa.RecordBatch | pa.Table):
            raise TypeError(
                f"expected a table or batch of Arrow, got {type(rows).__name__}: of "
                f"polars frame.to_arrow(), of pandas pa.Table.from_pandas(frame), of a "
                f'reader reader.read_all(), in Ray batch_format="pyarrow"'
            )
        is_table = isinstance(rows, pa.Table)
        batches = list(self.batches(rows.to_batches() if is_table else [rows]))
        table = pa.Table.from_batches(batches, self.schema)
        if is_table:
            return table
        whole = table.combine_chunks().to_batches()
        return whole[0] if whole else pa.RecordBatch.from_pylist([], self.schema)

    @property
    def schema(self) -> pa.Schema:
        """The schema of the output: `SCHEMA` and the columns that are kept."""
        kept = [pa.field(name, pa.string()) for name in self.keep]
        return pa.schema([*SCHEMA, *kept], metadata=SCHEMA.metadata)

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The annotation of a stream of batches, as Spark's `mapInArrow` wants it.

        The batches that come out are small, whatever those that go in are.
        """
        for batch in batches:
            kind, column, read = input_columns(batch.schema, self)
            for piece in pieces(batch.select(read)):
                yield self._parsed(_Rows(piece, kind, column, self.id))

    def load(self) -> Language:
        """The pipeline of this process.

        Raises:
            PipelineError: If it cannot be loaded or has no probabilities.
        """
        return _loaded(self.model, self.probabilities, last_change(self.model))

    def _parsed(self, rows: _Rows) -> pa.RecordBatch:
        nlp = self.load()
        inputs, errors = rows.inputs()
        docs: list[Doc | None] = [None] * len(inputs)
        full = len(nlp.vocab) > LEXEMES
        with nlp.memory_zone() if full else nullcontext():
            wanted = [i for i, given in enumerate(inputs) if given is not None]
            self._parse(nlp, inputs, wanted, docs, errors)
            texts = list(map(_text, docs, rows.texts()))
            found = annotation_batch(
                rows.ids(), texts, docs, errors, nlp.vocab,
                self.probabilities is not None,
            )  # fmt: skip
            docs.clear()
        kept = [rows.kept(name) for name in self.keep]
        return pa.RecordBatch.from_arrays([*found.columns, *kept], schema=self.schema)

    def _parse(
        self,
        nlp: Language,
        inputs: Sequence[Input],
        wanted: Sequence[int],
        docs: list[Doc | None],
        errors: list[str | None],
    ) -> None:
        """Parse some of the inputs: all at once, or one by one if one of them fails."""
        try:
            made = [_ready(inputs[i], nlp, self) for i in wanted]
            found = surviving(nlp, made, self.batch_size)
        except Exception as error:
            if len(wanted) == 1:
                errors[wanted[0]] = f"{type(error).__name__}: {error}"
                return
            for i in wanted:
                self._parse(nlp, inputs, [i], docs, errors)
            return
        for place, i in enumerate(wanted):
            doc = docs[i] = found.get(place)
            if doc is None:
                errors[i] = "a component of the pipeline dropped the document"
            else:
                check_parsed(nlp, doc)


Input = str | Words | TreebankSentence | None


class _Rows:
    """Rows that are parsed together.

    Args:
        kind: What is parsed, see `input_columns`.
        column, id: The names of its column, and of that with the ids.
    """

    def __init__(self, batch: pa.RecordBatch, kind: str, column: str, id: str) -> None:
        self.batch, self.kind, self.column, self.id = batch, kind, column, id
        # The column with reasons why rows are not parsed, unless it is another one.
        self.errors = None if "error" in (column, id) else "error"

    def ids(self) -> list[str | None]:
        """The ids as texts."""
        return [None if x is None else str(x) for x in self._decoded(self.id)]

    def kept(self, name: str) -> pa.Array:
        """The values of a column that is kept, as texts."""
        return pa.array(map(as_text, self._decoded(name)), pa.string())

    def _decoded(self, name: str) -> list[Any]:
        """The values of a column. Spark, Hive and Impala may have texts as bytes;
        those that are no text get the escapes of Python.
        """
        return [
            x.decode(errors="backslashreplace") if isinstance(x, bytes) else x
            for x in self._list(name)
        ]

    def texts(self) -> list[str | None]:
        """The texts as far as the input has them."""
        return self._list(self.column if self.kind == "text" else None)

    def inputs(self) -> tuple[list[Input], list[str | None]]:
        """The inputs and the errors of the rows, None where a row has none."""
        values, broken = self._values(self.column)
        errors = self._list(self.errors)
        pairs = zip(errors, broken, strict=True)
        errors = [as_text(own) if own else new for own, new in pairs]
        inputs: list[Input] = values
        if self.kind == "tokens":
            spaces = self._list("spaces")
            inputs = [
                None if words is None else Words(words, after)
                for words, after in zip(values, spaces, strict=True)
            ]
        for i, value in enumerate(inputs):
            if errors[i] is not None:
                inputs[i] = None
            elif value is None:
                errors[i] = f"the row has no {self.kind}"
            elif self.kind == "conllu":
                try:
                    inputs[i] = read_sentence(value)  # type: ignore[arg-type]
                except ValueError as error:
                    inputs[i], errors[i] = None, str(error)
        return inputs, errors

    def _list(self, name: str | None) -> list[Any]:
        if name is None or name not in self.batch.schema.names:
            return [None] * len(self.batch)
        return self._values(name)[0]

    def _values(self, name: str) -> tuple[list[Any], list[str | None]]:
        """The values of a column, and for each what is wrong with it.

        Files may have texts that are not UTF-8, which Arrow does not check.
        """
        column = self.batch.column(name)
        errors: list[str | None] = [None] * len(column)
        try:
            return column.to_pylist(), errors
        except UnicodeDecodeError:
            values: list[Any] = [None] * len(column)
        for i, value in enumerate(column):
            try:
                values[i] = value.as_py()
            except UnicodeDecodeError as error:
                errors[i] = f"the text is not UTF-8 ({error.reason})"
        return values, errors


def input_columns(schema: pa.Schema, parser: TableParser) -> tuple[str, str, list[str]]:
    """The columns of a table that are read.

    Returns:
        The kind of what is parsed ("text", "tokens" or "conllu"), the name of its
        column, and the names of all columns that are read.

    Raises:
        ValueError: As of `parsed_column`, if the column that is parsed has the wrong
            type, or if several columns have one of the names.
    """
    names = schema.names
    kind, column = parsed_column(names, parser)
    others = {"spaces", "error"} if kind == "tokens" else {"error"}
    used = {column, parser.id, *others, *parser.keep}
    for each in sorted(used):
        if names.count(each) > 1:
            raise ValueError(f"has several columns {each!r}; rename all but one")
    given = schema.field(column).type
    wanted = "a list of texts" if kind == "tokens" else "text"
    value = given.value_type if pa.types.is_dictionary(given) else given
    if kind == "tokens":
        is_list = pa.types.is_list(value) or pa.types.is_large_list(value)
        value = value.value_type if is_list else None
    is_text = pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view
    if not pa.types.is_null(given) and not (
        value is not None and any(test(value) for test in is_text)
    ):
        raise ValueError(
            f"the column {column!r} has the type {given}; expected {wanted}"
        )
    return kind, column, [name for name in names if name in used]


def parsed_column(
    names: Sequence[str], parser: TableParser, kinds: Sequence[str] = KINDS
) -> tuple[str, str]:
    """The kind of what is parsed of a table with these columns, and its column.

    Args:
        kinds: Those that the table can have.

    Raises:
        ValueError: If there is no column to parse, or one that the parser names is not
            there. Only "id" and "text" may be missing.
    """
    shown = [*names[:_SHOWN], "..."] if len(names) > _SHOWN else names
    has = f"the table has the columns {', '.join(shown)}, and none of them is"
    columns = [(kind, parser.text if kind == "text" else kind) for kind in kinds]
    found = [(kind, name) for kind, name in columns if name in names]
    if not found:
        others = " or ".join(repr(name) for _, name in columns)
        raise ValueError(f"{has} {others}; name the one with the text (--text-column)")
    if parser.text not in ("text", *names):
        raise ValueError(f"{has} {parser.text!r}; name another --text-column")
    for name in parser.keep:
        if name not in names:
            raise ValueError(f"{has} {name!r}, which you want to keep (--keep)")
    if parser.id not in ("id", *names):
        raise ValueError(
            f"{has} {parser.id!r}; name the one with the ids (--id-column)"
        )
    return found[0]


def as_text(value: Any) -> str | None:
    """A value of a column that is kept: texts as they are, others as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _ready(value: Input, nlp: Language, parser: TableParser) -> Doc:
    """The unparsed Doc of an input, which must have something to parse."""
    if isinstance(value, Words):
        return value.doc(nlp.vocab)
    if isinstance(value, TreebankSentence):
        return to_doc(value, nlp.vocab, tags=parser.gold_tags, tree=False)
    return nlp.make_doc(value or "")


def _text(doc: Doc | None, given: str | None) -> str | None:
    """The text of a document, which spaCy joins word by word, or of its row."""
    if doc is None:
        return given
    # Tokenizers keep all characters, as a rule.
    last = doc[-1] if len(doc) else None
    length = 0 if last is None else last.idx + len(last.text_with_ws)
    return given if given is not None and len(given) == length else doc.text


@lru_cache(maxsize=2)
def _loaded(model: str, probabilities: str | None, changed: int) -> Language:
    """The pipeline of this process.

    Args:
        changed: The time of its last change, since the worker may outlive the pipeline.
    """
    nlp = load_pipeline(model)
    if probabilities is not None:
        with value_errors_as(PipelineError, f"the pipeline {model!r}: "):
            find_any(nlp).ask_for(probabilities)
    return nlp
