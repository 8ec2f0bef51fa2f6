"""The sentences that a system makes of a treebank.

A system is a pipeline, or a file with its output. Where its words are not those of the
treebank, they are aligned.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from ..errors import PipelineError, TreebankError
from ..treebank import TreebankSentence, pipelines, read_treebank
from ..treebank.corpora import corpus_name
from ..treebank.text import paragraphs
from ..treebank.writer import doc_sentences
from .alignment import align
from .attachment import Scores, evaluate_sentences
from .batches import in_batches
from .errors import OUTSIDE
from .texts import Text, check_text, text_of, with_annotation

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


@dataclass
class Predictions:
    """The sentences of a treebank, and those that a system makes of them.

    Attributes:
        same_words: Whether both have the same words and sentences.
        seconds: Time of a pipeline, without loading, reading and making Docs, summed
            over all processes.
    """

    same_words: bool
    gold: list[TreebankSentence] = field(default_factory=list)
    predicted: list[TreebankSentence] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def n_words(self) -> int:
        """The number of words of the system."""
        return sum(len(sentence.words) for sentence in self.predicted)

    def texts(self) -> tuple[Text, Text]:
        """The words of the treebank and those of the system."""
        return text_of(self.gold), text_of(self.predicted)

    def scores(self, scored: Sequence[str]) -> dict[str, Scores]:
        """The attachment scores under definitions of scored words."""
        return evaluate_sentences(
            ((gold.words, heads, labels) for gold, heads, labels in self.parses()),
            scored,
        )

    def parses(self) -> Iterator[Parse]:
        """Yield the sentences with the heads and labels of the system."""
        if not self.same_words:
            yield from aligned_parses(self.gold, *self.texts())
            return
        for sentence, found in zip(self.gold, self.predicted, strict=True):
            yield Parse(sentence, found.heads, found.deprels)


def predictions(
    system: System,
    treebank: str | Path,
    *,
    from_text: bool = False,
    gold_tags: bool = True,
    n_jobs: int = 1,
    on_progress: OnProgress = lambda n: None,
) -> Predictions:
    """The predictions of a system for a treebank.

    Args:
        from_text: Whether a pipeline starts from raw text, rather than from the words
            and sentences of the treebank.
        gold_tags: Whether a pipeline gets the tags of the treebank, if there are any.
        on_progress: Called with the number of sentences, or of paragraphs of raw text,
            that have just been parsed.

    Raises:
        TreebankError: For files that cannot be used or do not go together.
        PipelineError: If the pipeline cannot parse the treebank.
    """
    name = corpus_name(treebank)
    if not isinstance(system, Language):
        whole = Predictions(False, list(read_treebank(treebank)))
        whole.predicted += read_treebank(system)
        try:
            check_text(whole.gold, whole.predicted)
        except ValueError as error:
            raise TreebankError(
                f"{corpus_name(system)}: other text than {name}: {error}; name two "
                "files with the same text",
                str(system),
            ) from error
        return whole
    words = chain.from_iterable(sentence.words for sentence in read_treebank(treebank))
    # TAG is an XPOS: that of the pipeline, or of a treebank in which it repeats UPOS.
    xpos = pipelines.has_xpos(system) or all(word.xpos == word.upos for word in words)
    if from_text:
        texts = _texts(system, treebank)
        found = in_batches(system, partial(_of_texts, name, xpos), texts, n_jobs)
    else:
        tags = gold_tags and pipelines.file_has_tags(treebank)
        batches = pipelines.batched(read_treebank(treebank), pipelines.BATCH_SIZE)
        parse = partial(_of_sentences, tags, xpos)
        found = in_batches(system, parse, batches, n_jobs)
    whole = Predictions(not from_text)
    for n_parsed, part in found:
        whole.gold += part.gold
        whole.predicted += part.predicted
        whole.seconds += part.seconds
        on_progress(n_parsed)
    return whole


def _of_sentences(
    gold_tags: bool, xpos: bool, nlp: Language, sentences: list[TreebankSentence]
) -> tuple[int, Predictions]:
    """Parse a batch of sentences; without gold tags, predictions have the tags of the
    pipeline, and TAG as XPOS if `xpos`.
    """
    pairs, seconds = pipelines.parsed_batch(nlp, sentences, gold_tags=gold_tags)
    predicted = [
        next(doc_sentences(doc, sentence))
        if gold_tags
        else with_annotation(sentence, doc, xpos)
        for sentence, doc in pairs
    ]
    return len(sentences), Predictions(True, sentences, predicted, seconds)


def _texts(nlp: Language, treebank: str | Path) -> Iterator[list[Paragraph]]:
    """Yield the raw text of a treebank, some paragraphs at a time.

    Raises:
        PipelineError: For a text that is too long for the pipeline.
    """
    for batch in pipelines.batched(paragraphs(read_treebank(treebank)), _PARAGRAPHS):
        for text, sentences in batch:
            if len(text) > nlp.max_length:
                raise PipelineError(
                    f"{corpus_name(treebank)}: the text from sentence "
                    f"{sentences[0].name} has {len(text):,} characters, but "
                    f"{pipelines.called(nlp)} takes at most {nlp.max_length:,}; mark "
                    "where documents begin with comments # newdoc"
                )
        yield batch


def _of_texts(
    treebank: str, xpos: bool, nlp: Language, batch: list[Paragraph]
) -> tuple[int, Predictions]:
    """Parse a batch of paragraphs; predictions have TAG as XPOS if `xpos`."""
    start = time.perf_counter()
    docs = list(nlp.pipe([text for text, _ in batch], batch_size=pipelines.BATCH_SIZE))
    found = Predictions(False, seconds=time.perf_counter() - start)
    for (_, sentences), doc in zip(batch, docs, strict=True):
        pipelines.check_parsed(nlp, doc)
        predicted = list(doc_sentences(doc, xpos=xpos))
        try:
            check_text(sentences, predicted)
        except ValueError as error:
            name = sentences[0].name
            raise PipelineError(
                f"{treebank}, text from sentence {name}: {error}"
            ) from error
        found.gold += sentences
        found.predicted += predicted
    return len(batch), found


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
