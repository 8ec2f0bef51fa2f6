"""``parse``: text or CoNLL-U in, parsed sentences out."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..confidence.uncertainty import arc_probabilities, keep_sure
from .common import (
    CommandError,
    check_parsed,
    load_pipeline,
    one_line_errors,
    output_stream,
    progress_bar,
)
from .formats import FORMATS, FormatName, ParsedDoc
from .options import BatchSize, ConlluTags, Lines, PipelineName
from .pipelines import (
    ArcProbabilities,
    ask_for_probabilities,
    ask_for_trees,
    listed_trees,
)
from .sources import HELP, expanded, sources


@one_line_errors
def parse_command(
    model: PipelineName,
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="INPUT", help=HELP)
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="Parse this text instead of files.")
    ] = None,
    format_name: Annotated[
        FormatName,
        typer.Option(
            "--format",
            help="conllu; json: an array of spaCy Docs; html: displaCy; tree: for the "
            "terminal.",
        ),
    ] = FormatName.conllu,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File instead of stdout.")
    ] = None,
    lines: Lines = False,
    gold_tags: ConlluTags = True,
    probabilities: Annotated[
        ArcProbabilities | None,
        typer.Option(
            help="Write the probability of every arc: in CoNLL-U as Prob=0.93 in MISC, "
            "in JSON as the token extension dep_probability. transition: of the "
            "decision that made the arc (fast); marginal: the share of derivations "
            "drawn from the model that have it."
        ),
    ] = None,
    min_probability: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Leave the heads and labels of other words unknown (_); of marginals, "
            "unless --probabilities says otherwise.",
        ),
    ] = None,
    k_best: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Write so many of the best trees of a parser with a beam, best first, "
            "of each stretch that it parses at once: a sentence of CoNLL-U, or what "
            "lies between preset sentence boundaries. Each comes with its score, its "
            "probability if the model has probabilities, and Support=, the share of "
            "the trees with an arc, in MISC.",
        ),
    ] = None,
    batch_size: BatchSize = 256,
) -> None:
    """Parse text or CoNLL-U with a trained pipeline.

    The words and sentences of .conllu input are kept. Text goes through the
    pipeline's tokenizer, one Doc per paragraph.
    """
    if (text is None) == (not inputs):
        raise CommandError("give either INPUT files (- for standard input) or --text")
    if k_best is not None and (probabilities or min_probability is not None):
        raise CommandError(
            "--k-best goes with neither --probabilities nor --min-probability: these "
            "are about greedy parses"
        )
    files = expanded(inputs or [])
    nlp = load_pipeline(model)
    if min_probability is not None:
        probabilities = probabilities or ArcProbabilities.marginal
    if probabilities is not None:
        ask_for_probabilities(nlp, model, probabilities.value)
    if k_best is not None:
        ask_for_trees(nlp, model, k_best)
    writer = FORMATS[format_name](nlp)
    to_terminal = output is None and sys.stdout.isatty()
    with (
        output_stream(output) as stream,
        progress_bar("Docs parsed", not to_terminal) as advance,
    ):
        stream.write(writer.begin())
        for source in sources(nlp, files, text, lines, gold_tags):
            with nlp.select_pipes(disable=source.disable):
                piped = nlp.pipe(source.docs, as_tuples=True, batch_size=batch_size)
                for doc, sentence in piped:
                    check_parsed(nlp, model, doc, sentence)
                    doc_tags = not source.gold_tags
                    if k_best is not None:
                        trees = listed_trees(doc, k_best, whole=sentence is not None)
                        for tree, ranked in trees:
                            parsed = ParsedDoc(tree, sentence, doc_tags, ranked=ranked)
                            stream.write(writer.doc(parsed))
                        advance(1)
                        continue
                    sure = arc_probabilities(doc) if probabilities else None
                    if sure is not None and min_probability is not None:
                        keep_sure(doc, sure, min_probability)
                    parsed = ParsedDoc(doc, sentence, doc_tags, sure)
                    stream.write(writer.doc(parsed))
                    advance(1)
        stream.write(writer.end())
