"""``rank``: teach a parser with a beam to choose among what its beam finds."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..core.reranking.fitting import Example as RankExample
from ..core.reranking.fitting import Round, best_round
from ..core.search.hc import HCSearch
from ..doc.readers import TOKEN_ATTRIBUTES, copy_annotation
from ..parser.component import DynOracleParser
from ..rerank.candidate_files import CandidateFileError
from ..rerank.candidates import (
    Material,
    ParserSettings,
    make_candidates,
    model_of,
    search_of,
)
from ..rerank.features import ranking_templates
from ..rerank.training import (
    RankSettings,
    first_loss,
    least_loss,
    prepare,
    rankers,
    tag_attr_of,
    with_losses,
)
from ..tagger.jackknife import without_annotation
from ..treebank.docs import read_conllu, to_doc
from ..treebank.files import SUFFIXES
from .calibrate import find_parser
from .common import (
    CommandError,
    check_new_directory,
    load_pipeline,
    one_line_errors,
    progress_bar,
    store_in_new,
    tag_writers,
)
from .jackknife import SPACY, read_docs
from .options import FileTags, PipelineName


class Groups(str, Enum):
    """Which candidates of a sentence are to score above which others."""

    fine = "fine"
    coarse = "coarse"


@one_line_errors
def rank_command(
    model: PipelineName,
    train: Annotated[
        Path,
        typer.Argument(
            help="Training data of MODEL: a .conllu, .conll or .spacy file."
        ),
    ],
    dev: Annotated[
        Path,
        typer.Argument(
            help="Development data, which MODEL was not trained on, of the same kinds."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="New directory for the trained pipeline."),
    ],
    folds: Annotated[
        int, typer.Option(min=2, help="Parts that are parsed by a parser of their own.")
    ] = 20,
    jobs: Annotated[int, typer.Option(min=1, help="Parsers trained at a time.")] = 1,
    work: Annotated[
        Path | None,
        typer.Option(
            help="Directory for the candidates of each fold; those that are there are "
            "not made again. Default: OUTPUT with '-candidates'."
        ),
    ] = None,
    groups: Annotated[
        Groups,
        typer.Option(
            help="Rank candidates of every loss above all worse ones (fine), or only "
            "the best ones (coarse)."
        ),
    ] = Groups.fine,
    features: Annotated[
        str,
        typer.Option(
            help="Of whole trees. liu2015: the 219 of the paper, of forms and tags; "
            "global: also coordination, brackets, right branch, numbers of dependents; "
            "lemmas: also lemmas and coarse tags; rich: also morphology; or a file "
            "with a template, or the name of a set, on each line."
        ),
    ] = "liu2015",
    rounds: Annotated[
        int, typer.Option(min=1, help="Over the candidates; the best on DEV counts.")
    ] = 10,
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Of each parser. Default: as many as MODEL had."),
    ] = None,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="A wrong label is a loss as well.")
    ] = False,
    punctuation: Annotated[
        bool, typer.Option(help="Whether heads of punctuation count.")
    ] = True,
    mixture: Annotated[
        bool,
        typer.Option(help="Mix the scores of search and ranker, or rank alone."),
    ] = True,
    gold_tags: FileTags = True,
    seed: Annotated[
        int, typer.Option(help="Of the order in which candidates are compared.")
    ] = 0,
) -> None:
    """Train a ranker for a parser that was trained with BeamSearch.

    The training data are cut into folds; the candidates of each come from the beam of a
    parser trained on the others. From them the ranker learns which of several trees is
    best. Its share in the final score is chosen on DEV. An interrupted run goes on with
    the folds that are missing.
    """
    check_new_directory(output)
    directory = work or output.with_name(f"{output.name}-candidates")
    nlp = load_pipeline(model)
    parser, _ = find_parser(nlp, model)
    what = {"labelled": labelled, "punctuation": punctuation}
    try:
        search = search_of(parser)
        settings = settings_of(nlp, parser, epochs)
        docs = documents(train, nlp)
        templates = ranking_templates(features, docs, tag_attr_of(parser))
        wanted = RankSettings(groups.value, rounds, seed, templates)
        prepare(parser, wanted)
        material = Material(parser, docs, **what)
        dev_material = Material(parser, development_docs(nlp, dev, gold_tags), **what)
        check_annotation(material, train)
        check_annotation(dev_material, dev)
        with progress_bar("folds parsed") as advance:
            found = make_candidates(docs, settings, folds, directory, jobs, advance)
        training = with_losses(material, found)
        development = with_losses(dev_material, dev_material.candidates(parser))
        with progress_bar("rounds of ranking") as advance:
            every = []
            for found_round in rankers(parser, training, development, wanted):
                every.append(found_round)
                advance(1)
    except (CandidateFileError, ValueError) as error:
        raise CommandError(" ".join(str(error).split())) from error
    best = best_round(iter(every), by_mixture=mixture)
    ranker = best.ranker if mixture else best.ranker.with_alpha(0.0)
    n_words = sum(int(gold.counts().sum()) for gold in dev_material.golds)
    console = Console(markup=False, emoji=False, highlight=False)
    right = "right heads and labels" if labelled else "right heads"
    title = f"Development data, {n_words:,} words: {right} in per cent"
    console.print(table_of(title, every, best, development, n_words))
    parser.set_model(model_of(parser).with_ranker(ranker))
    use_ranker(nlp, parser, search.beam_size)
    store_in_new(nlp, output)
    typer.echo(f"Stored in {output}", err=True)


def settings_of(
    nlp: Language, parser: DynOracleParser, epochs: int | None
) -> ParserSettings:
    """Parsers like the one of a pipeline. Raises CommandError if the number of epochs
    is not known."""
    whole = nlp.config.interpolate()
    n_epochs = epochs or int(whole["training"].get("max_epochs") or 0)
    if n_epochs < 1:
        raise CommandError(
            "the config of the pipeline does not say for how many epochs it was "
            "trained: use --epochs"
        )
    config: dict[str, Any] = dict(whole["components"][parser.name])
    config.pop("factory", None)
    config["n_threads"] = 1
    return ParserSettings(nlp.lang or "xx", config, n_epochs, parser.label_data or {})


def documents(path: Path, nlp: Language) -> list[Doc]:
    """The documents of a file, with their trees and tags, cut into sentences if the
    training of the pipeline had them so.

    Raises CommandError if it cannot be read or is empty.
    """
    if path.suffix == SPACY and path.is_file():
        docs = read_docs(path, nlp.vocab)
    elif path.suffix in SUFFIXES:
        docs = [to_doc(sentence, nlp.vocab) for sentence in read_conllu(path)]
    else:
        raise CommandError(f"{path}: expected a .conllu, .conll or .spacy file")
    if not docs:
        raise CommandError(f"{path}: there is nothing in it")
    corpus = nlp.config.get("corpora", {}).get("train", {})
    if corpus.get("gold_preproc") and any(len(list(doc.sents)) > 1 for doc in docs):
        docs = [sentence.as_doc() for doc in docs for sentence in doc.sents]
    return docs


def development_docs(nlp: Language, path: Path, gold_tags: bool) -> list[Doc]:
    """The documents of a file with its tags, or with those of the pipeline's tagger."""
    docs = documents(path, nlp)
    if not gold_tags:
        names = [name for name in nlp.pipe_names if name in tag_writers(nlp)]
        with nlp.select_pipes(enable=names):
            for doc in docs:
                tagged = nlp(without_annotation(doc))
                copy_annotation(Example(doc, tagged), list(TOKEN_ATTRIBUTES))
    return docs


def check_annotation(material: Material, path: Path) -> None:
    """Raise CommandError if the documents of a file do not have what is read."""
    if material.missing:
        names = " and ".join(sorted(material.missing))
        raise CommandError(
            f"{path}: no token has a {names}, which the parser or the features of the "
            f"ranker use: add it to the file, or choose other --features"
        )


def use_ranker(nlp: Language, parser: DynOracleParser, beam_size: int) -> None:
    """Let the parser of a pipeline, and its config, search with the ranker."""
    parser.change(search=HCSearch(beam_size))
    # The config of the pipeline, as it is stored with it.
    nlp.get_pipe_config(parser.name)["search"] = {
        "@misc": "spacy_dynoracle.HCSearch.v1",
        "beam_size": beam_size,
    }


def table_of(
    title: str,
    every: list[Round],
    best: Round,
    development: Sequence[RankExample],
    n_words: int,
) -> Table:
    """Scores on the development data after each round."""

    def score(loss: int) -> str:
        return f"{100 - 100 * loss / max(n_words, 1):.2f}"

    table = Table(title=title)
    for column in ("", "Ranker", "Mixture", "Share of the search", "Updates"):
        table.add_column(column, justify="right" if column else "left")
    table.add_row("search alone", score(first_loss(development)))
    table.add_row("best candidates", score(least_loss(development)))
    for found in every:
        table.add_row(
            f"round {found.number}" + (" (taken)" if found is best else ""),
            score(found.loss),
            score(found.mixture_loss),
            f"{found.ranker.alpha:.3f}",
            f"{found.n_updates:,} of {found.n_pairs:,}",
        )
    return table
