# cython: boundscheck=False, wraparound=False
"""The base class of all search algorithms, which find heads and labels of sentences."""
from ..state.sentence cimport Sentence
from ..systems.base cimport TransitionSystem


cdef Py_ssize_t sentences_of(
    Model model, sentences, vector[const SentenceC*]* pointers
) except -1:
    """Check sentences and point to them, as long as the list lives.

    Returns:
        The number of their words.

    Raises:
        ValueError: For a sentence with other columns than those of the model.
    """
    cdef Sentence sentence
    cdef Py_ssize_t n_words = 0
    cdef int n_columns = len(model.columns)
    for item in sentences:
        if item is None:
            raise TypeError("expected a Sentence, got None")
        sentence = item
        if sentence.c.n_columns != n_columns:
            raise ValueError(
                f"the model reads {n_columns} attributes of a word, the sentence "
                f"has {sentence.c.n_columns}"
            )
        pointers.push_back(&sentence.c)
        n_words += sentence.c.length
    return n_words


cdef class Search:
    """Finds the best derivation of a sentence under a model.

    A search says what it can do, so that nobody has to ask what it is:

    Attributes:
        beam_size: How many derivations it keeps side by side; 0 if it follows one, so
            that it has no list of trees.
        n_best: How many of the best trees a parser keeps with each document.
        threshold: As of `BeamSearch`; 0 for other searches.
        needs_part: The name of the part of a model that it needs beside the weights,
            such as "ranker"; None if it needs none.
    """

    needs_part = None  # type: str | None

    def check_system(self, TransitionSystem system not None) -> None:
        """Raise ValueError for a system that it cannot search."""

    def parse(
        self,
        Model model not None,
        list sentences not None: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Parse sentences; the GIL is released meanwhile.

        Args:
            sentences: `Sentence` objects whose columns are those of the model's
                templates.
            root_rule: How many roots a sentence may have, a `RootRule`; by default what
                the `single_root` of the model's system asks for.

        Returns:
            (heads, labels): two int32 arrays over all words of all sentences, one
            sentence after the other. A head is a word 1..n of the sentence or 0 for
            ROOT; a label is an id of `model.labels`, or -1 where the model has no
            label.

        Raises:
            ValueError: For a sentence with other columns.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to search")

    def candidates(
        self,
        Model model not None,
        list sentences not None: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> list[Candidates]:
        """The distinct trees that it keeps of each sentence, best first: a list of
        `Candidates`. Only a search with a beam has them.

        The arguments and errors are those of `parse`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no list of trees")

    def derivation(
        self,
        Model model not None,
        Sentence sentence not None,
        root_rule: RootRule | None = None,
    ) -> list[tuple[str, str | None]] | None:
        """The transitions of the tree that `parse` finds, with their labels; None if it
        takes the best one in every configuration.

        The arguments and errors are those of `parse`.
        """
        return None

    cdef Beam beam(self, Model model, root_rule):
        """The beam that decides where the best action is not far ahead, or None."""
        return None

    def with_n_best(self, int n_best) -> Search:
        """The same search with another `n_best`.

        Raises:
            ValueError: For a search without a beam.
        """
        raise ValueError(
            f"only a search with a beam gives a list of the best trees: use "
            f"spacy_dynoracle.BeamSearch.v1, not {self!r}"
        )

    def __reduce__(self):
        return type(self), ()

    def __repr__(self):
        return f"{type(self).__name__}()"
