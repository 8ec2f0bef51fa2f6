"""The heads and labels that a system gives the words of a treebank.

A system is a pipeline, or a file with its output. Where its words are not those of the
treebank, they are aligned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from ..errors import PipelineError, TreebankError
from ..treebank import TreebankSentence, heads_and_labels, read_treebank
from ..treebank.corpora import corpus_name
from ..treebank.pipelines import (
    BATCH_SIZE,
    batched,
    called,
    check_parsed,
    file_has_tags,
    parsed_batch,
)
from ..treebank.text import paragraphs
from .alignment import align
from .batches import in_batches
from .conll2018 import TextEvaluation
from .errors import OUTSIDE
from .texts import Text, difference, text_of

# A pipeline, or a file with parsed sentences.
System = Language | str | Path
OnProgress = Callable[[int], object]
# The text of a paragraph, and its sentences.
Paragraph = tuple[str, list[TreebankSentence]]

# Paragraphs of raw text that are parsed at a time.
_PARAGRAPHS = 200


class Parse(NamedTuple):
    """The heads and labels that a system gives the words of a sentence.

    Attributes:
        heads: Numbers of words, from 1; 0 is the root, OUTSIDE a word of another
            sentence, or one that the treebank does not have. None: the system has no
            such word, or no head for it.
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
    n_jobs: int = 1,
    on_progress: OnProgress = lambda n: None,
) -> Iterator[Parse]:
    """Yield the sentences of a treebank with the heads and labels of a system.

    Args:
        from_text: Whether a pipeline starts from raw text, rather than from the words
            and sentences of the treebank.
        gold_tags: Whether a pipeline gets the tags of the treebank, if there are any.

    Raises:
        TreebankError: For files that cannot be used or do not go together.
        PipelineError: If the pipeline cannot parse the treebank.
    """
    if not isinstance(system, Language):
        sentences, predicted = read_pair(gold, system)
        yield from aligned_parses(sentences, text_of(sentences), predicted)
    elif from_text:
        found: list[TreebankSentence] = []
        evaluation = TextEvaluation()
        for part in parsed_texts(system, gold, found, n_jobs):
            evaluation.merge(part.evaluation)
            on_progress(part.n_paragraphs)
        yield from aligned_parses(found, *evaluation.texts())
    else:
        tags = gold_tags and file_has_tags(gold)
        batches = batched(read_treebank(gold), BATCH_SIZE)
        parse = partial(_parsed, tags)
        for parsed in in_batches(system, parse, batches, n_jobs):
            yield from parsed
            on_progress(len(parsed))


def _parsed(
    gold_tags: bool, nlp: Language, sentences: list[TreebankSentence]
) -> list[Parse]:
    """Parse a batch."""
    batch = parsed_batch(nlp, sentences, gold_tags=gold_tags)
    return [Parse(sentence, *heads_and_labels(doc)) for sentence, doc in batch.pairs]


def read_pair(
    gold: str | Path, predicted: str | Path
) -> tuple[list[TreebankSentence], Text]:
    """The sentences of a treebank, and the words of a file with parses of its text.

    Raises:
        TreebankError: For files that cannot be used, and if the files differ in other
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

    Args:
        gold: The words of the sentences.
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


class ParsedTexts(NamedTuple):
    """A parsed batch of paragraphs, with their gold sentences.

    Attributes:
        n_words: Words that the pipeline found.
        seconds: Time of the pipeline.
    """

    evaluation: TextEvaluation
    n_paragraphs: int
    n_words: int
    seconds: float


def parsed_texts(
    nlp: Language,
    treebank: str | Path,
    gold: list[TreebankSentence],
    n_jobs: int,
    batch_size: int = BATCH_SIZE,
) -> Iterator[ParsedTexts]:
    """Yield the raw text of a treebank as a pipeline parses it, some paragraphs at a
    time.

    Args:
        gold: A list that gets the sentences of the treebank.

    Raises:
        PipelineError: For a text that is too long for the pipeline.
    """

    def batches() -> Iterator[list[Paragraph]]:
        for batch in batched(paragraphs(read_treebank(treebank)), _PARAGRAPHS):
            for text, sentences in batch:
                if len(text) > nlp.max_length:
                    raise PipelineError(
                        f"{corpus_name(treebank)}: the text from sentence "
                        f"{sentences[0].name} has {len(text):,} characters, but "
                        f"{called(nlp)} takes at most {nlp.max_length:,}; mark where "
                        "documents begin with comments # newdoc"
                    )
                gold.extend(sentences)
            yield batch

    parse = partial(_parsed_texts, corpus_name(treebank), batch_size)
    yield from in_batches(nlp, parse, batches(), n_jobs)


def _parsed_texts(
    treebank: str, batch_size: int, nlp: Language, batch: list[Paragraph]
) -> ParsedTexts:
    """Parse a batch of paragraphs."""
    evaluation = TextEvaluation()
    n_words = 0
    start = time.perf_counter()
    docs = list(nlp.pipe([text for text, _ in batch], batch_size=batch_size))
    seconds = time.perf_counter() - start
    for (_, sentences), doc in zip(batch, docs, strict=True):
        check_parsed(nlp, doc)
        n_words += sum(not token.is_space for token in doc)
        try:
            evaluation.add(sentences, doc)
        except ValueError as error:
            name = sentences[0].name
            raise PipelineError(
                f"{treebank}, text from sentence {name}: {error}"
            ) from error
    return ParsedTexts(evaluation, len(batch), n_words, seconds)
