"""The schema of a table of annotations.

A row is a document. Names are those of spaCy's JSON (`Doc.to_json`):

- id: the id of the document.
- text: its text. Characters are counted in it as Python does, in code points.
- error: null, or the reason why the document was not parsed; all annotation is null
  then, and the text is that of the input.
- sents: sentences, with their first character and the one after the last.
- tokens: the tokens of the document:
  - id: number of the token in the document, counted from 0.
  - sent: number of its sentence, counted from 0.
  - start, end: its first character and the one after its last.
  - text: its characters. norm: its form, where that is another one (see below).
  - whitespace: whether a space follows it.
  - lemma, tag, pos, morph: LEMMA, XPOS, UPOS and FEATS of CoNLL-U; null if the pipeline
    does not set them. An empty morph says that there is no feature.
  - head: the id of its head, its own id for the root of a sentence; null if unknown.
  - dep: the label, ROOT for a root; null if unknown.
  - probability: the probability of head and label, if it was asked for; null for
    whitespace.

The words of a multiword token have its characters as text and their forms as norm:
``d`` and ``u`` of French ``du`` have the norms ``de`` and ``le``. Other norms are those
of spaCy.
"""

import pyarrow as pa

VERSION = "1"

SPAN = pa.struct([("start", pa.int32()), ("end", pa.int32())])
TOKEN = pa.struct(
    [
        ("id", pa.int32()),
        ("sent", pa.int32()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("text", pa.string()),
        ("norm", pa.string()),
        ("whitespace", pa.bool_()),
        ("lemma", pa.string()),
        ("tag", pa.string()),
        ("pos", pa.string()),
        ("morph", pa.string()),
        ("head", pa.int32()),
        ("dep", pa.string()),
        ("probability", pa.float32()),
    ]
)
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("error", pa.string()),
        ("sents", pa.list_(SPAN)),
        ("tokens", pa.list_(TOKEN)),
    ],
    metadata={"spacy_dynoracle.tables": VERSION},
)
