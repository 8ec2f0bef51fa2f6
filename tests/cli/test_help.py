"""The help of the commands, on a terminal of 80 columns."""

import itertools

import pytest

from spacy_dynoracle.cli import COMMANDS

from ..commands import run, works
from ..core.builders import run_python


def help_of(*command):
    return works(run(*command, "--help", env={"COLUMNS": "80"}))


@pytest.mark.parametrize("command", COMMANDS)
def test_arguments_have_the_names_that_options_refer_to(command):
    usage = help_of(command).partition("\n\n")[0]
    arguments = usage.partition("[OPTIONS]")[2]
    assert any(letter.isalpha() for letter in arguments)
    assert arguments == arguments.upper()


@pytest.mark.parametrize("command", COMMANDS)
def test_lines_are_filled_and_fit(command):
    lines = help_of(command).splitlines()
    assert max(len(line) for line in lines) <= 80
    description = "\n".join(lines).split("\n\n")[2].splitlines()
    if description[0].startswith("Arguments:"):
        return
    # No line ends where its successor's first word had room.
    for line, following in itertools.pairwise(description):
        assert len(line) + 1 + len(following.split()[0]) > 78


def test_the_list_of_commands_shows_their_first_lines():
    table = help_of().partition("Commands:")[2]
    lines = [line.strip() for line in table.splitlines() if line]
    assert [line.split()[0] for line in lines] == [*COMMANDS]
    for line in lines:
        name, summary = line.split(maxsplit=1)
        assert summary == help_of(name).splitlines()[2].strip()


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_needs_no_pipeline_starts_without_spacy(option):
    run_python(
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from spacy_dynoracle.cli import app\n"
        f"assert CliRunner().invoke(app, [{option!r}]).exit_code == 0\n"
        "assert 'spacy' not in sys.modules"
    )
