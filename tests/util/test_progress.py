"""Progress where stderr is not a terminal."""

from spacy_dynoracle.util.progress import progress_bar


def test_a_line_a_minute_at_most(capsys):
    times = iter([0, 59, 60, 61, 119, 300, 301])
    with progress_bar("Docs parsed", clock=lambda: next(times)) as advance:
        for _ in range(6):
            advance(1_000)
    assert capsys.readouterr().err == "2,000 Docs parsed\n5,000 Docs parsed\n"
