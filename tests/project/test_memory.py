"""Memory while parsing: constant over a stream, linear in the length of a Doc."""

from pathlib import Path

import pytest

from benchmarks.pipelines import trained

from ..programs import ROOT

SAMPLE = ROOT / "treebanks" / "English-Harbour"
MEGA = 1e6

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/clear_refs").exists(),
        reason="only Linux tells how much memory a piece of work takes",
    ),
]


@pytest.fixture(scope="module")
def peak(tmp_path_factory):
    """The peak of a task in a process of its own, above what it held before."""
    # Which Windows cannot import.
    from benchmarks.memory import in_new_process

    model = tmp_path_factory.mktemp("model")
    trained(SAMPLE, "en", 1, 0).to_disk(model)

    def run(task, words):
        arguments = {"model": str(model), "treebank": str(SAMPLE), "seed": 0}
        (report,) = in_new_process(task, words=words, **arguments)
        return report["parsing"]

    return run


def test_a_stream_takes_no_more_the_longer_it_is(peak):
    short, long = peak("stream", 20_000), peak("stream", 400_000)
    assert long < short + 8 * MEGA


def test_a_long_document_takes_less_than_a_kilobyte_per_word(peak):
    small, large = 50_000, 500_000
    first, second = peak("long", small), peak("long", large)
    assert second < 1024 * large
    # Linear: the tenfold text takes no more than the tenfold, and some noise.
    assert second < 10 * first + 16 * MEGA
