"""Running a spaCy pipeline on the words and sentences of a treebank file."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from spacy.language import Language
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc

from ..errors import PipelineError
from .corpora import read_treebank
from .docs import to_doc
from .sentence import TreebankSentence

T = TypeVar("T")

# Docs that are parsed together.
BATCH_SIZE = 256

# A factory of spaCy that writes tags without declaring it.
_TAGGING_FACTORIES = ("attribute_ruler",)
_TAG_ATTRIBUTES = ("token.tag", "token.pos")
# The tags of Universal Dependencies; spaCy has further ones.
# CONJ is a tag of version 1 of UD, in which treebanks without XPOS still come.
_UPOS = frozenset(POS_IDS) - {"", "EOL", "SPACE"}


def parsed_batch(
    nlp: Language, sentences: Sequence[TreebankSentence], *, gold_tags: bool
) -> tuple[list[tuple[TreebankSentence, Doc]], float]:
    """Parse sentences as one batch, with a Doc for each.

    Args:
        gold_tags: Whether the Docs get the tags of the sentences that have some.

    Returns:
        The sentences with their parsed Docs, and the seconds that the pipeline took,
        without reading and making Docs.

    Raises:
        PipelineError: If the pipeline sets no heads or changes words.
    """
    docs = [to_doc(s, nlp.vocab, tags=gold_tags, tree=False) for s in sentences]
    start = time.perf_counter()
    parsed = piped(nlp, docs, len(docs))
    seconds = time.perf_counter() - start
    pairs = list(zip(sentences, parsed, strict=True))
    for sentence, doc in pairs:
        check_parsed(nlp, doc, sentence)
    return pairs, seconds


def piped(nlp: Language, docs: Sequence[Doc], batch_size: int) -> list[Doc]:
    """As `surviving`, all Docs in their order.

    Raises:
        PipelineError: If a component drops a Doc.
    """
    found = surviving(nlp, docs, batch_size)
    for i, doc in enumerate(docs):
        if i not in found:
            raise PipelineError(
                f"a component of {called(nlp)} dropped {doc.text[:60]!r}: give the "
                "pipeline another error handler, or remove the text"
            )
    return [found[i] for i in range(len(docs))]


def surviving(nlp: Language, docs: Sequence[Doc], batch_size: int) -> dict[int, Doc]:
    """Run a pipeline on Docs, of which some may have tags.

    Docs with tags keep them: the components that would overwrite tags (see
    `tag_writers`) get the other Docs alone.

    Returns:
        The parsed Docs by their places among all, without those that components drop.
    """
    tagged = [doc.has_annotation("TAG") or doc.has_annotation("POS") for doc in docs]
    found: dict[int, Doc] = {}
    for has_tags in sorted(set(tagged)):
        some = [(doc, i) for i, doc in enumerate(docs) if tagged[i] is has_tags]
        with nlp.select_pipes(disable=tag_writers(nlp) if has_tags else []):
            parsed = nlp.pipe(some, as_tuples=True, batch_size=batch_size)
            found |= {i: doc for doc, i in parsed}
    return found


def file_has_tags(path: str | Path) -> bool:
    """Whether any sentence of a treebank file has tags.

    Raises:
        TreebankError: For a file that cannot be read.
    """
    return any(sentence.has_tags for sentence in read_treebank(path))


def tag_writers(nlp: Language) -> list[str]:
    """The names of the enabled components that would overwrite tags set before parsing.

    Components that set heads are never among them.
    """
    names = []
    for name in nlp.pipe_names:
        meta = nlp.get_pipe_meta(name)
        writes = any(attribute in meta.assigns for attribute in _TAG_ATTRIBUTES)
        if "token.head" in meta.assigns:
            continue
        if writes or meta.factory in _TAGGING_FACTORIES:
            names.append(name)
    return names


def has_xpos(nlp: Language) -> bool:
    """Whether TAG of a pipeline is an XPOS.

    False if the last component that sets TAG has learnt UPOS tags alone, as from
    training data without XPOS.
    """
    tags = learnt_tags(nlp)
    return not tags or bool(tags - _UPOS)


def learnt_tags(nlp: Language) -> set[str]:
    """The values of TAG that the last component that sets TAG has learnt; none if they
    are not known.
    """
    found: set[str] = set()
    for name, component in nlp.pipeline:
        meta = nlp.get_pipe_meta(name)
        if meta.factory in _TAGGING_FACTORIES:
            found = set()
        if "token.tag" not in meta.assigns:
            continue
        by_attribute = getattr(component, "label_data", None)
        if isinstance(by_attribute, dict):
            labels = by_attribute.get("TAG", ())
        else:
            labels = getattr(component, "labels", ())
        if labels:
            found = set(labels)
    return found


def check_parsed(
    nlp: Language, doc: Doc, sentence: TreebankSentence | None = None
) -> None:
    """Raise PipelineError if a pipeline has set no heads on a Doc or changed its words.

    Args:
        sentence: The sentence that the Doc was made from, if it was made from one.
    """
    if len(doc) and not doc.has_annotation("DEP"):
        raise PipelineError(
            f"{called(nlp)} sets no heads (its components: {components(nlp)}); it "
            "needs a parser, such as dynoracle_parser"
        )
    if sentence is not None:
        check_words(nlp, doc, sentence)


def check_words(nlp: Language, doc: Doc, sentence: TreebankSentence) -> None:
    """Raise PipelineError if a Doc has other words than the sentence it was made
    from.
    """
    if len(doc) != len(sentence.words):
        raise PipelineError(
            f"{called(nlp)} splits or merges words of {sentence.path} (its components: "
            f"{components(nlp)}); remove the component that does"
        )


def called(nlp: Language) -> str:
    """The name of a pipeline in messages, with the directory of a loaded one."""
    return "the pipeline" if nlp.path is None else f"the pipeline '{nlp.path}'"


def components(nlp: Language) -> str:
    """The names of the enabled components, for messages."""
    return ", ".join(nlp.pipe_names) or "none"


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most `size` items."""
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch
