"""Active learning, simulated on the embedded treebank."""

import pytest

from experiments.runs import Run
from experiments.settings import ALL, RANDOM, Setting
from experiments.simulation import Simulator, simulate
from spacy_dynoracle.treebank import read_conllu
from tests.harbour import BANK, FILE

pytestmark = pytest.mark.heavy


def setting(strategy, **values):
    return Setting(
        strategy=strategy, start=15, steps=2, step_words=100, epochs=2, learner="rda",
        alpha=0.25, exploration="sample", k=0, tag_attr="POS", **values,
    )  # fmt: skip


@pytest.fixture
def simulator(lab):
    def make(strategy):
        run = Run(BANK, setting(strategy), 1)
        sentences = list(read_conllu(FILE))
        return Simulator(lab._component(run), run.setting, 1, sentences)

    return make


def test_steps_add_words_and_no_sentence_twice(simulator):
    found = {name: simulator(name) for name in (RANDOM, "entropy")}
    steps = {name: list(each.steps()) for name, each in found.items()}
    assert steps[RANDOM][0] == steps["entropy"][0]
    assert steps[RANDOM][1] != steps["entropy"][1]
    for name, each in found.items():
        first = each.words(steps[name][0])
        for step, chosen in enumerate(steps[name]):
            assert len(set(chosen)) == len(chosen)
            more = each.words(chosen) - (first + 100 * step)
            assert 0 <= more < each.lengths[chosen[-1]]


def test_what_is_added_is_what_the_parser_is_least_sure_of(simulator):
    one = simulator("entropy")
    steps = one.steps()
    chosen = next(steps)
    pool = sorted(set(range(len(one.sentences))) - set(chosen))
    values = dict(zip(pool, one.uncertainty(pool), strict=True))
    added = next(steps)[len(chosen) :]
    least = [values[i] for i in added]
    assert least == sorted(least, reverse=True)
    assert min(least) >= max(values[i] for i in pool if i not in added)


def test_all_is_everything_at_once(simulator):
    (chosen,) = simulator(ALL).steps()
    assert sorted(chosen) == list(range(len(chosen)))


def test_measures_of_steps(lab):
    run = Run(BANK, setting(RANDOM), 1)
    lab.sizes = {"train": 60, "test": 20}
    found = simulate(lab._component(run), run, lab.corpus(run), "test")[""]
    assert list(found) == [
        f"{name}@{i}" for i in range(3) for name in ("words", "uas", "las")
    ]
    assert found["words@0"]["parts"] < found["words@2"]["parts"]
    # Training is deterministic.
    again = simulate(lab._component(run), run, lab.corpus(run), "test")[""]
    assert again == found


def test_a_start_without_a_rest_is_an_error():
    sentences = list(read_conllu(FILE))[:15]
    with pytest.raises(ValueError, match="none to choose after a start of 15"):
        Simulator({}, setting(RANDOM), 1, sentences)
