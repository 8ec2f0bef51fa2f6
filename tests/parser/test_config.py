"""The config: its keys and defaults, and one clear error for each wrong setting."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import load_model_from_config, registry
from thinc.api import Config

from spacy_dynoracle import ZHANG_NIVRE_2011, FeatureTemplates
from spacy_dynoracle.core.features.straight_line import ONE_TAG
from spacy_dynoracle.core.systems.arc_eager import ArcEager
from spacy_dynoracle.registry.default_features import features_for, features_for_data

from .treebank import (
    NAME,
    PARSING,
    SENTENCES,
    SYSTEMS,
    analysis,
    bare,
    block,
    class_of,
    every_system,
    examples,
    feature_templates,
    gold_analysis,
    make_nlp,
    train,
)
from .uncertain import marginal

pytestmark = pytest.mark.heavy

DEFAULTS = {
    "tag_attr": "TAG",
    "sentences": "predict",
    "keep_preset_heads": False,
    "nonprojective": "projectivize",
    "never_govern": "auto",
    "seed": 0,
    "probabilities": None,
    "system": {
        "@misc": "spacy_dynoracle.ArcEager.v1",
        "root": "last",
        "tree_constraint": None,
        "root_label_constraint": False,
    },
    "oracle": {"@misc": "spacy_dynoracle.DynamicOracle.v1"},
    "exploration": {"@misc": "spacy_dynoracle.ErrorExploration.v1", "k": 1, "p": 0.9},
    "learner": block("AveragedPerceptron", margin=200, prune=0.01, min_updates=0),
    "features": None,
    "search": {"@misc": "spacy_dynoracle.GreedySearch.v1"},
    "scorer": {"@scorers": "spacy_dynoracle.parser_scorer.v1"},
}
NO_EXPLORATION = {"@misc": "spacy_dynoracle.NoExploration.v1"}


def pipeline_config(**settings):
    """A whole config as `spacy train` reads it."""
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    config = nlp.config.copy()
    component = config["components"][NAME]
    for key, value in settings.items():
        if isinstance(value, dict) and "@misc" not in value:
            component[key].update(value)
        else:
            component[key] = value
    return Config().from_str(config.to_str())


def load(**settings):
    return load_model_from_config(pipeline_config(**settings), auto_fill=True)


def make_error(**settings):
    """The message of the error that a setting gives, however the pipeline is made."""
    with pytest.raises(ValueError, match=r"\S") as from_config:
        load(**settings)
    with pytest.raises(ValueError, match=r"\S") as added:
        spacy.blank("xx").add_pipe(NAME, config=settings)
    assert type(from_config.value) is type(added.value)
    return str(from_config.value)


def test_default_config():
    """The keys of a config are a public contract."""
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME)
    component = dict(nlp.config["components"][NAME])
    assert component.pop("factory") == NAME
    assert component == DEFAULTS


def test_filled_config_is_stable():
    filled = load().config
    again = load_model_from_config(Config().from_str(filled.to_str()), auto_fill=True)
    assert again.config.to_str() == filled.to_str()


def test_assigns_and_score_weights():
    meta = spacy.blank("xx").get_factory_meta(NAME)
    assigns = {"token.dep", "token.head", "token.is_sent_start", "doc.sents"}
    assert set(meta.assigns) == assigns
    weights = meta.default_score_weights
    assert weights["dep_uas"] == weights["dep_las"] == 0.5
    assert {"dep_uas_all", "dep_las_all", "sents_f"} <= set(weights)


# The feature sets that released versions have for a system when the config names none,
# the number of their templates, and of those for text without tags.
RELEASED_DEFAULTS = [
    ("ArcEager", "ZhangNivre2011", 72, 102),
    ("ArcHybrid", "RichHybrid", 90, 114),
    ("ArcStandard", "ZhangNivre2011Standard", 76, 105),
    ("EasyFirst", "GoldbergNivre2013EasyFirst", 105, 131),
    ("ArcHybridSwap", "RichHybrid", 90, 114),
]


@pytest.mark.parametrize(("system", "name", "n", "n_on_forms"), RELEASED_DEFAULTS)
def test_default_features_stay(system, name, n, n_on_forms):
    expected = registry.misc.get(block(name)["@misc"])()
    found = load(system=block(system), tag_attr="TAG").get_pipe(NAME)
    assert found.recipe.templates == expected
    assert len(expected) == n
    found = load(system=block(system), tag_attr=None).get_pipe(NAME)
    assert len(found.recipe.templates) == n_on_forms


@every_system
@pytest.mark.filterwarnings("error", "ignore:.*no training document has more than one")
def test_default_features_without_tags(system):
    """Blank text is enough to train on and to parse."""
    parser = load(system=system, tag_attr=None).get_pipe(NAME)
    expected = features_for(class_of(system)(), None, None)
    assert parser.recipe.templates == expected
    assert not {"p", "t", "a", "pos", "lemma"} & set(parser.recipe.sources)
    nlp = make_nlp(system=system, tag_attr=None)
    assert nlp.get_pipe(NAME).recipe.templates == expected
    data = bare(nlp.vocab)
    assert train(nlp, data, epochs=30)[NAME] == 0
    for s in SENTENCES:
        doc = nlp(Doc(nlp.vocab, words=s.words))
        assert analysis(doc) == gold_analysis(nlp.vocab, s)


def test_tag_attr_null_leaves_out_tags():
    """Of sets that are named; other annotation stays."""
    parser = load(features=block("ZhangNivre2011"), tag_attr=None).get_pipe(NAME)
    expected = FeatureTemplates(ZHANG_NIVRE_2011).without("p", "t", "a")
    assert parser.recipe.templates == expected
    assert parser.recipe.sources == {"w": "ORTH"}
    parser = load(features=feature_templates("S0p", "S0pos", "N0mCase"), tag_attr=None)
    assert list(parser.get_pipe(NAME).recipe.templates.templates) == [
        "S0pos",
        "N0mCase",
    ]
    message = make_error(features=feature_templates("S0p", "N0p.N0w"), tag_attr=None)
    assert "tag_attr = null leaves no feature template" in message


def test_morphology_of_nothing():
    message = make_error(
        features=block("WithMorphology", features=block("ArcEager"), names=["Case"])
    )
    assert "the block features made" in message


@pytest.mark.parametrize("tag_attr", ["TAG", "POS"])
def test_sources_of_token_attributes(tag_attr):
    system, features = block("EasyFirst"), feature_templates("P0w", "P0p", "P0t", "P0a")
    parser = load(system=system, features=features, tag_attr=tag_attr).get_pipe(NAME)
    assert parser.recipe.sources == {
        "w": "ORTH",
        "p": tag_attr,
        "t": f"{tag_attr}:lexical",
        "a": f"{tag_attr}:adposition",
    }


@pytest.mark.parametrize(
    ("system", "name", "n"),
    [
        ("ArcEager", "RichEager.v1", 99),
        ("NonMonotonicArcEager", "RichEager.v1", 99),
        ("ArcHybrid", "RichHybridTwoTags.v1", 119),
        ("ArcHybridSwap", "RichHybridTwoTags.v1", 119),
        ("Covington", "RichCovingtonTwoTags.v1", 104),
        ("ArcStandard", "RichStandard.v1", 110),
    ],
)
def test_sets_for_two_tags(system, name, n):
    """They are the default where documents have both tags."""
    nlp = make_nlp(system=block(system), tag_attr="TAG", sentences="preset")
    assert train(nlp, examples(nlp.vocab), epochs=30)[NAME] == 0
    templates = nlp.get_pipe(NAME).templates
    assert templates == registry.misc.get(f"spacy_dynoracle.{name}")()
    assert len(templates) == n


@pytest.mark.parametrize("tag", ["TAG", "POS"])
def test_one_tag(tag):
    """The set for both tags serves without its templates of the second one."""
    features, tag_attr = features_for_data(ArcEager(), "TAG", {tag}, (), False)
    assert tag_attr == tag
    assert features == FeatureTemplates(ONE_TAG)


@pytest.mark.parametrize(
    ("system", "features", "template"),
    [
        *(
            (s, feature_templates("P0w"), "'P0w'")
            for s in SYSTEMS
            if "EasyFirst" not in str(s)
        ),
        (block("EasyFirst"), feature_templates("P0w", "S0w.P1w"), "'S0w.P1w'"),
        (block("EasyFirst"), feature_templates("P0w.d"), "'P0w.d'"),
        (block("EasyFirst"), block("ZhangNivre2011"), "'S0w.S0p'"),
        (block("ArcEager"), block("GoldbergNivre2013EasyFirst"), "'P0w.P0p'"),
        (block("ArcStandard"), feature_templates("P0P1d.S0w"), "'P0P1d.S0w'"),
    ],
    ids=str,
)
def test_features_that_do_not_suit_the_system(system, features, template):
    message = make_error(system=system, features=features)
    assert f"feature template {template} does not suit" in message
    assert f"components -> {NAME}" in message


@pytest.mark.parametrize("variant", [None, "lazy"])
@pytest.mark.parametrize("system", PARSING)
def test_impossible_static_oracles(system, variant):
    variants = ", ".join(map(repr, system.static_preferences))
    if variants and not variant:
        return
    message = make_error(
        system=block(system.__name__),
        oracle=block("StaticOracle", variant=variant),
        exploration=NO_EXPLORATION,
    )
    expected = f"{system.__name__} has no static oracle: use NonDeterministicOracle"
    if variants:
        expected = f"no static oracle 'lazy': expected variant = one of {variants}"
    assert expected in message
    assert f"components -> {NAME}" in message


@pytest.mark.parametrize(
    ("settings", "culprits"),
    [
        ({"system": block("ArcSwing")}, ["spacy_dynoracle.ArcSwing.v1"]),
        ({"system": {"root": "middle"}}, ["root", "'middle'", "'last'"]),
        ({"system": {"tree_constraint": "often"}}, ["tree_constraint", "often"]),
        ({"system": {"root_label_constraint": "no way"}}, ["root_label_constraint"]),
        ({"system": {"root_label_constraint": None}}, ["root_label_constraint"]),
        ({"system": {"single_root": True}}, ["system", "single_root"]),
        ({"system": block("ArcHybrid", root="none")}, ["root", "'none'", "'first'"]),
        ({"system": block("ArcStandard", root=None)}, ["root"]),
        ({"system": block("ArcHybrid", single_root="one")}, ["single_root", "one"]),
        ({"system": block("EasyFirst", root="first")}, ["root"]),
        ({"system": block("ArcHybridSwap", root="last")}, ["root"]),
        ({"oracle": block("StaticOracle", variant=5)}, ["variant", "5"]),
        ({"exploration": {"k": -1}}, ["k = -1"]),
        ({"exploration": {"k": 1.5}}, ["k", "1.5"]),
        ({"exploration": {"p": 1.5}}, ["p = 1.5"]),
        ({"exploration": {"p": -0.1}}, ["p = -0.1"]),
        ({"exploration": {"q": 1}}, ["exploration", "q"]),
        ({"learner": block("AdaGradRDA", alpha=0.0)}, ["learner", "alpha = 0.0"]),
        ({"learner": block("AdaGradRDA", l1=-0.5)}, ["learner", "l1 = -0.5"]),
        ({"learner": block("AdaGradRDA", alpha="large")}, ["learner", "large"]),
        ({"exploration": block("SamplingExploration", k=-1)}, ["k = -1"]),
        ({"features": feature_templates("S0w.N0w", "S0w.Q9w")}, ["'S0w.Q9w'", "'Q9w'"]),
        ({"features": feature_templates()}, ["template"]),
        ({"tag_attr": "LEMMA"}, ["tag_attr", "'LEMMA'", "'TAG'", "'POS'", "null"]),
        ({"sentences": "guess"}, ["sentences", "'guess'", "'predict'", "'preset'"]),
        ({"nonprojective": "swap"}, ["nonprojective", "'swap'", "'drop'"]),
        ({"probabilities": "marginal"}, ["probabilities", "MarginalProbabilities.v1"]),
        (marginal(n_samples=10**9), ["n_samples", "at most 1000000"]),
        (marginal(n_samples=0), ["n_samples = 0: expected at least 1"]),
        ({"search": block("BeamSearch", n_best=2**40)}, ["n_best", "0 to 65535"]),
        ({"exploration": {"k": 2**40}}, ["exploration k", "an integer from 0 to"]),
        ({"n_threads": 2}, ["n_threads"]),
        ({"seed": None}, ["seed"]),
        ({"search": None}, ["search"]),
        ({"beam_width": 3}, ["beam_width"]),
    ],
    ids=str,
)
def test_a_wrong_setting_is_one_error_that_names_it(settings, culprits):
    message = make_error(**settings)
    for culprit in culprits:
        assert culprit in message


@pytest.mark.parametrize(
    ("block", "made_by"),
    [
        ("system", "spacy_dynoracle.DynamicOracle.v1"),
        ("oracle", "spacy_dynoracle.ArcEager.v1"),
        ("exploration", "spacy_dynoracle.GreedySearch.v1"),
        ("learner", "spacy_dynoracle.GreedySearch.v1"),
        ("features", "spacy_dynoracle.DynamicOracle.v1"),
        ("search", "spacy_dynoracle.NoExploration.v1"),
    ],
)
def test_a_block_of_the_wrong_kind_is_named(block, made_by):
    message = make_error(**{block: {"@misc": made_by}})
    assert NAME in message
    assert block in message


def test_features_with_morphology():
    sets = block("ZhangNivre2011"), block("WithMorphology", names=["Case"])
    base, more = (
        load(features=f).get_pipe(NAME).recipe
        for f in (sets[0], sets[1] | {"features": sets[0]})
    )
    expected = (*base.templates.templates, "S0mCase", "N0mCase", "S0mCase.N0mCase")
    assert more.templates.templates == expected
    assert more.sources["mCase"] == "MORPH:Case"


@pytest.mark.parametrize("oracle", ["StaticOracle", "NonDeterministicOracle"])
def test_exploration_needs_an_oracle_for_every_configuration(oracle):
    message = make_error(oracle=block(oracle))
    assert oracle in message
    assert "ErrorExploration(k=1, p=0.9)" in message
