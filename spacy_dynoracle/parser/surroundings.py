"""How the pipeline and the data around a parser shape its training."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from spacy.language import Language
from spacy.training import Example

from ..components.skipped import Warn
from ..doc.columns import reader_of
from ..doc.surroundings import Surroundings
from ..tagger.attributes import ATTRIBUTES, TAG_NAMES
from ..tagger.component import DynOracleTagger
from ..tagger.training_tags import ROUNDS, TrainingTags, tagger_before
from .recipe import ParserRecipe

# The share of the words of the training data that a tokenizer may miss unwarned.
MISSED = 0.01
# What to do if it misses more.
CURE_OF_RULES = (
    'write @tokenizers = "spacy_dynoracle.WordTokenizer.v1" as the only line of '
    "[nlp.tokenizer], or choose another tokenizer"
)
CURE_OF_LEARNT = (
    "the tokenizer has learnt from other data, or these data have lost their multiword "
    "tokens, such as French du. spacy convert loses them: make the .spacy files with "
    "scripts/prepare.py (spacy_dynoracle.treebank.to_doc_bin). gold_preproc and "
    "max_length of a corpus lose them, too: set path under [initialize.tokenizer] to "
    "the file that the corpus reads"
)


@dataclass
class Before:
    """The taggers and lemmatizers before a parser, when it is initialized.

    Attributes:
        n_folds: Of jackknifing; 0 leaves all documents to the tagger of the pipeline.
    """

    nlp: Language | None
    around: Surroundings
    get_examples: Callable[[], Iterable[Example]]
    n_folds: int

    def training_tags(
        self, recipe: ParserRecipe, made: list[TrainingTags], warn: Warn
    ) -> TrainingTags | None:
        """The tags for training documents that may lack them; None if no component
        before the parser sets tags that the parser reads.

        Args:
            recipe: The settings of training.
            made: The tags of other parsers, which are used if they have all attributes;
                new ones are added.
            warn: Is told if the training data have to be jackknifed and cannot be.
        """
        around = self.around
        read = reader_of(tuple(recipe.sources.values())).annotation
        attrs = [a for a in read if a in ATTRIBUTES and around.setters[a]]
        if self.nlp is None or not attrs:
            return None
        for tags in made:
            if set(attrs) <= set(tags.attrs):
                return tags
        tagger, known = self._tags_of_lemmatizer(self.nlp, attrs)
        names = annotating(self.nlp)
        is_annotated = all(names & set(around.setters[a]) for a in attrs)
        if known is not None:
            if not is_annotated:
                known.jackknife(self.get_examples, ROUNDS)
            if "LEMMA" in read:
                known.add_lemmas(self.get_examples)
            return known
        replaced = around.replaced_by(tagger, self.get_examples())
        tags = TrainingTags(
            self.nlp.vocab, attrs, tagger, self.n_folds, replaced=replaced
        )
        made.append(tags)
        if not self.n_folds or is_annotated:
            return tags
        if not around.is_streamed:
            tags.jackknife(self.get_examples, ROUNDS)
        elif not (around.on_predicted - replaced).issuperset(attrs):
            warn(
                "jackknifing",
                "the training data are a stream (max_epochs = -1), and jackknifing "
                f"needs all of them: the parser learns from the {', '.join(attrs)} of "
                "the tagger that is trained beside it, which are better than those of "
                "other texts. Read documents with tags "
                "(spacy_dynoracle.TaggedCorpus.v1), or set jackknife_folds = 0 in the "
                "block of the parser under [initialize.components], or another "
                "max_epochs",
            )
        return tags

    def lemma_parts(self) -> Sequence[str]:
        """The parts of lemmas that the parser can read in training as in use: those of
        a lemmatizer whose tags it can use, whichever ones it reads.
        """
        if self.nlp is None:
            return ()
        attrs = [attr for attr in TAG_NAMES if self.around.setters[attr]]
        _, known = self._tags_of_lemmatizer(self.nlp, attrs)
        # Those of an annotating component are too good in training.
        annotates = annotating(self.nlp).intersection(self.around.setters["LEMMA"])
        if annotates or known is None or known.lemmatizer is None:
            return ()
        return known.lemmatizer.lemma_parts

    def _tags_of_lemmatizer(
        self, nlp: Language, attrs: Sequence[str]
    ) -> tuple[DynOracleTagger | None, TrainingTags | None]:
        """The last tagger that sets any of these attributes, and the tags that a
        lemmatizer has made of the same data, if they have the attributes as the parser
        will read them.
        """
        setters = self.around.setters
        names = chain.from_iterable(setters[attr] for attr in attrs)
        tagger = tagger_before(nlp, names)
        for name, component in nlp.pipeline:
            known = getattr(component, "training_tags", None)
            # A lemmatizer behind the parser, or a frozen one, may have made its tags
            # before the data were changed.
            if (
                name in setters["LEMMA"]
                and isinstance(known, TrainingTags)
                and known.is_made_of(self.get_examples)
                and (known.tagger, known.n_folds) == (tagger, self.n_folds)
                and set(attrs) <= set(known.attrs)
            ):
                return tagger, known
        return tagger, None


def annotating(nlp: Language) -> set[str]:
    """The components that annotate the documents of training."""
    training = nlp.config.get("training") or {}
    return set(training.get("annotating_components") or ())


def traps(
    configured: ParserRecipe, used: ParserRecipe, around: Surroundings
) -> Iterator[tuple[str, str]]:
    """Warnings about settings that give worse parsers than the data allow, each with
    its kind.

    Args:
        configured: The settings of the component.
        used: Those of training.
    """
    if not around.is_known or around.may_set_anything or not around.has_trees:
        return
    if used.sentences == "predict" and not around.several_sentences:
        yield (
            "boundaries",
            'sentences = "predict", but no training document has more than one '
            "sentence, so that the parser cannot learn where sentences end: put a "
            "component that finds sentences before the parser, such as "
            "dynoracle_senter, or train on documents of several sentences "
            "(scripts/prepare.py --n-sents 10, or spacy convert -n 10 for a treebank "
            "without multiword tokens, and gold_preproc = false), or set sentences = "
            '"preset" or "doc"',
        )
    found = around.n_words - around.n_missed
    if around.n_missed > MISSED * around.n_words:
        yield (
            "words",
            f"the tokenizer of the pipeline finds only {found:,} of the "
            f"{around.n_words:,} words of the training data, so that texts have words "
            f"that the parser does not know: "
            f"{CURE_OF_LEARNT if around.learns_words else CURE_OF_RULES}",
        )
    tags = {"TAG", "POS"} & around.on_reference
    if used.tag_attr is None and configured.tag_attr is not None and tags:
        yield (
            "tags",
            f"the training data have {' and '.join(sorted(tags))}, but no component "
            f"before the parser sets them, so that the parser reads words alone: put "
            f"dynoracle_tagger before it, or read the corpus with "
            f"spacy_dynoracle.TaggedCorpus.v1 if the documents to parse have tags, or "
            f"set tag_attr = null",
        )
