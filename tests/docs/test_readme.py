"""The code of the README and of the pages in docs runs, and their commands exist."""

import importlib.util
import re
import shlex
import sys
import warnings
from difflib import unified_diff
from importlib import import_module
from pathlib import Path

import pytest
import spacy
import srsly
from typer.main import get_command

from spacy_dynoracle.cli import app
from spacy_dynoracle.tokenizer import WordTokenizer

from ..harbour import DIRECTORY as TREEBANK
from ..harbour import ROOT, train
from ..programs import in_checkout

README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
DOCUMENTS = [README, *PAGES]
# Pages that docs/hooks.py takes from other directories.
FROM_ELSEWHERE = {
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "changelog.md": ROOT / "CHANGELOG.md",
    "benchmarks.md": ROOT / "benchmarks" / "README.md",
}
# Files of the site that docs/hooks.py makes from something else.
REFERENCE = {
    f"api/{page}.md"
    for page in ("components", "registered", "extensions", "command_line", "python")
}
MADE = {"derivation.html", *REFERENCE, *FROM_ELSEWHERE}
# Blocks of python3 start other engines; tests/tables/test_engines.py runs them.
LANGUAGES = {"python", "python3", "bash", "ini", "diff", "text", "cython"}
SETTINGS = DOCS / "how_to" / "train.md"
# What `spacy project run all` makes.
PIPELINE = Path("training", "English-Harbour", "pipeline")


def load_script():
    path = ROOT / "scripts" / "page_outputs.py"
    spec = importlib.util.spec_from_file_location("page_outputs", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


outputs = load_script()


def name(document):
    return document.relative_to(ROOT).as_posix()


def blocks(language, document):
    text = document.read_text(encoding="utf8")
    return re.findall(
        rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE
    )


def everywhere(language):
    return [
        pytest.param(block, id=f"{name(document)}-{i}")
        for document in DOCUMENTS
        for i, block in enumerate(blocks(language, document))
    ]


def commands(*programs):
    """The lines of shell blocks that begin with one of these, once each."""
    lines = {}
    for document in [*DOCUMENTS, *FROM_ELSEWHERE.values()]:
        for block in blocks("bash", document):
            for line in block.splitlines():
                for part in re.split(r" && ", line):
                    if part.startswith(programs):
                        lines.setdefault(part, name(document))
    return [pytest.param(line, id=f"{where}: {line}") for line, where in lines.items()]


# ---- the pages -----------------------------------------------------------------------


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf8").splitlines()) < 90


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_every_block_is_checked(document):
    """No block is in a language that no test looks at, or is not closed."""
    fences = re.findall("(?m)^```(.*)$", document.read_text(encoding="utf8"))
    assert set(fences[::2]) <= LANGUAGES
    assert set(fences[1::2]) <= {""}
    assert len(fences) == 2 * sum(len(blocks(x, document)) for x in LANGUAGES)


def test_diffs_are_on_the_page_that_is_tested_elsewhere():
    """See test_migration.py."""
    found = [name(document) for document in DOCUMENTS if blocks("diff", document)]
    assert found == ["docs/from_spacys_parser.md"]


@pytest.mark.parametrize(
    "document", [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=name
)
def test_links_lead_to_files(document):
    links = re.findall(
        r"\]\((?!#|https?:)([^)#]+)", document.read_text(encoding="utf8")
    )
    files = [(document.parent / link).resolve() for link in links]
    made = {DOCS / page for page in MADE}
    assert [file for file in files if file not in made and not file.is_file()] == []


def leaves(tree):
    if isinstance(tree, str):
        return [tree]
    values = tree.values() if isinstance(tree, dict) else tree
    return [leaf for value in values for leaf in leaves(value)]


def test_the_site_has_every_page():
    nav = re.search(r"(?ms)^nav:\n(.*)\Z", (ROOT / "mkdocs.yml").read_text("utf8"))
    listed = leaves(srsly.yaml_loads(nav[0])["nav"])
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert sorted(listed) == sorted(pages | REFERENCE | set(FROM_ELSEWHERE))


def test_the_home_page_lists_every_how_to_page():
    text = (DOCS / "index.md").read_text(encoding="utf8")
    listed = re.findall(r"(?m)^\| \[[^]]+\]\(how_to/(\w+\.md)\) \| [^|]+\. \|$", text)
    assert sorted(listed) == sorted(path.name for path in DOCS.glob("how_to/*.md"))


@in_checkout
@pytest.mark.heavy
def test_the_picture_is_what_the_command_draws(tmp_path):
    page = (DOCS / "index.md").read_text(encoding="utf8")
    (line,) = re.findall(r"(?m)^spacy-dynoracle parse .*--output maps\.html$", page)
    line = line.replace(outputs.ENGLISH, str(outputs.english_pipeline()))
    outputs.run_command(line.replace("maps.html", str(tmp_path / "maps.html")))
    drawn = (tmp_path / "maps.html").read_text(encoding="utf8")
    picture = (DOCS / "assets" / "maps.svg").read_text(encoding="utf8")
    assert picture.strip() in drawn


@in_checkout
@pytest.mark.heavy
def test_the_derivation_is_what_the_command_draws(project):
    page = DOCS / "how_to" / "explain_a_parse.md"
    (line,) = re.findall(r"(?m)^spacy.* derivation\.svg$", page.read_text("utf8"))
    with outputs.working_directory(project):
        outputs.run_command(line)
        drawn = Path("derivation.svg").read_text(encoding="utf8")
    assert drawn == (DOCS / "assets" / "derivation.svg").read_text(encoding="utf8")


# ---- code and commands ---------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project of this repository after `spacy project run all`."""
    directory = tmp_path_factory.mktemp("project")
    outputs.make_project(directory)
    scores = srsly.read_json(directory / "metrics" / f"{TREEBANK.name}.json")["scores"]
    assert scores["all"]["uas"] > 0.5
    path = directory / "metrics" / f"{TREEBANK.name}-text.json"
    scores = srsly.read_json(path)["scores"]
    assert min(scores[name]["f1"] for name in ("Sentences", "XPOS", "LAS")) > 0.5
    return directory


# One test, so that the project runs in one process only.
@in_checkout
@pytest.mark.heavy
def test_pages_run_and_print_what_they_say(project):
    wrong = {}
    for page in outputs.pages():
        text = page.read_text(encoding="utf8")
        new = outputs.with_outputs(text, outputs.run_page(page, project))
        if new != text:
            lines = unified_diff(text.splitlines(), new.splitlines(), lineterm="", n=1)
            wrong[name(page)] = "\n".join(lines)
    assert not wrong, "run: python scripts/page_outputs.py\n" + "\n".join(
        wrong.values()
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_what_python_prints_is_shown(document):
    found = outputs.blocks(document.read_text(encoding="utf8"))
    printing = [b for b in found if b.language == "python" and "print(" in b.code]
    assert [block.code for block in printing if block.text is None] == []


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A directory with a small parser where the pages have a trained pipeline."""
    words = {"@tokenizers": "spacy_dynoracle.WordTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": words}})
    nlp.add_pipe("dynoracle_parser", config={"tag_attr": None})
    train(nlp)
    (tmp_path / PIPELINE).parent.mkdir(parents=True)
    nlp.to_disk(tmp_path / PIPELINE)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", commands("spacy-dynoracle "))
def test_options_of_commands_exist(command):
    """For commands among others in a block, which are not run."""
    program = get_command(app)
    subcommand, *arguments = shlex.split(command)[1:]
    if subcommand in program.commands:
        program = program.get_command(None, subcommand)
    assert given(arguments) <= options(program) | {"--help"}


def options(command):
    """All spellings of the options of a command."""
    return {name for p in command.params for name in (*p.opts, *p.secondary_opts)}


def given(arguments):
    """The options among arguments, for which --name=value is not used."""
    return {word for word in arguments if re.match(r"--?[a-z]", word)}


@pytest.mark.parametrize(
    "command",
    commands(
        "python -m benchmarks.",
        "python -m dynoracle_clusters",
        "python -m dynoracle_hcsearch",
        "python -m dynoracle_trials",
        "python -m experiments",
        "python -m spacy_dynoracle",
    ),
)
def test_options_of_modules_exist(command):
    """For the commands that take too long to be run here."""
    module, *arguments = shlex.split(command)[2:]
    if module.startswith("benchmarks."):
        program = get_command(import_module(module).app)
    elif module == "experiments":
        program = get_command(import_module("experiments.command").app)
    elif module.startswith("dynoracle_"):
        plugin = pytest.importorskip(f"{module}.__main__")
        program = get_command(plugin.app)
    else:
        program = get_command(app)
    if hasattr(program, "commands") and arguments[0] != "--help":
        program = program.get_command(None, arguments.pop(0))
    assert given(arguments) <= options(program) | {"--help"}


@pytest.mark.parametrize("command", commands("spacy project run "))
def test_commands_of_the_project_exist(command):
    project = srsly.read_yaml(ROOT / "project.yml")
    step, *arguments = shlex.split(command)[3:]
    assert step in {x["name"] for x in project["commands"]} | set(project["workflows"])
    variables = {word.removeprefix("--vars.") for word in given(arguments)}
    assert variables <= set(project["vars"])


def test_the_system_on_the_page_is_the_one_that_is_tested():
    """See tests/registry/test_own_system.py."""
    found = {name(x): blocks("cython", x) for x in DOCUMENTS if blocks("cython", x)}
    code = (ROOT / "tests" / "registry" / "own_hybrid.pyx").read_text(encoding="utf8")
    assert found == {"docs/contributing_system.md": [code]}


# ---- config --------------------------------------------------------------------------


def test_config_excerpt_names_every_setting():
    excerpt = blocks("ini", SETTINGS)[0]
    config = spacy.util.load_config_from_str(
        "[system]\nseed = 1\n\n[components]\n\n" + excerpt, interpolate=True
    )
    shown = config["components"]["dynoracle_parser"]
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser")
    built = nlp.config["components"]["dynoracle_parser"]
    assert {k: v for k, v in built.items() if k != "seed"} == {
        k: v for k, v in shown.items() if k not in ("factory", "seed")
    } | {"factory": "dynoracle_parser"}


EXCERPTS = everywhere("ini")
SOURCING = [x for x in EXCERPTS if re.search(r"\[components.*\]\nsource", x.values[0])]
WHOLE = [x for x in EXCERPTS if "[nlp.tokenizer]" in x.values[0] and x not in SOURCING]


@pytest.mark.parametrize(
    "excerpt",
    [
        excerpt
        for excerpt in EXCERPTS
        if excerpt not in SOURCING + WHOLE
        and "factory =" not in excerpt.values[0]
        and not excerpt.values[0].startswith(("[initialize", "[corpora"))
    ],
)
def test_other_config_excerpts_make_a_parser(excerpt):
    config = spacy.util.load_config_from_str(
        "[components]\n\n[components.dynoracle_parser]\n\n" + excerpt
    )
    settings = config["components"]["dynoracle_parser"]
    assert settings
    nlp = spacy.blank("en")
    nlp.add_pipe("dynoracle_parser", config=settings)
    built = nlp.config["components"]["dynoracle_parser"]
    assert all(built[block].items() >= settings[block].items() for block in settings)


def test_config_excerpt_makes_a_committee():
    (excerpt,) = (x for x in EXCERPTS if "dynoracle_committee" in x.values[0])
    config = spacy.util.load_config_from_str("[components]\n\n" + excerpt.values[0])
    settings = config["components"]["dynoracle_committee"]
    nlp = spacy.blank("en")
    committee = nlp.add_pipe(settings.pop("factory"), config=settings)
    assert committee.members.keys() == settings["members"].keys()
    assert committee.recipe.weights == settings["weights"]


@pytest.mark.heavy
@pytest.mark.parametrize("excerpt", WHOLE)
def test_config_excerpt_names_the_tokenizer(excerpt):
    paths = f"[paths]\ntrain = {str(TREEBANK / 'train.conllu')!r}\n".replace("'", '"')
    config = spacy.util.load_config_from_str(paths + excerpt, interpolate=True)
    config.pop("paths")
    config["nlp"]["pipeline"] = []
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize()
    assert isinstance(nlp.tokenizer, WordTokenizer)


@pytest.mark.heavy
@pytest.mark.parametrize("excerpt", SOURCING)
def test_config_excerpt_sources_the_parser(excerpt, checkout):
    config = spacy.util.load_config_from_str(excerpt)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert nlp("Nora found a map.").has_annotation("DEP")
    assert nlp.config["training"]["frozen_components"] == nlp.pipe_names
    if "before_init" in excerpt:
        with nlp.select_pipes(disable=nlp.pipe_names), warnings.catch_warnings():
            warnings.simplefilter("error")
            nlp.initialize()
        assert nlp.tokenizer.to_bytes() == spacy.load(PIPELINE).tokenizer.to_bytes()
