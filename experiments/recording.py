"""A callback that saves the counts of training, which a saved model does not have.

The runs pass this file to ``spacy train`` as ``--code``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import srsly
from spacy.language import Language
from spacy.util import registry


@registry.callbacks("spacy_dynoracle.record_training.v1")
def make_record_training(component: str, path: Path) -> Callable[[Language], Language]:
    """Make a callback for `before_to_disk` that writes a JSON file.

    component (str): Name of the parser.
    path (Path): The file. Its members count over the whole training: decisions, errors
        (wrong predictions) and given_up (sentences whose training stopped early; None
        if the parser does not count them).
    """

    def record_training(nlp: Language) -> Language:
        trainer = nlp.get_pipe(component).training_run().trainer  # type: ignore[attr-defined]
        counts = {
            "decisions": trainer.n_decisions,
            "errors": trainer.n_errors,
            "given_up": getattr(trainer, "n_given_up", None),
        }
        srsly.write_json(path, counts)
        return nlp

    return record_training
