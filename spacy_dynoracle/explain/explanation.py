"""Explaining how a pipeline parses a text or a sentence of a treebank."""

from dataclasses import dataclass
from typing import Any, get_args

from spacy.language import Language
from spacy.tokens import Doc

from ..committee.lookup import find_committee
from ..components.base import Component
from ..errors import PipelineError
from ..parser.component import DynOracleParser
from ..parser.lookup import find_parser
from ..treebank import TreebankSentence, to_doc
from ..treebank.pipelines import called, check_words, tag_writers
from ..util.texts import counted
from .derivation import Derivation, Follow, Limits
from .html import frame, page
from .tables import derivation_markdown, derivations_svg
from .text import derivation_text
from .trace import trace

# In easy-first, the pairs with the best scores that are kept, and those shown in text.
_PAIRS = 20
_PAIRS_IN_TEXT = 6


@dataclass(frozen=True, repr=False)
class Explanation:
    """How a pipeline parses a document. A notebook shows it as a page.

    Attributes:
        title: The text, with the name of a treebank sentence.
        pipeline: Name of the pipeline.
        follow: "model" or "oracle", see `explain`.
        lang: Code of the language.
        direction: "ltr" or "rtl".
        derivations: One for each part that was parsed at once.
    """

    title: str
    pipeline: str
    follow: Follow
    lang: str
    direction: str
    derivations: tuple[Derivation, ...]

    def text(
        self, *, top: int | None = 1, features: int = 0, color: bool = False
    ) -> str:
        """The derivations for the terminal, at most 100 columns wide.

        Args:
            top: Labels shown for each transition; None for everything that was kept.
            features: Features shown for each step, of those that were kept.
            color: Whether to mark lines with ANSI styles.
        """
        limits = Limits() if top is None else Limits(top, _PAIRS_IN_TEXT)
        lines = [self.title]
        for derivation in self.derivations:
            limited = derivation.limited(limits)
            lines += ["", *derivation_text(limited, features=features, color=color)]
        return "\n".join(lines) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "title": self.title,
            "model": self.pipeline,
            "follow": self.follow,
            "lang": self.lang,
            "direction": self.direction,
            "derivations": [derivation.as_dict() for derivation in self.derivations],
        }

    def html(self) -> str:
        """A page to step through the derivations. It needs no network."""
        return page(self.as_dict())

    def markdown(self) -> str:
        """A table in Markdown for each derivation."""
        tables = ("\n".join(derivation_markdown(each)) for each in self.derivations)
        return "\n\n".join(tables) + "\n"

    def svg(self) -> str:
        """A picture of these tables, on which mistakes are red."""
        return derivations_svg(self.derivations)

    # Where no page can be shown, such as in the PDF of a notebook.
    _repr_markdown_ = markdown

    def _repr_html_(self) -> str:
        return frame(self.html())

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Explanation of {self.title[:40]!r}: {self.summary}>"

    @property
    def summary(self) -> str:
        """The numbers of derivations and transitions, in words."""
        n_steps = sum(len(derivation.steps) for derivation in self.derivations)
        parts = counted(len(self.derivations), "derivation")
        return f"{parts}, {counted(n_steps, 'transition')}"


def explain(
    nlp: Language,
    source: str | Doc | TreebankSentence,
    gold: Doc | TreebankSentence | None = None,
    *,
    gold_tags: bool = True,
    follow: Follow = "model",
    top: int | None = 5,
    features: int = 8,
    member: str | None = None,
) -> Explanation:
    """Show step by step how a pipeline parses a document.

    Sentences with preset arcs that the parser keeps have no derivation.

    Args:
        source: A text, a Doc (which is not changed) or a sentence of a treebank. The
            components before the parser run on it.
        gold: The gold tree, which costs refer to: a Doc with the same tokens, or a
            sentence of a treebank.
        gold_tags: Whether a sentence of a treebank keeps its tags, if it has any; the
            components that would overwrite them then do not run.
        follow: "model" takes the transitions that the parser takes;
            "oracle" takes the best of those that cost least and needs a gold tree.
        top: Labels kept for each transition, and in easy-first only the best pairs;
            None for everything that is legal.
        features: In every step, the number of features to compare the scores of the
            chosen and of the best other transition by; 0 for none.
        member: If the pipeline has a `dynoracle_committee`, the name of the member
            whose derivation is shown. Its tree need not be the one that the committee
            votes for.

    Raises:
        PipelineError: If the pipeline has no trained parser, or one with a reranker,
            for a committee without a member that reads forward, or if the pipeline
            changes the words of a sentence.
        ValueError: For a text without words, for a gold tree of other words and for any
            other `follow`.
    """
    if follow not in get_args(Follow):
        raise ValueError(f"follow = {follow!r}: expected 'model' or 'oracle'")
    if follow == "oracle" and gold is None:
        raise ValueError("follow = 'oracle' needs a gold tree")
    parser, component = _parser_of(nlp, member)
    tags = gold_tags and isinstance(source, TreebankSentence) and source.has_tags
    with nlp.select_pipes(disable=tag_writers(nlp) if tags else []):
        doc = _up_to(component, nlp, _doc_of(nlp, source, tags))
    title = " ".join(doc.text.split())
    if isinstance(source, TreebankSentence):
        check_words(nlp, doc, source)
        title = f"{source.name}: {source.text or title}"
    if isinstance(gold, TreebankSentence):
        gold = to_doc(gold, nlp.vocab)
    limits = Limits() if top is None else Limits(top, _PAIRS)
    found = trace(parser, doc, gold, follow=follow, limits=limits, features=features)
    pipeline = pipeline_name(str(nlp.path or nlp.meta["name"]), member)
    direction = str(nlp.vocab.writing_system.get("direction", "ltr"))
    lang = nlp.lang or ""
    return Explanation(title, pipeline, follow, lang, direction, tuple(found))


def pipeline_name(pipeline: str, member: str | None) -> str:
    """The name of a pipeline, and of the member of its committee that is shown."""
    return pipeline if member is None else f"{pipeline}, member {member}"


def _parser_of(nlp: Language, member: str | None) -> tuple[DynOracleParser, Component]:
    """The parser whose derivations are shown, and the component that it belongs to.

    Raises:
        PipelineError: For members that there are not, and that read backward.
    """
    committee = find_committee(nlp)
    if committee is None:
        if member is not None:
            raise PipelineError(
                f"{called(nlp)} has no committee, so that it has no member {member!r}"
            )
        parser = find_parser(nlp)
        return parser, parser
    members = committee.members
    forward = [name for name, each in members.items() if not each.recipe.backward]
    if member not in forward:
        problem = "which has a derivation for each member"
        if member in members:
            problem = f"whose member {member!r} reads backward"
        elif member is not None:
            problem = f"which has no member {member!r}"
        raise PipelineError(
            f"{called(nlp)} has the committee {committee.name!r}, {problem}: name a "
            f"member that reads forward ({', '.join(forward) or 'there is none'})"
        )
    return members[member], committee


def _doc_of(nlp: Language, source: str | Doc | TreebankSentence, tags: bool) -> Doc:
    """The document as the pipeline gets it."""
    if isinstance(source, TreebankSentence):
        return to_doc(source, nlp.vocab, tags=tags, tree=False)
    if isinstance(source, Doc):
        return source.copy()
    if len(source) > nlp.max_length:
        raise PipelineError(
            f"the text has {len(source):,} characters, but {called(nlp)} takes at most "
            f"{nlp.max_length:,}"
        )
    doc = nlp.make_doc(source)
    if all(token.is_space for token in doc):
        raise ValueError("the text contains no word; name something to parse")
    return doc


def _up_to(parser: Component, nlp: Language, doc: Doc) -> Doc:
    """Run the components before the parser or committee."""
    for _, component in nlp.pipeline:
        if component is parser:
            break
        doc = component(doc)
    return doc
