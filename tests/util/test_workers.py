"""Workers end with the process that started them, also when it is killed."""

import os
import signal
import subprocess
import sys

import joblib
import pytest

from spacy_dynoracle.util.workers import _in_waves, in_processes

from ..processes import check_that_children_end, wait_for
from ..programs import ROOT

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(os.name != "posix", reason="signals and process ids of POSIX"),
]

# Workers that write their process ids and then work for ten minutes.
CALLS = """
import os, sys, time
from pathlib import Path
from spacy_dynoracle.util.workers import in_processes

def work(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(600)

if __name__ == "__main__":
    list(in_processes(work, [(0,), (1,)], 2))
"""
# A process that another library starts, which does not name its parent.
POLLING = """
import os, subprocess, sys, time
from pathlib import Path

WORKER = '''
import os, sys, time
from pathlib import Path
from spacy_dynoracle.util.workers import end_with
end_with(int(sys.argv[2]))
end_with(int(sys.argv[2]))
(Path(sys.argv[1]) / str(os.getpid())).touch()
time.sleep(600)
'''
for _ in range(2):
    subprocess.Popen([sys.executable, "-c", WORKER, sys.argv[1], str(os.getpid())])
time.sleep(600)
"""


@pytest.mark.parametrize("program", [CALLS, POLLING], ids=["calls", "polling"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path, program, number):
    check_that_children_end(program, tmp_path, number, children=2)


# One call for two workers, so that one of them has none.
IDLE = """
import sys, time
from pathlib import Path
from spacy_dynoracle.util.workers import in_processes

def work(directory):
    Path(directory, "begun").touch()
    time.sleep(600)

if __name__ == "__main__":
    list(in_processes(work, [(sys.argv[1],)], 2))
"""


def in_group(group):
    """The processes of a group that have not ended."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True
    )
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [
        int(pid)
        for pid, pgid, stat in rows
        if int(pgid) == group and not stat.startswith("Z")
    ]


def test_workers_without_work_end_with_their_parent(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(IDLE, encoding="utf8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, script, tmp_path], env=environment, start_new_session=True
    )
    try:
        wait_for((tmp_path / "begun").exists)
        # The parent, two workers, and the process that clears up for joblib.
        wait_for(lambda: len(in_group(parent.pid)) >= 4)
        parent.kill()
        parent.wait()
        wait_for(lambda: not in_group(parent.pid))
    finally:
        for process in in_group(parent.pid):
            os.kill(process, signal.SIGKILL)
        parent.wait()


def test_other_backends_of_joblib():
    """Also one that returns all results at once."""
    with joblib.parallel_config(backend="threading"):
        assert list(in_processes(abs, [(-3,), (1,)], 2)) == [3, 1]
    with joblib.Parallel(n_jobs=2, backend="threading") as parallel:
        calls = (joblib.delayed(abs)(-i) for i in range(7))
        assert list(_in_waves(parallel, calls, 3)) == list(range(7))
