"""The plots of the documentation show the tables of its pages."""

from xml.etree import ElementTree

import pytest
import srsly

from scripts import plots

PAGE = """
<!-- table: begin -->
| | LAS | words per second |
| --- | ---: | ---: |
| a <b> | 70.0 | 1,000 |
| c | 74.0 | 10,000 |
| d | 72.0 | 100 |
<!-- table: end -->
"""


def test_they_are_those_of_the_pages():
    for path, (draw, page) in plots.PLOTS.items():
        drawn = draw(page.read_text(encoding="utf8"))
        assert drawn == path.read_text(encoding="utf8"), "run: python scripts/plots.py"


def circles(picture):
    return [
        (float(x.attrib["cx"]), float(x.attrib["cy"]))
        for x in picture.iter()
        if x.tag.endswith("circle")
    ]


def test_points_lie_where_their_numbers_are():
    picture = ElementTree.fromstring(plots.speed(PAGE))
    (ax, ay), (cx, cy), (dx, dy) = circles(picture)
    # Ten times the speed is always the same distance; more LAS is higher.
    assert cx - ax == pytest.approx(ax - dx, abs=0.11)
    assert ay - dy == pytest.approx(dy - cy, abs=0.11)
    assert cx > ax > dx
    assert ay > dy > cy
    texts = {x.text for x in picture.iter() if x.tag.endswith("text")}
    assert {"a <b>", "c", "d", "100", "10,000", "70", "74"} <= texts


def test_the_table_of_curves_is_what_the_command_has_written(tmp_path):
    points = [
        {"divisor": 2, "words": 1000, "scores": {"LAS": {"f1": 0.5}}},
        {"divisor": 1, "words": 2000, "scores": {"LAS": {"f1": 0.625}}},
    ]
    scores = {"train": "any/UD_Latin-Mine/train.conllu", "points": points}
    srsly.write_json(tmp_path / "scores.json", scores)
    lines = list(plots.curves_table([tmp_path]))
    assert lines[-1] == "| UD_Latin-Mine | 1,000 | 2,000 | 50.0 | 62.5 |"
    page = "\n".join(["<!-- curves: begin -->", *lines, "<!-- curves: end -->"])
    picture = ElementTree.fromstring(plots.curves(page))
    (x, y), (more, higher) = circles(picture)
    assert x < more
    assert y > higher
    assert "Latin-Mine" in {each.text for each in picture.iter()}
