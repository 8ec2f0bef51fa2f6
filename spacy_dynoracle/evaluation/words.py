"""The words of a treebank that a tokenizer finds in the raw text."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from spacy.language import Language

from ..errors import PipelineError
from ..treebank import WordsFound, read_treebank
from ..treebank.pipelines import called
from ..treebank.text import paragraphs
from .conll2018 import score_docs


def words_found(nlp: Language) -> Callable[[Path], WordsFound]:
    """A function for `treebank.check` that measures the tokenizer of a pipeline.

    It gives the tokenizer the raw text of a treebank file, and compares the words as
    the CoNLL 2018 shared task does. Sentences with errors count as far as they could be
    read. It raises PipelineError if the tokenizer changes the text.
    """

    def measure(path: Path) -> WordsFound:
        # Only the words count, and a head may be out of range.
        sentences = (
            replace(s, words=tuple(word._replace(head=None) for word in s.words))
            for s in read_treebank(path, on_problem=lambda problem: None)
        )
        texts = ((group, nlp.tokenizer(text)) for text, group in paragraphs(sentences))
        try:
            scores = score_docs(texts)
        except ValueError as error:
            raise PipelineError(
                f"{path}: the tokenizer of {called(nlp)} changes the text: {error}"
            ) from error
        return WordsFound(scores["Tokens"].f1, scores["Words"].f1)

    return measure
