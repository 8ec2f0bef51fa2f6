"""What commands do with a result: tables, JSON, or a file with JSON.

``--json`` prints JSON to standard output instead of tables. ``--output`` writes JSON to
a file; with ``-`` it is standard output, and there are no tables either.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import srsly

from .common import STDOUT, check_new_file, output_stream


class ResultOptions:
    """Where a result goes. Raises CommandError if the file cannot be written.

    tables: whether tables are printed.
    """

    def __init__(self, output: Path | None, as_json: bool) -> None:
        self._files = [] if output is None else [output]
        to_stdout = output is not None and str(output) == STDOUT
        if output is not None and not to_stdout:
            check_new_file(output)
        if as_json and not to_stdout:
            self._files.append(Path(STDOUT))
        self.tables = not (as_json or to_stdout)

    def write(self, values: Mapping[str, Any]) -> None:
        """Write the result as JSON, to where it was asked for."""
        for file in self._files:
            with output_stream(file) as stream:
                stream.write(srsly.json_dumps(dict(values), indent=2) + "\n")
