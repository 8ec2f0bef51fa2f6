"""``evaluate`` of a parser with a beam: where its errors come from."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table
from spacy.language import Language

from ..core.search.beam_search import BeamSearch
from ..parser.beam_scores import BeamEvaluation, BeamLosses
from ..treebank.docs import read_conllu, to_doc
from .common import CHUNK, batched, check_parsed, progress_bar
from .k_best import kept_trees, last_parser

_LOSSES = {
    "generation": "generation loss",
    "selection": "selection loss",
    "mean_distance": "mean distance to best trees",
    "total": "loss",
}


class BeamScores(NamedTuple):
    """The losses of a beam of this size, over heads (False) and over heads and labels
    (True), by the name of the definition of scored words."""

    beam_size: int
    losses: dict[bool, dict[str, BeamLosses]]

    def table(self) -> Table:
        """For people, in per cent."""
        table = Table(title=f"Beam of {self.beam_size}")
        table.add_column("scored words")
        for name in self.losses[False]:
            title = name if name == "all" else f"without {name}"
            table.add_column(title, justify="right")
        for labelled, by_name in self.losses.items():
            table.add_section()
            arcs = "LAS" if labelled else "UAS"
            rows = {"oracle_score": f"Oracle {arcs}"}
            rows |= {name: f"{arcs}, {title}" for name, title in _LOSSES.items()}
            for attribute, title in rows.items():
                values = (getattr(found, attribute) for found in by_name.values())
                table.add_row(title, *(f"{100 * value:.2f}" for value in values))
        return table

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        named = {"heads": self.losses[False], "heads_and_labels": self.losses[True]}
        losses = {
            arcs: {name: asdict(found) for name, found in by_name.items()}
            for arcs, by_name in named.items()
        }
        return {"beam_size": self.beam_size, **losses}


def evaluate_beam(
    nlp: Language,
    model: str,
    treebank: Path,
    names: list[str],
    tags: bool,
    batch_size: int,
) -> BeamScores | None:
    """The losses of the parser of a pipeline; None if it has no beam.

    names: of definitions of scored words.
    """
    parser = last_parser(nlp)
    if parser is None or not isinstance(parser.parser.search, BeamSearch):
        return None
    beam_size = parser.parser.search.beam_size
    evaluations = {
        labelled: [BeamEvaluation(name, labelled) for name in names]
        for labelled in (False, True)
    }
    before = parser.parser.k_best
    parser.change(k_best=beam_size)
    try:
        with progress_bar("beams evaluated") as advance:
            for sentences in batched(read_conllu(treebank), CHUNK):
                docs = [to_doc(s, nlp.vocab, tags=tags, tree=False) for s in sentences]
                parsed = nlp.pipe(docs, batch_size=batch_size)
                for sentence, doc in zip(sentences, parsed, strict=True):
                    check_parsed(nlp, model, doc, sentence)
                    trees = kept_trees(doc)
                    for evaluation in (*evaluations[False], *evaluations[True]):
                        evaluation.add(sentence.tokens, trees)
                advance(len(sentences))
    finally:
        parser.change(k_best=before)
    return BeamScores(
        beam_size,
        {
            labelled: {e.scored: e.losses() for e in some}
            for labelled, some in evaluations.items()
        },
    )
