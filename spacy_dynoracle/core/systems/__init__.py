"""Transition systems, one file each."""

from .arc_eager import ArcEager
from .arc_hybrid import ArcHybrid
from .arc_hybrid_swap import ArcHybridSwap
from .arc_standard import ArcStandard
from .base import TransitionSystem
from .easy_first import EasyFirst
from .tagging import Tagging

# Every system under the name that configs and model files use.
SYSTEMS: dict[str, type[TransitionSystem]] = {
    system.__name__: system
    for system in (
        ArcEager,
        ArcHybrid,
        ArcHybridSwap,
        ArcStandard,
        EasyFirst,
        Tagging,
    )
}
