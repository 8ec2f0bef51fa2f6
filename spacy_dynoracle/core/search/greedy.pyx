# cython: boundscheck=False, wraparound=False
"""Greedy search."""
from ..model.model cimport Model
from .base cimport Search
from .turns cimport Queue, Turn, take_turns, turns_of


cdef class GreedySearch(Search):
    """Take the legal action with the highest score until the configuration is terminal.

    Ties go to the lowest action. A transition that is forced and carries no label is
    carried out without asking the model. With an easy-first system the action is one
    for any pair of neighbours; ties go to the first pair.

    Source: Goldberg & Nivre 2013, algorithm 1; Goldberg & Elhadad 2010, section 3.
    """

    def parse(
        self,
        Model model not None,
        list sentences not None: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        cdef Queue queue = Queue(model, sentences, model.root_label_id)
        take_turns(turns_of(self, Turn, queue, model, root_rule))
        return queue.trees.heads, queue.trees.labels
