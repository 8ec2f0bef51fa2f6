"""A small tagged treebank written for these tests, and builders on top of it."""

from itertools import pairwise

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle import set_threads
from spacy_dynoracle.core.systems import SYSTEMS as BY_NAME

from ..core.builders import Tree

NAME = "dynoracle_parser"


def sentence(text):
    """A Tree from `word/TAG/head/label` items."""
    rows = [item.split("/") for item in text.split()]
    words, tags, heads, labels = zip(*rows, strict=True)
    return Tree(words, tags, tuple(map(int, heads)), labels)


SENTENCES = [
    sentence(text)
    for text in (
        "The/DET/2/det gardener/NOUN/3/nsubj waters/VERB/0/root the/DET/5/det "
        "roses/NOUN/3/obj ./PUNCT/3/punct",
        "She/PRON/2/nsubj planted/VERB/0/root beans/NOUN/2/obj beside/ADP/7/case "
        "the/DET/7/det old/ADJ/7/amod wall/NOUN/2/obl ./PUNCT/2/punct",
        "Two/NUM/2/nummod cats/NOUN/3/nsubj sleep/VERB/0/root on/ADP/6/case "
        "the/DET/6/det bench/NOUN/3/obl ./PUNCT/3/punct",
        "Rain/NOUN/2/nsubj fell/VERB/0/root and/CCONJ/6/cc the/DET/5/det "
        "pond/NOUN/6/nsubj filled/VERB/2/conj ./PUNCT/2/punct",
        "Who/PRON/2/nsubj painted/VERB/0/root that/DET/4/det gate/NOUN/2/obj "
        "?/PUNCT/2/punct",
        "Bring/VERB/0/root me/PRON/1/iobj the/DET/5/det small/ADJ/5/amod "
        "spade/NOUN/1/obj !/PUNCT/1/punct",
        "The/DET/2/det seeds/NOUN/6/nsubj that/PRON/5/obj he/PRON/5/nsubj "
        "bought/VERB/2/acl grew/VERB/0/root quickly/ADV/6/advmod ./PUNCT/6/punct",
        "Nobody/PRON/2/nsubj picked/VERB/0/root the/DET/5/det ripe/ADJ/5/amod "
        "plums/NOUN/2/obj ./PUNCT/2/punct",
        "They/PRON/3/nsubj will/AUX/3/aux build/VERB/0/root a/DET/5/det "
        "shed/NOUN/3/obj tomorrow/ADV/3/advmod ./PUNCT/3/punct",
        "The/DET/2/det ladder/NOUN/4/nsubj was/AUX/4/aux broken/VERB/0/root "
        "by/ADP/7/case the/DET/7/det storm/NOUN/4/obl ./PUNCT/4/punct",
        "He/PRON/2/nsubj sat/VERB/0/root in/ADP/5/case the/DET/5/det "
        "shade/NOUN/2/obl and/CCONJ/7/cc read/VERB/2/conj ./PUNCT/2/punct",
        "A/DET/2/det bird/NOUN/6/nsubj with/ADP/5/case red/ADJ/5/amod "
        "wings/NOUN/2/nmod sang/VERB/0/root ./PUNCT/6/punct",
        "Do/AUX/3/aux you/PRON/3/nsubj like/VERB/0/root pears/NOUN/3/obj "
        "?/PUNCT/3/punct",
        "Leaves/NOUN/2/nsubj cover/VERB/0/root the/DET/4/det path/NOUN/2/obj "
        "to/ADP/7/case the/DET/7/det well/NOUN/4/nmod ./PUNCT/2/punct",
        "My/PRON/2/nmod neighbour/NOUN/3/nsubj keeps/VERB/0/root bees/NOUN/3/obj "
        "./PUNCT/3/punct",
    )
]

# The relative clauses belong to words on the other side of an adverb of the main verb.
NONPROJECTIVE = [
    sentence(
        "A/DET/2/det letter/NOUN/3/nsubj arrived/VERB/0/root today/ADV/3/advmod "
        "that/PRON/6/nsubj worried/VERB/2/acl him/PRON/6/obj ./PUNCT/3/punct"
    ),
    sentence(
        "She/PRON/2/nsubj bought/VERB/0/root a/DET/4/det kettle/NOUN/2/obj "
        "yesterday/ADV/2/advmod that/PRON/7/nsubj whistles/VERB/4/acl "
        "./PUNCT/2/punct"
    ),
]

VOCABULARY = sorted({word for s in SENTENCES for word in s.words} | {"zyx"})
TAG_OF = {
    word: tag for s in SENTENCES for word, tag in zip(s.words, s.tags, strict=True)
}
BLANKS = (" ", "\n", "\n\n", "\t")


def block(name, **settings):
    """A block of a config that this package registers."""
    return {"@misc": f"spacy_dynoracle.{name}.v1", **settings}


def feature_templates(*templates):
    """The block of a feature set."""
    return block("FeatureTemplates", templates=list(templates))


def blocks_of(system):
    """A transition system with every placement of ROOT."""
    if len(system.root_places) == 1:
        return [block(system.__name__)]
    return [block(system.__name__, root=root) for root in system.root_places]


def class_of(system):
    """The class of a transition system, given its block."""
    return BY_NAME[system["@misc"].split(".")[1]]


PARSING = [system for system in BY_NAME.values() if system.builds_trees]
# Every transition system with every placement of ROOT, as blocks of a config.
PROJECTIVE = [b for system in PARSING if system.projective for b in blocks_of(system)]
NONPROJECTIVE_SYSTEMS = [
    b for system in PARSING if not system.projective for b in blocks_of(system)
]
SYSTEMS = PROJECTIVE + NONPROJECTIVE_SYSTEMS
SWAP = block("ArcHybridSwap")


def name_of(system):
    """For test ids."""
    return "-".join(
        [system["@misc"].split(".")[1], *map(str, list(system.values())[1:])]
    )


every_system = pytest.mark.parametrize("system", SYSTEMS, ids=name_of)


def make_pipeline(
    name,
    make_examples,
    lang,
    *,
    backward=False,
    n_threads=1,
    data=None,
    epochs=None,
    model=None,
    **settings,
):
    """A pipeline with one component.

    Args:
        data: Makes what it is trained on for a vocab, instead of `make_examples`.
        epochs: How long it is trained; with 0, training is only prepared.
        model: A trained component as bytes, which is loaded.
    """
    nlp = spacy.blank(lang)
    component = nlp.add_pipe(name, config=settings)
    if backward:
        component.change(backward=True)
    set_threads(nlp, n_threads)
    if epochs is not None:
        train(nlp, (data or make_examples)(nlp.vocab), epochs)
    if model is not None:
        component.from_bytes(model)
    return nlp


def make_nlp(lang="xx", **settings):
    """A pipeline with the parser, which reads POS.

    Without a margin it learns a few sentences by heart in a few epochs.
    """
    learner = block("AveragedPerceptron", margin=0.0)
    settings = {"tag_attr": "POS", "learner": learner, **settings}
    return make_pipeline(NAME, examples, lang, **settings)


def parser_of(nlp):
    return nlp.get_pipe(NAME)


def model_bytes(nlp, name=NAME):
    """The parser as bytes."""
    return nlp.get_pipe(name).to_bytes(exclude=["vocab"])


def reference(vocab, *sentences):
    """A gold Doc of one or more sentences."""
    words, tags, heads, labels = [], [], [], []
    for s in sentences:
        start = len(words)
        words += s.words
        tags += s.tags
        labels += s.labels
        heads += [start + (h or d) - 1 for d, h in enumerate(s.heads, 1)]
    return Doc(vocab, words=words, pos=tags, tags=tags, heads=heads, deps=labels)


def example(vocab, *sentences):
    """An Example whose prediction has words and tags."""
    gold = reference(vocab, *sentences)
    predicted = Doc(
        vocab,
        words=[t.text for t in gold],
        pos=[t.pos_ for t in gold],
        tags=[t.tag_ for t in gold],
    )
    return Example(predicted, gold)


def examples(vocab, sentences=SENTENCES):
    """One Example for each sentence."""
    return [example(vocab, s) for s in sentences]


def bare(vocab):
    """One Example for each sentence, whose prediction has words alone."""
    golds = [reference(vocab, s) for s in SENTENCES]
    return [Example(Doc(vocab, words=[t.text for t in gold]), gold) for gold in golds]


def forget(doc, unknown, labels=()):
    """The Doc with some heads unknown, and the labels of other words."""
    return Doc(
        doc.vocab,
        words=[t.text for t in doc],
        pos=[t.pos_ for t in doc],
        heads=[None if t.i in unknown else t.head.i for t in doc],
        deps=["" if t.i in {*unknown, *labels} else t.dep_ for t in doc],
    )


def partial(vocab, s, known=(0, 1)):
    """An Example in which only some words (from 0) have a head and a label."""
    gold = forget(reference(vocab, s), set(range(len(s.words))) - set(known))
    return Example(Doc(vocab, words=s.words, pos=s.tags), gold)


def mixed_examples(vocab, sentences=SENTENCES):
    """Sentences alone and in pairs, so that a parser learns where they end.

    Pairs also make ties between actions rare, which weights and their averages would
    break in different ways.
    """
    pairs = pairwise(sentences)
    return examples(vocab, sentences) + [example(vocab, *pair) for pair in pairs]


def train(nlp, train_examples, epochs=12, **kwargs):
    """Initialize and train the parser; returns the losses of the last epoch."""
    nlp.initialize(lambda: train_examples)
    return update(nlp, train_examples, epochs, **kwargs)


def update(nlp, train_examples, epochs=1, **kwargs):
    """Some epochs of training, each one batch."""
    losses = {}
    for _ in range(epochs):
        losses = {}
        nlp.update(train_examples, losses=losses, **kwargs)
    return losses


def make_doc(vocab, words, starts=None):
    """A Doc with tags (unknown words are nouns) and perhaps preset sentence starts."""
    tags = ["SPACE" if w.isspace() else TAG_OF.get(w, "NOUN") for w in words]
    return Doc(
        vocab,
        words=list(words),
        spaces=[not word.isspace() for word in words],
        pos=tags,
        tags=tags,
        sent_starts=starts,
    )


def parse(nlp, words, starts=None):
    """Parse words; blanks among them are whitespace tokens."""
    return nlp(make_doc(nlp.vocab, words, starts))


def parse_sentences(nlp, *sentences):
    """Parse one document of some sentences, with their tags."""
    return nlp(example(nlp.vocab, *sentences).predicted)


def parse_all(nlp, sentences=SENTENCES):
    """The analyses that the pipeline finds for the sentences, one by one."""
    return [analysis(parse_sentences(nlp, s)) for s in sentences]


def analysis(doc):
    """Heads, labels and sentence starts of a Doc."""
    return (
        [token.head.i for token in doc],
        [token.dep_ for token in doc],
        [token.is_sent_start for token in doc],
    )


def heads_of(doc):
    """The heads as words 1..n, or 0 for roots."""
    return [0 if token.head == token else token.head.i + 1 for token in doc]


def gold_analysis(vocab, *sentences):
    """The same of a gold Doc."""
    return analysis(reference(vocab, *sentences))


def assert_tree(doc):
    """Every token leads to one root, and sentences are exactly the trees."""
    n = len(doc)
    heads = [token.head.i for token in doc]
    assert all(0 <= head < n for head in heads)
    top = [-1] * n
    for token in doc:
        assert token.dep_
        path = [token.i]
        while heads[path[-1]] != path[-1] and top[path[-1]] == -1:
            assert len(path) <= n, f"cycle above token {token.i}"
            path.append(heads[path[-1]])
        root = path[-1] if heads[path[-1]] == path[-1] else top[path[-1]]
        for i in path:
            top[i] = root
    for sent in doc.sents:
        assert {top[token.i] for token in sent} == {sent.root.i}
        assert sum(token.head.i == token.i for token in sent) == 1
    if n:
        assert doc.has_annotation("DEP", require_complete=True)
        assert doc.has_annotation("SENT_START")
