"""Further results of the parser: extensions of `Token._`, `Span._` and `Doc._`.

Probabilities and entropies, of documents that were parsed with a block `probabilities`:
"TransitionProbabilities.v1" or "MarginalProbabilities.v1". These values are None in
other documents, for whitespace, and for tokens whose head or label is no longer the one
that the parser gave them. Logarithms and entropies are natural (in nats). A
`dynoracle_committee` with `vote_shares = true` gives the marginals that need no
transitions: the trees of its members take the place of the sampled derivations. If it
is calibrated, its members draw derivations too, and distributions may add up to less
than 1: the rest is the probability of arcs that were not drawn.

Token:

- `dep_probability`: of the token's head and label. With marginals the share of the
  sampled derivations that have it, else the `transition_probability`.
- `transition_probability`: of the transition that made the arc, given those before; 1
  where a rule made it.
- `head_probability`: the share of the sampled derivations with this head.
- `head_distribution`: a list of (head, probability), the most probable first. The head
  is a token, the token itself if it is the root, and None if the head is not in this
  Doc, which is part of another.
- `dep_distribution`: a list of (head, label, probability).
- `head_entropy`, `dep_entropy`: the entropies of these distributions. Those of samples
  are too low on average, and at most log(n_samples).

Span and Doc; None if there are no words or if one of them has no value:

- `derivation_log_probability`: the logarithm of the probability of the decisions about
  the words. Over a Doc that is the probability of its derivation, or of all of them if
  it was parsed in several parts.
- `lowest_probability`: the lowest probability of such a decision.
- `head_entropy`, `dep_entropy`: the sums over the words, upper bounds of the entropy of
  the tree.

A decision is about the word that is the dependent of the new arc, or else about the one
that is moved. Without marginals head_probability, distributions and entropies are None.

The parser attaches words whose arcs cross others elsewhere and puts them back after
parsing, and it moves the dependents of words that never govern. All values are about
the arcs before that, with plain labels; so a word that was moved has another head than
the one its `dep_probability` is about.

Doc:

- `kbest`: the best trees, a `spacy_dynoracle.parser.k_best.KBest`, as many as the
  setting `n_best` of the search says; whatever has become of the arcs since. None in
  documents parsed without it, or whose words have changed.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..components.extensions import register, require
from .arc_records import OTHER_LABEL, known_arc
from .k_best import KBest
from .tree_records import kept_segments

# ---- tokens --------------------------------------------------------------------------


def transition_probability(token: Token) -> float | None:
    """The probability of the transition that made the arc of a token."""
    return known_arc(token).transition


def dep_probability(token: Token) -> float | None:
    """The probability of the head and the label of a token."""
    found = known_arc(token)
    share = found.share(with_label=True)
    return found.transition if share is None else share


def head_probability(token: Token) -> float | None:
    """The probability of the head of a token, whatever its label."""
    return known_arc(token).share(with_label=False)


def head_distribution(token: Token) -> list[tuple[Token | None, float]] | None:
    """The heads that a token may have and their probabilities."""
    return _shares(token, lambda head, label: _at(token, head))


def dep_distribution(token: Token) -> list[tuple[Token | None, str, float]] | None:
    """The heads and labels that a token may have and their probabilities."""
    shares = _shares(token, lambda head, label: (_at(token, head), label))
    if shares is None:
        return None
    return [(head, label, p) for (head, label), p in shares if label != OTHER_LABEL]


def head_entropy(token: Token) -> float | None:
    """The entropy of the head of a token."""
    return _entropy(token, lambda head, label: head)


def dep_entropy(token: Token) -> float | None:
    """The entropy of the head and the label of a token."""
    return _entropy(token, lambda head, label: (head, label))


# ---- spans and documents -------------------------------------------------------------


def derivation_log_probability(words: Doc | Span) -> float | None:
    """The log-probability of the decisions about words."""
    return _combined(math.fsum, words, lambda token: known_arc(token).log)


def lowest_probability(words: Doc | Span) -> float | None:
    """The lowest probability of a decision about words."""
    return _combined(min, words, lambda token: known_arc(token).lowest)


def total_head_entropy(words: Doc | Span) -> float | None:
    """The sum of the entropies of the heads of words."""
    return _combined(math.fsum, words, head_entropy)


def total_dep_entropy(words: Doc | Span) -> float | None:
    """The sum of the entropies of the heads and labels of words."""
    return _combined(math.fsum, words, dep_entropy)


def kbest(doc: Doc) -> KBest | None:
    """The best trees of a document."""
    found = kept_segments(doc)
    return None if found is None else KBest(doc, found)


TOKEN_EXTENSIONS: dict[str, Callable[[Token], Any]] = {
    "transition_probability": transition_probability,
    "dep_probability": dep_probability,
    "head_probability": head_probability,
    "head_distribution": head_distribution,
    "dep_distribution": dep_distribution,
    "head_entropy": head_entropy,
    "dep_entropy": dep_entropy,
}
SPAN_EXTENSIONS: dict[str, Callable[[Doc | Span], Any]] = {
    "derivation_log_probability": derivation_log_probability,
    "lowest_probability": lowest_probability,
    "head_entropy": total_head_entropy,
    "dep_entropy": total_dep_entropy,
}
DOC_EXTENSIONS: dict[str, Callable[[Doc], Any]] = {"kbest": kbest}
EXTENSIONS: list[tuple[Any, dict[str, Any]]] = [
    (Token, TOKEN_EXTENSIONS),
    (Span, SPAN_EXTENSIONS),
    (Doc, SPAN_EXTENSIONS),
    (Doc, DOC_EXTENSIONS),
]


# ---- registration --------------------------------------------------------------------


def register_extensions() -> None:
    """Register the extensions. Extensions that exist already do not change."""
    register(EXTENSIONS)


def require_extensions() -> None:
    """As `register_extensions`, for a component that has results for them."""
    require(EXTENSIONS, "parser")


# ---- helpers -------------------------------------------------------------------------


# What the arcs of a sample are grouped by, given the head, in characters from the
# token, and the label.
Outcome = Callable[[int, str], Hashable]


def _at(token: Token, offset: int) -> Token | None:
    """The token of the same Doc that begins so many characters behind a token."""
    doc, character = token.doc, token.idx + offset
    first = bisect_left(doc, character, key=attrgetter("idx"))
    return doc[first] if first < len(doc) and doc[first].idx == character else None


def _counts(token: Token, outcome: Outcome) -> tuple[Counter[Any], int] | None:
    """How often the arc of a token had each outcome, and the number of samples."""
    draws = known_arc(token).draws()
    if draws is None:
        return None
    arcs, n_samples = draws
    counts: Counter[Any] = Counter()
    for head, label, n in arcs:
        counts[outcome(head, label)] += n
    return counts, n_samples


def _shares(token: Token, outcome: Outcome) -> list[tuple[Any, float]] | None:
    """The outcomes with their shares of all samples, the largest first."""
    found = _counts(token, outcome)
    if found is None:
        return None
    counts, n_samples = found
    return [(key, n / n_samples) for key, n in counts.most_common()]


def _entropy(token: Token, outcome: Outcome) -> float | None:
    """The entropy of the outcomes. Samples that are not counted are one more."""
    found = _counts(token, outcome)
    if found is None:
        return None
    counts, n_samples = found
    rest = n_samples - counts.total()
    shares = [n / n_samples for n in (*counts.values(), rest) if n]
    return math.fsum(p * math.log(1 / p) for p in shares)


def _combined(
    combine: Callable[[list[float]], float],
    words: Doc | Span,
    value_of: Callable[[Token], float | None],
) -> float | None:
    """Combine the values of words, without whitespace; None if there are no words or if
    one has no value.
    """
    values = []
    for token in words:
        if not token.is_space:
            value = value_of(token)
            if value is None:
                return None
            values.append(value)
    return combine(values) if values else None
