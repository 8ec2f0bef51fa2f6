"""The command of the experiments with probabilities."""

from __future__ import annotations

from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.registry.learners import RELATIVE_L1

from . import goldberg_2013, probabilities
from .claims import add_claims
from .common import (
    DEFAULT_CONFIG,
    DEFAULT_OUTPUT,
    ConfigFile,
    Directory,
    Epochs,
    Jobs,
    Output,
    Seeds,
    Split,
    TagAttribute,
    Train,
    Treebanks,
    Unlabelled,
    all_runs,
    check_split,
    complete,
    condition,
    fail_if,
    laboratory,
    publish,
    without_labels,
)
from .options import ALPHAS, ChooseAlpha, RelativeL1, StepSizes
from .studies import ProbabilityStudy


@one_line_errors
def probabilities_command(
    treebank: Treebanks,
    treebanks: Directory = "",
    alpha: StepSizes = None,
    relative_l1: RelativeL1 = RELATIVE_L1,
    choose_alpha: ChooseAlpha = False,
    tag_attr: TagAttribute = None,
    unlabelled: Unlabelled = False,
    seeds: Seeds = 3,
    epochs: Epochs = 0,
    jobs: Jobs = 1,
    split: Split = "dev",
    output: Output = DEFAULT_OUTPUT,
    config: ConfigFile = DEFAULT_CONFIG,
    train: Train = True,
) -> None:
    """Perceptron and log-linear learner (Goldberg 2013).

    Prints scores, sizes of models and calibration.
    """
    check_split(split)
    if choose_alpha and split != "dev":
        raise CommandError("--choose-alpha: alpha is chosen on the dev set")
    alphas = alpha or (ALPHAS if choose_alpha else (goldberg_2013.PAPER_ALPHA,))
    try:
        found = goldberg_2013.settings(alphas, epochs, relative_l1, tag_attr)
    except ValueError as error:
        raise CommandError(str(error)) from error
    if choose_alpha:
        found = goldberg_2013.only_main(found)
    lab = laboratory(treebanks, output, config, jobs, train)
    if unlabelled:
        lab = without_labels(lab, treebank)
    runs = all_runs(treebank, seeds, list(found.values()))
    failures = []
    if train:
        failures = complete(lab, runs)
        failures += lab.measure(runs, probabilities.MODULE, split, "Measuring")
    measured = probabilities.Measured.read(lab, runs, split)
    tables = probabilities.Tables(measured, treebank, found, split)
    if choose_alpha:
        publish(lab.output, "alpha", "The step size alpha", *tables.alphas())
    else:
        grids, values = tables.report()
        study = ProbabilityStudy(
            "goldberg_2013", condition(unlabelled), lab,
            dict.fromkeys(treebank, 0), seeds, goldberg_2013.as_in_paper(found), split,
        )  # fmt: skip
        add_claims(study, grids, values)
        publish(lab.output, "probabilities", "Probabilities", grids, values)
    fail_if(failures, len(set(runs)))
