"""Notes about the tags of treebank files that a pipeline takes."""

from collections import Counter
from pathlib import Path

import typer
from spacy.language import Language

from ..committee.component import DynOracleCommittee
from ..parser.component import DynOracleParser
from ..treebank.corpora import corpus_name, read_treebank
from ..treebank.docs import tags_of
from ..treebank.pipelines import learnt_tags
from ..treebank.sentence import TreebankSentence

# So many tags are named as examples.
_SHOWN = 5


class FileTags:
    """Counts the tags of a treebank file.

    Args:
        nlp: The pipeline that takes them.
        path: The file.
    """

    def __init__(self, nlp: Language, path: str | Path) -> None:
        self.path = path
        self.known = learnt_tags(nlp) if _reads_tags(nlp) else set()
        self.n_sentences = self.n_untagged = self.n_words = 0
        self.unknown: Counter[str] = Counter()

    def see(self, sentence: TreebankSentence) -> None:
        """Count the tags of a sentence."""
        self.n_sentences += 1
        self.n_untagged += not sentence.has_tags
        if sentence.has_tags and self.known:
            tags = list(filter(None, tags_of(sentence)))
            self.n_words += len(tags)
            self.unknown.update(tag for tag in tags if tag not in self.known)

    @property
    def any_tags(self) -> bool:
        """Whether any sentence has tags."""
        return self.n_untagged < self.n_sentences

    def note(self) -> None:
        """Say on stderr what is special about the tags.

        A pipeline adds its own tags to sentences without any. It was not trained with
        names that it does not know, as of UPOS where it has learnt XPOS.
        """
        name = corpus_name(self.path)
        if self.n_untagged:
            found = (
                f"{self.n_untagged:,} of {self.n_sentences:,} sentences of {name} have"
                if self.any_tags
                else f"{name} has"
            )
            typer.echo(f"Note: {found} no tags; using those of the pipeline", err=True)
        if 2 * self.unknown.total() > self.n_words:
            tags = [tag for tag, _ in self.unknown.most_common(_SHOWN)]
            # Those of words come before those of marks.
            known = sorted(self.known, key=lambda tag: (not tag.isalpha(), tag))
            typer.echo(
                f"Note: most tags of {name} ({', '.join(tags)}) are not those that the "
                f"pipeline knows ({', '.join(known[:_SHOWN])}), so its trees are worse "
                "than with its own tags: use --from words",
                err=True,
            )


def _reads_tags(nlp: Language) -> bool:
    """Whether a parser of this package in a pipeline reads TAG."""
    parsers: list[DynOracleParser] = []
    for _, component in nlp.pipeline:
        if isinstance(component, DynOracleCommittee):
            parsers += component.members.values()
        elif isinstance(component, DynOracleParser):
            parsers.append(component)
    sources = (source for parser in parsers for source in parser.sources.values())
    return any(source.startswith("TAG") for source in sources)


def use_file_tags(nlp: Language, path: Path, wanted: bool) -> bool:
    """Whether to use the tags of a treebank file.

    Args:
        nlp: The pipeline that takes them.
        wanted: Whether the user asked for them. Notes on stderr say what is special
            about them.
    """
    if not wanted:
        return False
    tags = FileTags(nlp, path)
    for sentence in read_treebank(path):
        tags.see(sentence)
    tags.note()
    return tags.any_tags
