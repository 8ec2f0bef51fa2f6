"""Options that only some experiments have, and their defaults."""

from __future__ import annotations

from typing import Annotated

import typer

from . import active_learning, goldberg_2013
from .settings import SYSTEMS

# The defaults are systems and settings of Goldberg & Nivre (2013), and step sizes.
KS = (0, 1, 2, 3)
PS = (0.0, 0.3, 0.6, 0.9)
ALPHAS = (1.0, 0.5, 0.25, 0.1)
GOLDBERG_NIVRE = ("eager", "hybrid", "standard", "easy-first")

SystemsOfGoldbergNivre = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        help=f"System: one of {', '.join(SYSTEMS)}. May be repeated. Default: "
        f"{', '.join(GOLDBERG_NIVRE)}.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(help="Oracle: static or dynamic. May be repeated. Default: both."),
]
Strategies = Annotated[
    list[str] | None,
    typer.Option(
        "--strategy",
        help=f"Strategy: one of {', '.join(active_learning.STRATEGIES)}. May be "
        "repeated. Default: random and entropy.",
    ),
]
Start = Annotated[int, typer.Option(min=1, help="Number of sentences at the start.")]
Steps = Annotated[int, typer.Option(min=1, help="Number of steps that add words.")]
StepWords = Annotated[
    int,
    typer.Option(
        min=0,
        help="Number of words added in a step. 0: as many as --start sentences have.",
    ),
]
StepSize = Annotated[float, typer.Option(help="Step size of AdaGrad-RDA.")]
EpochsOfEach = Annotated[int, typer.Option(min=1, help="Epochs of every training.")]
Samples = Annotated[
    int, typer.Option(min=1, help="Derivations sampled for each sentence.")
]
StepSizes = Annotated[
    list[float] | None,
    typer.Option(
        help="Step size of the log-linear learner. May be repeated. Default: "
        f"{goldberg_2013.PAPER_ALPHA:g}, as in the paper."
    ),
]
RelativeL1 = Annotated[
    float,
    typer.Option(
        help="Penalty of the log-linear learner times the words of the training data. "
        "A larger penalty gives a smaller model with less certain probabilities."
    ),
]
ChooseAlpha = Annotated[
    bool,
    typer.Option(
        "--choose-alpha",
        help=f"Train only {goldberg_2013.MAIN} and show which alpha is the best. "
        f"Default of --alpha: {', '.join(f'{a:g}' for a in ALPHAS)}.",
    ),
]
Ks = Annotated[
    list[int] | None,
    typer.Option(
        "--k", help="Epochs without exploration. May be repeated. Default: 0 to 3."
    ),
]
Ps = Annotated[
    list[float] | None,
    typer.Option(
        "--p",
        help="Probability of exploration. May be repeated. Default: 0, .3, .6, .9.",
    ),
]
