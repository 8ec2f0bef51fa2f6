"""What the tests of ranking share: word classes, candidates, trainers."""

import random
from typing import NamedTuple

import numpy as np

from dynoracle_hcsearch.template_sets import LIU_2015
from dynoracle_hcsearch.templates import RankingTemplates
from dynoracle_hcsearch.trainer import RankerTrainer
from dynoracle_hcsearch.word_classes import WordClasses
from spacy_dynoracle.core.results import Candidates
from tests.core.builders import candidates_of, code, sentence
from tests.core.random_models import random_heads

WORDS = ("x", "y", "z", "(", ")", '"')
TAGS = ("N", "V", "P", ",", "C")
LABELS = ("a", "b", "c")
# The same as tags and forms, and as codes.
NAMED_CLASSES = (("P",), (",",), ("C",), (("(", ")"), ('"', '"')))
CLASSES = WordClasses(
    *(tuple(map(code, tags)) for tags in NAMED_CLASSES[:3]),
    tuple((code(first), code(last)) for first, last in NAMED_CLASSES[3]),
)
COLUMNS = ("w", "p")
FEW = RankingTemplates(["arc:Hp.Mp", "arc:Hw.Mw", "arc:Hp.Rel", "bigram:Gp.Hp.Dir"])


def ints(*values):
    return np.array(values, dtype=np.int32)


class Sample(NamedTuple):
    """A sentence with candidates and their losses."""

    words: list
    tags: list
    candidates: Candidates
    losses: np.ndarray

    def sentence(self):
        return sentence(self.words, self.tags)

    def example(self):
        return self.sentence(), self.candidates, self.losses


def random_sample(rng, n=None, k=None):
    """A random sentence with random candidates, the losses being those of the first
    tree as gold tree, but in any order.
    """
    n = n or rng.randint(2, 8)
    trees = []
    for _ in range(k or rng.randint(2, 6)):
        heads = random_heads(rng, n, projective=rng.random() < 0.8)
        trees.append((heads, [rng.randrange(len(LABELS)) for _ in heads]))
    gold = trees[0][0]
    rng.shuffle(trees)
    losses = [sum(a != b for a, b in zip(h, gold, strict=True)) for h, _ in trees]
    return Sample(
        rng.choices(WORDS, k=n),
        rng.choices(TAGS, k=n),
        candidates_of(trees),
        np.array(losses, dtype=np.int32),
    )


def samples(seed, number, **settings):
    rng = random.Random(seed)
    return [random_sample(rng, **settings) for _ in range(number)]


UNSEEN = samples(99, 10)


def scores_of(ranker):
    return [ranker.scores(s.sentence(), s.candidates).tolist() for s in UNSEEN]


def new_trainer(templates=None, **settings):
    templates = RankingTemplates(LIU_2015) if templates is None else templates
    return RankerTrainer(templates, COLUMNS, CLASSES, **settings)


def trained(seed=0, number=12, rounds=2, **settings):
    """A trainer that has learnt from random candidates, and what it learnt from."""
    trainer = new_trainer(**settings)
    data = samples(seed, number)
    for _ in range(rounds):
        trainer.train([sample.example() for sample in data])
    return trainer, data
