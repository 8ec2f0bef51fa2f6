"""Texts of a small treebank with multiword tokens."""

import random

from spacy.tokens import Doc

from spacy_dynoracle.treebank import multiword

# "_" joins words that stand together; "=" joins those of a multiword token.
TEXTS = (
    "they did=n't e-mail_, he ca=n't",
    "we did=n't see 713-646-3393_!",
    "its cat saw its_. I think it=s gone_!",
    "the dog_, it=s here_: 345-853-3989",
    "a=c ca=n't do it=s own",
    "b=c and d=c and/or e=c_.",
)


def reference(vocab, text):
    words, spaces, found = [], [], []
    for part in text.split(" "):
        for token in part.split("_"):
            pieces = token.split("=")
            if len(pieces) > 1:
                found.append((len(words), pieces))
            words += pieces
            spaces += [False] * len(pieces)
        spaces[-1] = True
    doc = Doc(vocab, words=words, spaces=spaces)
    multiword.mark(doc, found)
    return doc


def texts(n):
    """Texts of parts of the treebank, with other blanks than there."""
    random_ = random.Random(7)
    parts = [p.replace("_", "").replace("=", "") for t in TEXTS for p in t.split(" ")]
    for _ in range(n):
        chosen = random_.choices(parts, k=random_.randrange(12))
        blanks = random_.choices((" ", " ", " ", "  ", "\n", "", "-"), k=len(chosen))
        yield "".join(a + b for a, b in zip(chosen, blanks, strict=True))
