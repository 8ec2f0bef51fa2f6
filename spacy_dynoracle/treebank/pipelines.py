"""What a pipeline does to documents that come from a treebank."""

from __future__ import annotations

from spacy.language import Language

# Factories of spaCy that write tags without declaring it.
_TAGGING_FACTORIES = ("attribute_ruler",)
_TAG_ATTRIBUTES = ("token.tag", "token.pos")


def tag_writers(nlp: Language) -> list[str]:
    """The enabled components that would overwrite tags set before parsing.

    Components that set heads are never among them.
    """
    names = []
    for name in nlp.pipe_names:
        meta = nlp.get_pipe_meta(name)
        writes = any(attribute in meta.assigns for attribute in _TAG_ATTRIBUTES)
        if "token.head" in meta.assigns:
            continue
        if writes or meta.factory in _TAGGING_FACTORIES:
            names.append(name)
    return names
