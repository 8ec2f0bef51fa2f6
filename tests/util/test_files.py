"""Files are replaced whole; links, devices and pipes stay what they are."""

import os
import stat
import threading
import time
from pathlib import Path

import pytest

from spacy_dynoracle.util import files
from spacy_dynoracle.util.files import replace_file, replacing


def write_half(path):
    with replacing(path) as stream:
        stream.write(b"half")
        raise ZeroDivisionError


def test_a_file_is_new_or_old_and_nothing_stays_beside_it(tmp_path):
    path = tmp_path / "file"
    replace_file(path, b"old")
    with pytest.raises(ZeroDivisionError):
        write_half(path)
    assert path.read_bytes() == b"old"
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


def test_permissions_stay(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_links_are_followed(tmp_path):
    target = tmp_path / "there" / "target"
    target.parent.mkdir()
    for name in ("first", "second"):
        (tmp_path / name).symlink_to(target)
    replace_file(tmp_path / "first", b"made")
    replace_file(tmp_path / "second", b"replaced")
    assert target.read_bytes() == b"replaced"
    assert (tmp_path / "first").is_symlink()
    assert (tmp_path / "second").is_symlink()


def test_a_device_is_written_to():
    before = os.stat(os.devnull)
    replace_file(Path(os.devnull), b"gone")
    after = os.stat(os.devnull)
    assert stat.S_ISCHR(after.st_mode)
    assert before.st_ino == after.st_ino


def test_a_named_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    replace_file(pipe, b"through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_old_leftovers_of_killed_processes_go(tmp_path):
    path = tmp_path / "file"
    names = [".file.0123.part", ".file.4567.part", ".other.0123.part", ".file.txt"]
    for name in names:
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (0, 0))
    now = time.time()
    os.utime(tmp_path / names[1], (now, now))
    replace_file(path, b"new")
    assert sorted(os.listdir(tmp_path)) == sorted(["file", *names[1:]])


def test_bytes_are_on_the_disk_before_the_file_has_its_name(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace

    def record_sync(number):
        done.append(stat.S_IFMT(os.fstat(number).st_mode))
        fsync(number)

    def record_replace(old, new):
        assert Path(old).read_bytes() == b"bytes"
        done.append("renamed")
        replace(old, new)

    monkeypatch.setattr(files.os, "fsync", record_sync)
    monkeypatch.setattr(files.os, "replace", record_replace)
    replace_file(tmp_path / "file", b"bytes")
    assert done == [stat.S_IFREG, "renamed", stat.S_IFDIR]


def directory(path, content):
    path.mkdir()
    (path / "file").write_text(content, encoding="utf8")
    return path


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_between_two_renames_brings_the_old_directory_back(
    tmp_path, monkeypatch, error
):
    old, new = directory(tmp_path / "a", "old"), directory(tmp_path / "b", "new")
    replace = os.replace

    def fails_on_new(source, target):
        if source == new:
            raise error
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails_on_new)
    with pytest.raises(error):
        files.replace_directory(old, new)
    assert (old / "file").read_text(encoding="utf8") == "old"
    monkeypatch.setattr(os, "replace", replace)
    files.replace_directory(old, new)
    assert (old / "file").read_text(encoding="utf8") == "new"
    assert os.listdir(tmp_path) == ["a"]


def test_a_directory_that_is_not_there_yet(tmp_path):
    files.replace_directory(tmp_path / "a", directory(tmp_path / "b", "new"))
    assert os.listdir(tmp_path) == ["a"]
