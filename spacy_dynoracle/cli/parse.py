"""``parse``: from text or CoNLL-U to parsed sentences."""

import sys
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.language import Language
from spacy.tokens import Doc

from ..confidence.uncertainty import arc_probabilities, keep_sure
from ..treebank import TreebankSentence
from ..treebank.pipelines import batched, check_parsed
from ..util.workers import in_processes
from .common import (
    STDOUT,
    CommandError,
    load_pipeline,
    one_line_errors,
    output_stream,
    progress_bar,
)
from .formats import FORMATS, FormatName, ParsedDoc
from .options import BatchSize, ConlluTags, Jobs, Lines, PipelineName
from .pipelines import (
    ArcProbabilities,
    ask_for_probabilities,
    ask_for_trees,
    listed_trees,
    warn_of_shares,
)
from .sources import HELP, expanded, ready, sources

InputFiles = Annotated[list[str] | None, typer.Argument(metavar="INPUT", help=HELP)]
Text = Annotated[
    str | None, typer.Option("--text", help="Parse this text instead of files.")
]
OutputFormat = Annotated[
    FormatName,
    typer.Option(
        "--format",
        help="conllu: CoNLL-U. json: an array of spaCy Docs. html: a page "
        "with drawings of the trees. tree: indented trees for the terminal.",
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write to this file; - is standard output."),
]
AsJson = Annotated[bool, typer.Option("--json", help="As --format json.")]
ProbabilityKind = Annotated[
    ArcProbabilities | None,
    typer.Option(
        help="Write the probability of every arc: in CoNLL-U as Prob=0.93 in MISC, "
        "in JSON as the token extension dep_probability. transition: the "
        "probability of the decision that made the arc (fast). marginal: the share "
        "of sampled derivations that have the arc, or the probability by the votes of "
        "a committee."
    ),
]
MinProbability = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Write arcs of lower probability as unknown (_). The probability is "
        "marginal, unless --probabilities says otherwise.",
    ),
]
KBest = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Write this many of the best trees of a parser with a beam, the best "
        "first. The trees span what is parsed at once: a sentence of CoNLL-U, or "
        "the text between preset sentence boundaries. Each tree has its score, its "
        "probability if the model has probabilities, and in MISC Support=, the "
        "share of the trees that have the arc.",
    ),
]


@one_line_errors
def parse_command(
    model: PipelineName,
    inputs: InputFiles = None,
    text: Text = None,
    format_name: OutputFormat = FormatName.conllu,
    output: OutputFile = None,
    as_json: AsJson = False,
    lines: Lines = False,
    gold_tags: ConlluTags = True,
    probabilities: ProbabilityKind = None,
    min_probability: MinProbability = None,
    k_best: KBest = None,
    batch_size: BatchSize = 256,
    jobs: Jobs = 1,
) -> None:
    """Parse text or CoNLL-U with a trained pipeline.

    The words and sentences of .conllu input are kept. Text goes through the tokenizer
    of the pipeline, with one Doc for each paragraph.
    """
    if (text is None) == (not inputs):
        raise CommandError("give either INPUT files (- for standard input) or --text")
    wanted = _Wanted(k_best, probabilities, min_probability)
    files = expanded(inputs or [])
    nlp = load_pipeline(model)
    wanted.ask(nlp, model)
    if wanted.probabilities is not None:
        warn_of_shares(nlp, model)
    name = FormatName.json if as_json else format_name
    writer = FORMATS[name](nlp)
    # Workers may have another working directory.
    path = str(Path(model).absolute()) if Path(model).is_dir() else model
    parse = (
        partial(_written, nlp, name, wanted)
        if jobs == 1
        else partial(_written_by_worker, path, name, wanted)
    )
    to_stdout = output is None or str(output) == STDOUT
    to_terminal = to_stdout and sys.stdout.isatty()
    with (
        output_stream(output) as stream,
        progress_bar("Docs parsed", not to_terminal) as advance,
    ):
        stream.write(writer.begin())
        for source in sources(nlp, files, text, lines, gold_tags):
            if k_best is None:
                writer.begin_source(source.text_file)
            batches = batched(source.inputs, batch_size)
            calls = ((batch, source.disable, source.gold_tags) for batch in batches)
            for n_docs, texts in in_processes(parse, calls, jobs):
                stream.writelines(map(writer.joined, texts))
                advance(n_docs)
        stream.write(writer.end())


class _Wanted:
    """What to write of each parsed Doc: its tree, or a list of the best trees.

    Raises CommandError for options that exclude each other.
    """

    def __init__(
        self,
        k_best: int | None,
        probabilities: ArcProbabilities | None,
        min_probability: float | None,
    ) -> None:
        if k_best is not None and (probabilities or min_probability is not None):
            raise CommandError(
                "--k-best goes with neither --probabilities nor --min-probability: "
                "these are about greedy parses"
            )
        if min_probability is not None and probabilities is None:
            probabilities = ArcProbabilities.marginal
        self.k_best = k_best
        self.probabilities = probabilities
        self.min_probability = min_probability

    def ask(self, nlp: Language, model: str) -> None:
        """Make the parser of a pipeline give what is wanted.

        Raises CommandError if it cannot.
        """
        if self.probabilities is not None:
            ask_for_probabilities(nlp, model, self.probabilities.value)
        if self.k_best is not None:
            ask_for_trees(nlp, model, self.k_best)

    def of(
        self, doc: Doc, sentence: TreebankSentence | None, doc_tags: bool
    ) -> Iterator[ParsedDoc]:
        """Yield what is written of a Doc.

        sentence: the sentence that the Doc was made from, if it was made from one.
        """
        if self.k_best is not None:
            trees = listed_trees(doc, self.k_best, whole=sentence is not None)
            for tree, listed in trees:
                yield ParsedDoc(tree, sentence, doc_tags, ranked=listed)
            return
        sure = None if self.probabilities is None else arc_probabilities(doc)
        if sure is not None and self.min_probability is not None:
            keep_sure(doc, sure, self.min_probability)
        yield ParsedDoc(doc, sentence, doc_tags, sure)


def _written(
    nlp: Language,
    format_name: FormatName,
    wanted: _Wanted,
    inputs: list[str | TreebankSentence],
    disable: list[str],
    gold_tags: bool,
) -> tuple[int, list[str]]:
    """Parse a batch. Returns the number of Docs, and the texts of what is written.

    Raises PipelineError if the pipeline sets no heads.
    """
    writer = FORMATS[format_name](nlp)
    texts: list[str] = []
    with nlp.select_pipes(disable=disable):
        docs = ready(inputs, nlp.vocab, gold_tags)
        piped = nlp.pipe(docs, as_tuples=True, batch_size=len(inputs))
        for doc, sentence in piped:
            check_parsed(nlp, doc, sentence)
            texts += map(writer.doc, wanted.of(doc, sentence, not gold_tags))
    return len(inputs), texts


def _written_by_worker(
    model: str, format_name: FormatName, wanted: _Wanted, *batch: Any
) -> tuple[int, list[str]]:
    """As `_written`, with a pipeline that each worker loads once."""
    kind = None if wanted.probabilities is None else wanted.probabilities.value
    nlp = _loaded(model, kind, wanted.k_best)
    return _written(nlp, format_name, wanted, *batch)


@lru_cache(maxsize=1)
def _loaded(model: str, probabilities: str | None, k_best: int | None) -> Language:
    nlp = load_pipeline(model)
    kind = None if probabilities is None else ArcProbabilities(probabilities)
    _Wanted(k_best, kind, None).ask(nlp, model)
    return nlp
