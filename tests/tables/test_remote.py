"""What users read when an engine fails."""

import pytest

from spacy_dynoracle.tables import TableError
from spacy_dynoracle.tables.remote import user_errors

WORKER = """[PYTHON_EXCEPTION] An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "worker.py", line 1, in main
    process()
  File "files.py", line 2, in read
    raise _damaged(path, error)
{error}

	at org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
"""
JAVA = """An error occurred while calling o1.parquet.
: org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed.
	at org.apache.spark.sql.errors.QueryExecutionErrors$.taskFailed(Errors.scala:1)
Caused by: java.lang.RuntimeException
	at java.base/java.lang.Thread.run(Thread.java:1)
Caused by: java.io.IOException: {error}
	at java.base/java.io.FileOutputStream.writeBytes(Native Method)
"""


class EngineError(Exception):
    """An error of an engine."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            WORKER.format(error="pkg.TableError: a.gz: the file is damaged (end)"),
            "Spark: a.gz: the file is damaged (end)",
        ),
        (
            WORKER.format(error="MemoryError: no  more"),
            "Spark: MemoryError: no more",
        ),
        (JAVA.format(error="Permission denied"), "Spark: Permission denied"),
        (
            JAVA.format(error="No space left on device"),
            "Spark: no space left on a disk while it wrote out; make room, delete this "
            "folder and start again",
        ),
        (
            "[PATH_ALREADY_EXISTS] Path file:/out already exists. Set mode",
            "out: is there already; name a new folder",
        ),
        ("the cluster\n is gone", "Spark: the cluster is gone"),
        ("x" * 1000, "Spark: " + "x" * 500),
    ],
)
def test_one_line(text, shown):
    with pytest.raises(TableError) as caught, user_errors(EngineError, "Spark", "out"):
        raise EngineError(text)
    assert str(caught.value) == shown


def test_other_errors_pass():
    with pytest.raises(KeyError), user_errors((EngineError, OSError), "Ray", "out"):
        raise KeyError("x")
