"""Which members of a committee are needed, and whether votes should tell how sure they
are.

Run it as `python -m benchmarks.votes` or `python benchmarks/votes.py`, with `--help`
for the options. README.md beside this file explains the table.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from spacy.tokens import Doc

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.from_text import percentages
from benchmarks.timing import measure
from spacy_dynoracle.cli.common import CommandError, load_pipeline, one_line_errors
from spacy_dynoracle.committee.ballots import Ballot, weights_of
from spacy_dynoracle.committee.component import NAME, DynOracleCommittee
from spacy_dynoracle.committee.voting import vote, without_governors
from spacy_dynoracle.evaluation.conll2018 import score_set_values
from spacy_dynoracle.evaluation.texts import text_of, with_annotation
from spacy_dynoracle.parser.annotations import Annotations
from spacy_dynoracle.treebank import read_conllu, to_doc

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@one_line_errors
def main(
    model: Annotated[Path, typer.Argument(help="A trained pipeline of accurate.cfg.")],
    treebank: Annotated[Path, typer.Argument(help="A file with gold trees.")],
) -> None:
    """Let each set of members vote on gold words and sentences with predicted tags.

    A row has the LAS of equal votes and of votes that tell how sure they are, and what
    parsing with either costs, in microseconds of the processor for each word.
    """
    nlp = load_pipeline(str(model))
    committee = dict(nlp.pipeline).get(NAME)
    if not isinstance(committee, DynOracleCommittee):
        raise CommandError(f"{model}: has no {NAME}")
    sentences = list(read_conllu(treebank))
    docs: list[Doc] = [to_doc(s, nlp.vocab, tree=False, tags=False) for s in sentences]
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i == 0
    with nlp.select_pipes(disable=[NAME]):
        docs = list(nlp.pipe(docs))
    starts = np.cumsum([0, *map(len, docs)])
    gold = text_of(sentences)
    leaves = next(iter(committee.members.values())).never_govern

    def las(ballots: list[Ballot], some: tuple[int, ...]) -> float:
        weights = weights_of(ballots, committee.recipe.votes[list(some)])
        found = vote([ballot.table for ballot in ballots], weights)
        without_governors(found, leaves, np.zeros(len(found), dtype=np.bool_))
        for doc, start in zip(docs, starts.tolist(), strict=False):
            annotations = Annotations(found[start : start + len(doc)])
            committee.set_annotations([doc], [annotations])
        parsed = text_of(map(with_annotation, sentences, docs))
        return percentages(score_set_values(gold, parsed))["LAS"]

    members = committee.members
    found: dict[bool, list[tuple[Ballot, float]]] = {False: [], True: []}
    for sure, of_members in found.items():
        committee.change(sure_votes=sure)
        for name, parser in members.items():
            committee.members = {name: parser}
            alone: list[Ballot] = []
            time = measure(lambda to=alone: to.extend(committee.ballots(docs, None)))  # type: ignore[misc]
            of_members.append((alone[0], 1e6 * time.cpu / len(gold.words)))
        committee.members = members
    table = Table("members", "LAS", "us/word", "LAS, sure votes", "us/word")
    for size in range(1, len(members) + 1):
        for some in combinations(range(len(members)), size):
            row = [", ".join(list(members)[i] for i in some)]
            for sure in (False, True):
                ballots, times = zip(*(found[sure][i] for i in some), strict=True)
                row += [f"{las(list(ballots), some):.2f}", f"{sum(times):.1f}"]
            table.add_row(*row)
    Console(width=120).print(table)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.votes")
