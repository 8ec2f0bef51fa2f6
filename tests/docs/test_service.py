"""The service of docs/how_to/service.md answers, and does not grow."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy

from ..programs import ROOT, in_checkout

PAGE = ROOT / "docs" / "how_to" / "service.md"
MODELS = ROOT / "models"
TEXT = "Nora found two maps."

pytestmark = in_checkout
pytest.importorskip("fastapi")
pytest.importorskip("httpx")


@pytest.fixture(scope="module")
def service():
    """The names of the program of the page, and a client of its service."""
    from fastapi.testclient import TestClient

    (code,) = re.findall(r"(?ms)^```python3\n(.*?)^```$", PAGE.read_text("utf8"))
    (config,) = MODELS.glob("en_dynoracle_ud/*_*/*-*/config.cfg")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "load", lambda _, load=spacy.load: load(config.parent))
        program = {"__name__": "app"}
        exec(compile(code, str(PAGE), "exec"), program)
    return program, TestClient(program["app"])


def parsed(client, text):
    answer = client.post("/parse", json={"text": text})
    assert answer.status_code == 200
    return answer.json()


def test_it_parses(service):
    _, client = service
    found = {token["text"]: token for token in parsed(client, TEXT)}
    assert found["maps"]["lemma"] == "map"
    assert found["maps"]["dep"] == "obj"
    assert found["maps"]["head"] == 1
    assert parsed(client, "") == []


def test_it_refuses_long_texts_and_cuts_long_runs(service):
    _, client = service
    assert client.post("/parse", json={"text": "a" * 20_001}).status_code == 422
    # JSON can have characters that UTF-8 has not.
    half = client.post("/parse", content='{"text": "a \\ud800 b"}')
    assert half.status_code == 422
    assert "ud800" not in half.text
    tokens = parsed(client, "!" * 5_000)
    assert max(len(token["text"]) for token in tokens) <= 1000


def test_it_does_not_keep_words(service):
    program, client = service
    strings = program["nlp"].vocab.strings
    # The lemmas that the pipeline knows stay.
    parsed(client, "Nora sailed.")
    expected, before = parsed(client, TEXT), len(strings)
    with ThreadPoolExecutor(4) as pool:
        texts = [f"Qwertz{'x' * i} sailed." for i in range(40)]
        answers = list(pool.map(lambda text: parsed(client, text), texts))
    assert [len(tokens) for tokens in answers] == [3] * 40
    assert parsed(client, TEXT) == expected
    assert len(strings) == before
