"""Whole config files with odd lines, given to `spacy train`.

A file is refused with a message, by spaCy or by this package, or a pipeline comes out
that can be loaded and used.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import warnings
from pathlib import Path

import spacy
from spacy.cli.train import train
from wasabi import msg

from spacy_dynoracle.treebank import read_conllu, to_doc_bin

from ..programs import ROOT
from . import prepared
from .configs import bounded, is_clear, takes_part
from .damage import damaged_text, odd_value
from .surface import Case, Limits

UNIT = "config files"
SHORT = 4
LIMITS = Limits(cpu_seconds=60.0, seconds=300.0)

CONFIGS = sorted((ROOT / "configs").glob("*.cfg"))
N_SENTENCES = 8
# Lines that say how long spaCy trains, and where the data are.
LEFT = ("max_epochs", "max_steps", "patience", "eval_frequency", "train", "dev")


def prepare(directory: Path) -> None:
    """A treebank and two corpora."""
    prepared.prepare(directory, ())
    vocab = spacy.blank("en").vocab
    for name in ("train", "dev"):
        sentences = list(read_conllu(directory / f"{name}.conllu"))[:N_SENTENCES]
        to_doc_bin(sentences, vocab, n_sents=2).to_disk(directory / f"{name}.spacy")


def cases(directory: Path) -> Case:
    """A shipped config file of which one or a few lines are odd."""
    scratch = directory / "scratch"
    texts = [path.read_text(encoding="utf8") for path in CONFIGS]

    def case(rng: random.Random) -> int:
        shutil.rmtree(scratch)
        scratch.mkdir()
        text = odd_lines(rng, short(rng.choice(texts), directory))
        config = scratch / "config.cfg"
        config.write_text(text, encoding="utf8", errors="replace")
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                # A few sentences for each training are meant.
                warnings.simplefilter("ignore")
                msg.no_print = True
                train(config, scratch / "out")
                nlp = spacy.load(scratch / "out" / "model-last")
                nlp("Nora found a map.\n\nThe captain sold it.")
        except SystemExit:
            return 1
        except Exception as error:
            if takes_part(error) and not is_clear(error):
                raise
        return 1

    return case


def short(text: str, directory: Path) -> str:
    """A config with corpora, for a training that does not take long."""
    lines = []
    for line in text.splitlines():
        key = line.partition(" = ")[0]
        if key in ("train", "dev"):
            line = f"{key} = {json.dumps(str(directory / key) + '.spacy')}"
        elif key == "max_epochs":
            line = f"{key} = 1"
        lines.append(line)
    return "\n".join(lines) + "\n"


def odd_lines(rng: random.Random, text: str) -> str:
    """A config with one or a few lines that are missing, doubled or odd."""
    lines = text.splitlines()
    settings = [
        number
        for number, line in enumerate(lines)
        if line and line[0] != "#" and line.partition(" = ")[0] not in LEFT
    ]
    for number in rng.sample(settings, rng.choice([1, 1, 2, 3])):
        key, equals, value = lines[number].partition(" = ")
        match rng.randrange(5):
            case 0:
                lines[number] = ""
            case 1:
                lines[number] += "\n" + lines[rng.choice(settings)]
            case 2:
                lines[number] = damaged_text(rng, lines[number])
            case _ if equals:
                odd = bounded(key, odd_value(rng))
                value = json.dumps(odd, default=str) if rng.random() < 0.8 else str(odd)
                lines[number] = f"{key} = {value}"
    return "\n".join(lines) + "\n"
