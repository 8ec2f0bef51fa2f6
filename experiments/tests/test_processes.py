"""Programs that experiments start end with them, and say why they failed."""

import os
import signal

import pytest

from experiments.processes import RunError, execute, work_through
from tests.processes import check_that_children_end

# A module that writes its process id and then works for ten minutes.
SLEEPER = """
import os, sys, time
from pathlib import Path

Path(sys.argv[1], str(os.getpid())).touch()
time.sleep(600)
"""
PROGRAM = """
import sys
from pathlib import Path
from experiments.processes import execute, work_through

def work(number):
    execute(["sleeper", sys.argv[1]], Path(f"{number}.log"))

if __name__ == "__main__":
    work_through("Sleeping", [1, 2], work, int(sys.argv[2]))
"""


@pytest.mark.heavy
@pytest.mark.skipif(os.name != "posix", reason="signals and process ids of POSIX")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_programs_end_with_the_experiments(tmp_path, jobs, number):
    (tmp_path / "sleeper.py").write_text(SLEEPER, encoding="utf8")
    check_that_children_end(PROGRAM, tmp_path, number, jobs, children=jobs)


def test_a_program_that_fails_says_why_and_where(tmp_path):
    message = r"cannot load the pipeline.*\(exit status 1, see .*log\)"
    with pytest.raises(RunError, match=message):
        execute(["spacy_dynoracle", "parse", "none", "-"], tmp_path / "log")


def fail(item):
    if item == 1:
        raise RunError("out of luck")
    if item == 3:
        raise ValueError("a fault of the program")


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.heavy)])
def test_failures_are_listed_and_faults_raised(jobs):
    assert work_through("Failing", [0, 1, 2], fail, jobs) == ["out of luck"]
    assert work_through("Nothing", [], fail, jobs) == []
    with pytest.raises(ValueError, match=r"a fault of the program"):
        work_through("Failing", [0, 3], fail, jobs)
