"""The help of the commands, on a terminal of 80 columns."""

import itertools

import pytest
from typer.testing import CliRunner

from spacy_dynoracle.cli import PLUGINS, app


def commands():
    """All commands, with the program that they belong to."""
    names = [str(c.name) for c in app.registered_commands if not c.hidden]
    return [(app, name) for name in names]


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
    shown = [c for c in program.registered_commands if not c.hidden]
    for summary, command in zip(summaries, shown, strict=True):
        assert command.callback is not None
        first = (command.callback.__doc__ or "").partition("\n")[0]
        assert summary == first


@pytest.mark.parametrize("command", PLUGINS)
def test_the_command_of_a_plug_in_says_where_it_is(command: str) -> None:
    result = CliRunner().invoke(app, [command, "FILE", "--folds", "3", "--help"])
    assert result.exit_code == 1
    assert f"pip install ./plugins/{PLUGINS[command][0]}" in result.stderr
