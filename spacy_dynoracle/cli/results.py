"""What commands do with a result: tables, JSON, or a file with JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import srsly

from .common import STDOUT, check_new_file, output_stream
from .options import ResultFormat


class ResultOptions:
    """Where a result goes.

    Args:
        output: A file for JSON.
        form: What is printed; JSON if the file is standard output.

    Attributes:
        tables: Whether tables are printed.

    Raises:
        CommandError: If the file cannot be written.
    """

    def __init__(self, output: Path | None, form: ResultFormat) -> None:
        to_stdout = str(output) == STDOUT
        self.tables = form == "text" and not to_stdout
        self._files = [] if self.tables else [Path(STDOUT)]
        if output is not None and not to_stdout:
            check_new_file(output)
            self._files.append(output)

    def write(self, values: Mapping[str, Any]) -> None:
        """Write the result as JSON, to where it was asked for."""
        for file in self._files:
            with output_stream(file) as stream:
                stream.write(srsly.json_dumps(dict(values), indent=2) + "\n")
