"""The commands of the plug-in, run in this process."""

import json

from typer.testing import CliRunner

from dynoracle_trials.__main__ import app
from tests.commands import works


def run(*arguments, stdin=None):
    """The result of a command line."""
    return CliRunner().invoke(app, list(map(str, arguments)), input=stdin)


def result_of(*arguments):
    """What a command prints as JSON."""
    return json.loads(works(run(*arguments, "--format=json")))
