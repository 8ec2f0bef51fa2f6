"""The heads and labels that a system gives the words of a treebank.

A system is a pipeline, or a file with its output. Where its words are not those of the
treebank, they are aligned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from ..errors import PipelineError, TreebankError
from ..treebank import TreebankSentence, heads_and_labels, read_treebank
from ..treebank.corpora import corpus_name
from ..treebank.pipelines import (
    batched,
    called,
    check_parsed,
    file_has_tags,
    parsed_batches,
)
from ..treebank.text import paragraphs
from .alignment import align
from .errors import OUTSIDE
from .texts import Text, TextBuilder, difference, text_of

# A pipeline, or a file with parsed sentences.
System = Language | str | Path
OnProgress = Callable[[int], object]
# The text of a paragraph, and its sentences.
Paragraph = tuple[str, list[TreebankSentence]]

# Paragraphs of raw text that are parsed at a time.
_PARAGRAPHS = 200


class Parse(NamedTuple):
    """The heads and labels that a system gives the words of a sentence.

    heads: numbers of words, from 1; 0 is the root, OUTSIDE a word of another sentence,
    or one that the treebank does not have. None: the system has no such word, or no
    head for it.
    """

    sentence: TreebankSentence
    heads: Sequence[int | None]
    labels: Sequence[str | None]


def parses(
    system: System,
    gold: str | Path,
    *,
    from_text: bool = False,
    gold_tags: bool = True,
    batch_size: int = 256,
    on_progress: OnProgress = lambda n: None,
) -> Iterator[Parse]:
    """Yield the sentences of a treebank with the heads and labels of a system.

    from_text: whether a pipeline starts from raw text, rather than from the words and
        sentences of the treebank. gold_tags: whether a pipeline gets the tags of the
        treebank, if there are any.

    Raises TreebankError for files that cannot be used or do not go together, and
    PipelineError if the pipeline cannot parse the treebank.
    """
    if not isinstance(system, Language):
        sentences, predicted = read_pair(gold, system)
        yield from aligned_parses(sentences, text_of(sentences), predicted)
    elif from_text:
        builder = TextBuilder()
        found: list[TreebankSentence] = []
        for batch in checked_paragraphs(system, gold):
            docs = system.pipe([text for text, _ in batch], batch_size=batch_size)
            for (_, sentences), doc in zip(batch, docs, strict=True):
                check_parsed(system, doc)
                builder.add_doc(doc)
                found += sentences
                on_progress(len(sentences))
        predicted, expected = builder.text(), text_of(found)
        if expected.characters != predicted.characters:
            problem = difference(expected.characters, predicted.characters)
            raise PipelineError(f"{corpus_name(gold)}: {problem}")
        yield from aligned_parses(found, expected, predicted)
    else:
        for parsed in parsed_batches(
            system,
            gold,
            gold_tags=gold_tags and file_has_tags(gold),
            batch_size=batch_size,
        ):
            for sentence, doc in parsed.pairs:
                yield Parse(sentence, *heads_and_labels(doc))
            on_progress(len(parsed.pairs))


def read_pair(
    gold: str | Path, predicted: str | Path
) -> tuple[list[TreebankSentence], Text]:
    """The sentences of a treebank, and the words of a file with parses of its text.

    Raises TreebankError for files that cannot be used, and if the files differ in other
    characters than whitespace.
    """
    sentences = list(read_treebank(gold))
    expected, found = text_of(sentences), text_of(read_treebank(predicted))
    if expected.characters != found.characters:
        raise TreebankError(
            f"{corpus_name(predicted)}: other text than {corpus_name(gold)}: "
            f"{difference(expected.characters, found.characters)}; name two files with "
            "the same text",
            str(predicted),
        )
    return sentences, found


def aligned_parses(
    sentences: Sequence[TreebankSentence], gold: Text, predicted: Text
) -> Iterator[Parse]:
    """Yield the sentences of a treebank with the heads and labels of aligned words.

    gold: the words of the sentences.
    """
    pairs = align(gold.words, predicted.words)
    predicted_of = dict(pairs)
    gold_of = {p: g for g, p in pairs}
    for sentence, start in zip(sentences, gold.starts, strict=True):
        own = range(start, start + len(sentence.words))
        heads: list[int | None] = []
        labels: list[str | None] = []
        for i in own:
            p = predicted_of.get(i)
            word = None if p is None else predicted.words[p]
            labels.append(None if word is None else word.deprel)
            if word is None or word.head is None:
                heads.append(None)
            elif word.head == -1:
                heads.append(0)
            else:
                head = gold_of.get(word.head, OUTSIDE)
                heads.append(head - start + 1 if head in own else OUTSIDE)
        yield Parse(sentence, heads, labels)


def checked_paragraphs(
    nlp: Language, treebank: str | Path
) -> Iterator[list[Paragraph]]:
    """Yield the paragraphs of a treebank, some at a time.

    Raises PipelineError for a text that is too long for the pipeline.
    """
    for batch in batched(paragraphs(read_treebank(treebank)), _PARAGRAPHS):
        for text, sentences in batch:
            if len(text) > nlp.max_length:
                raise PipelineError(
                    f"{corpus_name(treebank)}: the text from sentence "
                    f"{sentences[0].name} has {len(text):,} characters, but "
                    f"{called(nlp)} takes at most {nlp.max_length:,}; mark where "
                    "documents begin with comments # newdoc"
                )
        yield batch
