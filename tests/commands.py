"""Commands of the package, run in this process, and how they end."""

from spacy.language import Language
from typer.main import get_command
from typer.testing import CliRunner

from spacy_dynoracle.cli import COMMANDS, app


@Language.component("test_merger", retokenizes=True)
def merge(doc):
    """Makes one word of the first two, which commands refuse."""
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
    return doc


def listed():
    """The commands in the list of commands, by name."""
    program = get_command(app)
    return {name: program.get_command(None, name) for name in COMMANDS}


def run(*arguments, stdin=None, **options):
    """The result of a command line."""
    return CliRunner().invoke(app, list(map(str, arguments)), input=stdin, **options)


def works(result):
    """What a command prints, which succeeds."""
    assert result.exit_code == 0, result.output
    return result.stdout


def fails(result, *words):
    """The error of a command: exit code 1 and one line on stderr with the words, no
    traceback.
    """
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    for word in words:
        assert word in result.stderr
    return result.stderr
