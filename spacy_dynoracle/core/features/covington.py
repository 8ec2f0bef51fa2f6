"""Feature templates for Covington's system.

The front of the buffer may have its head already, and then it is time to go on with the
next word; and words stand between it and the focus that are on no stack.
"""

from .rich_eager import BESIDE, RICH_EAGER
from .zhang_nivre_2011 import ZHANG_NIVRE_2011

HEAD_OF_N0 = ("N0l", "N0hw", "N0hp", "S0p.N0p.N0l", "S0p.N0p.N0hp")

# Not published sets: those of arc-eager, and the head of N0.
RICH_COVINGTON = (*ZHANG_NIVRE_2011, *HEAD_OF_N0, *BESIDE)
RICH_COVINGTON_TWO_TAGS = (*RICH_EAGER, *HEAD_OF_N0)
