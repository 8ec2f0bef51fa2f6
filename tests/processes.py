"""Start programs, kill them, and see which of their processes have ended."""

import os
import signal
import subprocess
import sys
import time

from .programs import ROOT


def wait_for(happens, seconds=60):
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(process):
    """Whether a process works; one that nobody has waited for has ended too."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True
    )
    return not state.stdout.strip().startswith("Z") and bool(state.stdout.strip())


def check_that_children_end(program, directory, number, *arguments, children):
    """Start a program that gets a directory and the arguments.

    Send it a signal once its children have written files named by their process ids
    into the directory. Modules beside the program can be imported. All children must
    end.
    """
    script, started = directory / "program.py", directory / "started"
    script.write_text(program, encoding="utf8")
    started.mkdir()
    parent = subprocess.Popen(
        [sys.executable, script, started, *map(str, arguments)],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{directory}"},
        stderr=subprocess.DEVNULL,
    )
    found = []
    try:
        wait_for(lambda: len(os.listdir(started)) == children)
        found = [int(name) for name in os.listdir(started)]
        assert all(map(is_alive, found))
        parent.send_signal(number)
        parent.wait(60)
        wait_for(lambda: not any(map(is_alive, found)))
    finally:
        parent.kill()
        parent.wait()
        for child in filter(is_alive, found):
            os.kill(child, signal.SIGKILL)
