"""The help of the commands, on a terminal of 80 columns."""

import itertools

import pytest
from typer.testing import CliRunner

from spacy_dynoracle.cli import app


def commands():
    """All commands, with the program that they belong to."""
    return [(app, str(command.name)) for command in app.registered_commands]


def help_of(program, *command):
    result = CliRunner().invoke(program, [*command, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize(("program", "command"), commands())
def test_arguments_have_the_names_that_options_refer_to(program, command):
    usage = help_of(program, command).partition("\n\n")[0]
    arguments = usage.partition("[OPTIONS]")[2]
    assert any(letter.isalpha() for letter in arguments)
    assert arguments == arguments.upper()


@pytest.mark.parametrize(("program", "command"), commands())
def test_lines_are_filled_and_fit(program, command):
    lines = help_of(program, command).splitlines()
    assert max(len(line) for line in lines) <= 80
    description = "\n".join(lines).split("\n\n")[2].splitlines()
    if description[0].startswith("Arguments:"):
        return
    # No line ends where its successor's first word had room.
    for line, following in itertools.pairwise(description):
        assert len(line) + 1 + len(following.split()[0]) > 78


@pytest.mark.parametrize("program", [app])
def test_the_list_of_commands_shows_whole_summaries(program):
    table = help_of(program).partition("Commands:")[2]
    summaries = [" ".join(line.split()[1:]) for line in table.splitlines() if line]
    assert len(summaries) == len(program.registered_commands)
    for summary, command in zip(summaries, program.registered_commands, strict=True):
        assert command.callback is not None
        first = (command.callback.__doc__ or "").partition("\n")[0]
        assert summary == first
