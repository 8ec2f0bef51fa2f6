"""The number of threads that share a batch."""

from spacy.language import Language

from ..util.config_errors import check_count
from .base import Component

# More threads than any machine runs at once only cost memory.
MAX_THREADS = 1024


def set_threads(nlp: Language, n_threads: int) -> None:
    """Let threads share each batch that a component of this package annotates.

    Args:
        n_threads: 1 to 1024, for each component. The annotation does not depend on it.
            It is not saved with the pipeline.

    Raises:
        ValueError: For other numbers.
    """
    check_count("n_threads", n_threads, 1, MAX_THREADS)
    for _, component in nlp.components:
        if isinstance(component, Component):
            component.set_threads(n_threads)
