"""Running a command of the package and judging how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from typer.testing import CliRunner, Result

from spacy_dynoracle.cli import app

# Of the command line's own parser: wrong usage.
USAGE = 2


def run_command(arguments: Sequence[object], stdin: bytes = b"") -> Result:
    """Run a command in this process.

    A command ends with exit code 0, or with 1 and one line that begins with "Error:",
    or with wrong usage. Raises whatever else it raised.
    """
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1, USAGE), (arguments, result.exit_code)
    if result.exit_code == 1:
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("Error: ")]
        # `check` ends so when it has found problems, and prints them as its result.
        if arguments[0] != "check" or errors:
            assert len(errors) == 1, (arguments, result.stderr[-2000:])
            assert lines[-1] == errors[0], (arguments, result.stderr[-2000:])
    assert "Traceback" not in result.stderr, (arguments, result.stderr[-2000:])
    return result
