"""Reading the documents that a reranker is trained and measured on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.doc.own_words import without_annotation
from spacy_dynoracle.doc.readers import TOKEN_ATTRIBUTES, copy_annotation
from spacy_dynoracle.treebank.corpora import read_docs
from spacy_dynoracle.treebank.pipelines import tag_writers

# A corpus, as `read_treebank` reads it, or documents with gold trees and tags.
Documents = str | Path | Sequence[Doc]


def name_of(source: Documents, otherwise: str) -> str:
    """The name of a source in messages: its path, or another name for documents."""
    return str(source) if isinstance(source, (str, Path)) else otherwise


def read_documents(nlp: Language, source: Documents) -> list[Doc]:
    """The documents of a source with their trees and tags.

    They are cut into sentences if the training of the pipeline cut its documents so
    (`gold_preproc` of the training corpus).

    Raises:
        TreebankError: For a file that cannot be read or has nothing in it.
    """
    if isinstance(source, (str, Path)):
        docs = read_docs(Path(source), nlp.vocab)
    else:
        # Tags may be written to them.
        docs = [doc.copy() for doc in source]
    corpus = nlp.config.get("corpora", {}).get("train", {})
    if corpus.get("gold_preproc") and any(len(list(doc.sents)) > 1 for doc in docs):
        docs = [sentence.as_doc() for doc in docs for sentence in doc.sents]
    return docs


def replace_with_pipeline_tags(nlp: Language, docs: Sequence[Doc]) -> None:
    """Overwrite the tags of documents with those that the pipeline predicts, and the
    lemmas.
    """
    writers = [
        *tag_writers(nlp),
        *(n for n in nlp.pipe_names if "token.lemma" in nlp.get_pipe_meta(n).assigns),
    ]
    with nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in writers]):
        for doc in docs:
            tagged = nlp(without_annotation(doc))
            copy_annotation(Example(doc, tagged), list(TOKEN_ATTRIBUTES))
