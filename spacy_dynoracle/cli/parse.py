"""``parse``: from text or CoNLL-U to parsed sentences."""

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from ..confidence.sure_arcs import arc_probabilities, keep_sure
from ..evaluation.batches import in_batches
from ..treebank import TreebankSentence
from ..treebank.pipelines import BATCH_SIZE, batched, check_parsed, piped
from .common import (
    STDOUT,
    Code,
    CommandError,
    check_not_read,
    load_pipeline,
    one_line_errors,
    output_stream,
    progress_bar,
)
from .formats import FORMATS, FormatName, ParsedDoc, Piece
from .options import (
    INPUT,
    InputOption,
    Jobs,
    OutputFile,
    PipelineName,
    Text,
    TreebankFrom,
    format_of,
)
from .pipelines import (
    ask_for_probabilities,
    ask_for_trees,
    ask_to_keep_heads,
    check_kept,
    listed_trees,
)
from .sources import expanded, ready, sources

Inputs = Annotated[list[str] | None, typer.Argument(metavar="INPUT", help=INPUT)]
MinProbability = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Write arcs of lower probability as unknown (_), and the probability of "
        "the others: in CoNLL-U as Prob=0.93 in MISC, in JSON as the token extension "
        "dep_probability. It is the share of sampled derivations that have the arc, or "
        "the probability by the votes of a committee.",
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
KeepHeads = Annotated[
    bool,
    typer.Option(
        "--keep-heads",
        help="Keep HEAD and DEPREL of CoNLL-U where they are given, and parse the "
        "words that have _ around them. A word with HEAD alone gets a label. Arcs that "
        "cannot be in one tree are an error.",
    ),
]
OutputFormat = Annotated[
    FormatName | None,
    typer.Option(
        "--format",
        help="conllu: CoNLL-U. json: an array of spaCy Docs. html: a page "
        "with drawings of the trees. tree: indented trees for the terminal. tsv: "
        "a row for each token, with the columns of R's udpipe. Default: by the suffix "
        "of OUTPUT, or conllu.",
        show_default=False,
    ),
]


@one_line_errors
def parse_command(
    model: PipelineName,
    inputs: Inputs = None,
    text: Text = None,
    kind: InputOption = None,
    start: TreebankFrom = "tags",
    keep_heads: KeepHeads = False,
    min_probability: MinProbability = None,
    k_best: KBest = None,
    jobs: Jobs = 1,
    format_name: OutputFormat = None,
    code: Code = None,
    output: OutputFile = None,
) -> None:
    """Parse text or CoNLL-U with a trained pipeline.

    The words and sentences of CoNLL-U are kept, and its tags where it has some. Text
    goes through the tokenizer of the pipeline, with one Doc for each paragraph. Older
    Prob= and Support= in MISC are removed. Any spaCy pipeline that sets heads will do,
    such as en_core_web_sm.
    """
    if (text is None) == (not inputs):
        raise CommandError("give either INPUT files (- for standard input) or --text")
    name = format_of(format_name, output, FormatName, "conllu")
    if k_best is not None and (min_probability is not None or name == "tsv"):
        raise CommandError(
            "--k-best goes neither with --min-probability, which is about one tree, "
            "nor with tsv, which has no place for several"
        )
    if keep_heads and (k_best, min_probability, text) != (None, None, None):
        raise CommandError(
            "--keep-heads is for CoNLL-U: it goes with neither --text nor --k-best nor "
            "--min-probability"
        )
    files = expanded(inputs or [])
    check_not_read(output, files)
    nlp = load_pipeline(model)
    wanted = Wanted(k_best, min_probability, keep_heads)
    wanted(nlp)
    writer = FORMATS[name](nlp)
    to_stdout = output is None or str(output) == STDOUT
    to_terminal = to_stdout and sys.stdout.isatty()
    with (
        output_stream(output) as stream,
        progress_bar("Docs parsed", not to_terminal) as advance,
    ):
        stream.write(writer.begin())
        tags = start == "tags"
        for source in sources(nlp, files, text, tags, kind):
            if keep_heads and source.text_file is not None:
                file = source.text_file or "standard input"
                raise CommandError(f"{file}: is text; --keep-heads is for CoNLL-U")
            if k_best is None:
                writer.begin_source(source.text_file)
            parse = partial(parsed_pieces, name, wanted, tags)
            batches = batched(source.inputs, BATCH_SIZE)
            for n_docs, docs in in_batches(nlp, parse, batches, jobs, wanted):
                stream.writelines(map(writer.joined, docs))
                advance(n_docs)
        stream.write(writer.end())


@dataclass(frozen=True)
class Wanted:
    """The wanted output for each parsed Doc: its tree, or a list of the best trees.

    Attributes:
        keep_heads: Whether sentences keep the heads that they have.
    """

    k_best: int | None
    min_probability: float | None
    keep_heads: bool

    def __call__(self, nlp: Language) -> None:
        """Make the parser of a pipeline give what is wanted.

        Raises:
            PipelineError: If it cannot.
        """
        if self.min_probability is not None:
            ask_for_probabilities(nlp, "marginal")
        if self.k_best is not None:
            ask_for_trees(nlp, self.k_best)
        if self.keep_heads:
            ask_to_keep_heads(nlp)

    def of(
        self, doc: Doc, sentence: TreebankSentence | None, doc_tags: bool
    ) -> Iterator[ParsedDoc]:
        """Yield what is written of a Doc.

        Args:
            sentence: The sentence that the Doc was made from, if it was made from one.
        """
        if self.k_best is not None:
            trees = listed_trees(doc, self.k_best, whole=sentence is not None)
            for tree, listed in trees:
                yield ParsedDoc(tree, sentence, doc_tags, ranked=listed)
            return
        sure = None
        if self.min_probability is not None:
            sure = arc_probabilities(doc)
            keep_sure(doc, sure, self.min_probability)
        yield ParsedDoc(doc, sentence, doc_tags, sure)


def parsed_pieces(
    format_name: str,
    wanted: Wanted,
    gold_tags: bool,
    nlp: Language,
    inputs: list[str | TreebankSentence],
) -> tuple[int, list[list[Piece]]]:
    """Parse a batch.

    Returns:
        The number of Docs, and the pieces of what is written.

    Raises:
        PipelineError: If the pipeline sets no heads.
        TreebankError: For heads that cannot be kept.
    """
    writer = FORMATS[format_name](nlp)
    found: list[list[Piece]] = []
    kept = wanted.keep_heads
    docs, given = zip(*ready(inputs, nlp, gold_tags, kept), strict=True)
    with warnings.catch_warnings():
        if kept:
            # `check_kept` says which.
            warnings.filterwarnings("ignore", r".* preset arcs of the document")
        parsed = piped(nlp, docs, len(docs))
    for doc, sentence in zip(parsed, given, strict=True):
        check_parsed(nlp, doc, sentence)
        if kept and sentence is not None:
            check_kept(doc, sentence)
        doc_tags = sentence is None or not (gold_tags and sentence.has_tags)
        found += map(writer.doc, wanted.of(doc, sentence, doc_tags))
    return len(inputs), found
