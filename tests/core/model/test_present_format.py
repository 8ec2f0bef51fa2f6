"""Files of the present format load and give the same parses as when they were made.

`python -m tests.core.model.test_present_format` makes `tests/data/format.models` and
`format.json`. Make them anew only before the first release: from then on they show that
a released format stays readable, and a new format gets a file of its own beside them.
"""

import json
from pathlib import Path

from spacy_dynoracle import ArcEager, EasyFirst
from spacy_dynoracle.core.model.bundle import read_models, write_models

from ..builders import (
    TREEBANK,
    add_labels,
    labels_of,
    model_of,
    parse,
    sentences,
    train,
    trained,
)
from ..learners.rda_trainers import build_rda

DATA = Path(__file__).parents[2] / "data"
MODELS, PARSES = DATA / "format.models", DATA / "format.json"
TEMPLATES = ("S0w", "N0w", "S0p.N0p", "S0w.N0p")


def test_files_of_the_present_format():
    """Narrow and wide models, with features in buckets, lines and the overflow."""
    models, parts = read_models(MODELS.read_bytes())
    expected = json.loads(PARSES.read_text(encoding="utf8"))
    assert {name: parses_of(model) for name, model in models.items()} == expected
    assert parts == {"other": b"bytes"}
    for name, array in models["narrow"].weights.arrays().items():
        assert len(array) > 64 * (name in ("buckets", "rows", "lines"))
    assert write_models(models, parts) == MODELS.read_bytes()


def parses_of(model):
    return [[list(part) for part in tree] for tree in parse(model, sentences(TREEBANK))]


def make():
    """The models, which have learnt the treebank of the tests."""
    wide = build_rda(EasyFirst(), labels_of(TREEBANK), smallest_gradient=0.02)
    add_labels(wide, map(str, range(130)))
    train(wide, 3)
    narrow = build_rda(ArcEager(), labels_of(TREEBANK), templates=TEMPLATES)
    train(narrow, 3)
    perceptron = trained(TREEBANK, templates=TEMPLATES, root="first")
    return {
        "narrow": model_of(narrow).with_temperature(2.0),
        "wide": model_of(wide),
        "perceptron": model_of(perceptron),
    }


if __name__ == "__main__":
    made = make()
    MODELS.write_bytes(write_models(made, {"other": b"bytes"}))
    found = {name: parses_of(model) for name, model in made.items()}
    PARSES.write_text(json.dumps(found) + "\n", encoding="utf8")
