"""Tables of texts parsed into tables of annotations, with Arrow.

`TableParser` parses a batch of rows. Engines that people already run call it: Spark,
Ray Data, Hugging Face datasets, polars and pandas. `parse_locally` parses files into
Parquet on this machine. On a cluster, an engine calls `Plan.parse` with each part of
the files.
"""

from .documents import docs_of, to_doc_bin
from .files import Plan, plan
from .local import LocalRun, parse_locally
from .parsing import TableParser
from .places import TableError
from .schema import SCHEMA

__all__ = [
    "SCHEMA",
    "LocalRun",
    "Plan",
    "TableError",
    "TableParser",
    "docs_of",
    "parse_locally",
    "plan",
    "to_doc_bin",
]
