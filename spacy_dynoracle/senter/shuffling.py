"""Documents with their sentences in another order."""

from collections.abc import Sequence
from itertools import islice, pairwise

import numpy as np

from ..core.state.sentence import Sentence
from ..core.training.trainer import Trainer
from ..tagger.attributes import START
from ..tagger.gold_tags import GoldTags, gold_tree
from ..tagger.input import WordBatch


def half_shuffled(
    words: WordBatch, batch: Sequence[tuple[Sentence, GoldTags]], trainer: Trainer
) -> list[tuple[Sentence, GoldTags]]:
    """A batch in which half of the documents have sentences in random order.

    In a treebank the end of a sentence stands before one beginning, the same in each
    epoch. In text to come it may stand before any. Documents keep their numbers of
    sentences. Their last sentences change places with each other alone: they may end a
    paragraph, and such sentences need no full stop.

    Args:
        words: The words of the batch, cut into its documents.
        batch: The documents and their gold sentence starts. Those of one sentence stay
            as they are. A word that may or may not start a sentence starts none here.
        trainer: Has the random numbers and the labels.
    """
    documents: dict[int, list[tuple[int, int]]] = {}
    labels: list[str | None] = []
    for number, (first, end) in enumerate(pairwise(words.cuts)):
        (gold,) = batch[number][1]
        labels += [None] * (end - first) if gold is None else gold.labels
        starts = [word for word in range(first + 1, end) if labels[word] == START]
        if starts:
            documents[number] = list(pairwise([first, *starts, end]))
    # -1 fills an odd number up, so that each document has the same chance.
    numbers = [*documents, *[-1] * (len(documents) % 2)]
    trainer.random.shuffle(numbers)
    chosen = [number for number in numbers[: len(numbers) // 2] if number >= 0]
    inner = [sentence for number in chosen for sentence in documents[number][:-1]]
    last = [documents[number][-1] for number in chosen]
    trainer.random.shuffle(inner)
    trainer.random.shuffle(last)
    rest = iter(inner)
    found = list(batch)
    for number, final in zip(chosen, last, strict=True):
        sentences = [*islice(rest, len(documents[number]) - 1), final]
        order = np.concatenate([np.arange(*sentence) for sentence in sentences])
        own = [labels[word] for word in order.tolist()]
        (sequence,) = words.sentences([words.words[order]])
        found[number] = (sequence, [gold_tree(own, trainer.actions.labels)])
    return found
