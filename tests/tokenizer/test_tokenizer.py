"""Multiword tokens on the way from a treebank to CoNLL-U made of a text."""

import re

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.augment import create_lower_casing_augmenter

from spacy_dynoracle import PipelineError, TreebankError
from spacy_dynoracle.evaluation.conll2018 import score_docs
from spacy_dynoracle.tokenizer import WordTokenizer
from spacy_dynoracle.tokenizer.splits import Split
from spacy_dynoracle.tokenizer.splitter import Splitter
from spacy_dynoracle.treebank import doc_to_conllu, read_conllu, to_doc, to_doc_bin

from ..conllu import sentences_of
from ..warned import said

# "des" is a multiword token before a noun with "-ier", and elsewhere a word.
SENTENCES = (
    "Le|chat ( du=d.de+u.le ) boulanger|dort",
    "Le|toit ( des=d.de+es.les ) pompiers|fuit",
    "Elle|voit|des|chats",
    "Il|parle ( aux=a.à+ux.les ) voisins",
    "Les|chats ( des=d.de+es.les ) fermiers|mangent",
    "On|trouve|des|clous",
)


def conllu(sentences):
    """CoNLL-U of sentences in the notation of SENTENCES; every word is below the
    first.
    """
    lines = []
    for sentence in sentences:
        number = 0
        for part in sentence.replace(" ( ", "|").replace(" ) ", "|").split("|"):
            token, _, words = part.removesuffix(" )").partition("=")
            forms = (
                [w.partition(".")[2] for w in words.split("+")] if words else [token]
            )
            if words:
                columns = ["_"] * 8
                ids = f"{number + 1}-{number + len(forms)}"
                lines.append("\t".join([ids, token, *columns]))
            for form in forms:
                number += 1
                head = "0\troot" if number == 1 else "1\tdep"
                lines.append(f"{number}\t{form}\t_\tX\t_\t_\t{head}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def tokenizer(lang="fr", sentences=SENTENCES) -> tuple[Language, WordTokenizer]:
    nlp = spacy.blank(lang)
    block = {"@tokenizers": "spacy_dynoracle.WordTokenizer.v1"}
    nlp.tokenizer = spacy.registry.resolve({"tokenizer": block})["tokenizer"](nlp)
    docs = [to_doc(sentence, nlp.vocab) for sentence in sentences_of(conllu(sentences))]
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    nlp.tokenizer.initialize(lambda: examples)
    return nlp, nlp.tokenizer


@pytest.fixture(scope="module")
def french():
    return tokenizer()


def marked(doc):
    return [
        (span.text, [token.text for token in span], [token.norm_ for token in span])
        for span in doc.spans.get("multiword", [])
    ]


@pytest.mark.heavy
def test_a_treebank_gives_docs_that_add_up_to_the_text():
    (sentence,) = sentences_of(conllu(SENTENCES[:1]))
    vocab = spacy.blank("fr").vocab
    doc = to_doc(sentence, vocab)
    assert doc.text == "Le chat du boulanger dort "
    assert " ".join(token.text for token in doc) == "Le chat d u boulanger dort"
    assert marked(doc) == [("du", ["d", "u"], ["de", "le"])]
    binary = to_doc_bin([sentence, sentence], vocab, 2).to_bytes()
    (read_again,) = DocBin().from_bytes(binary).get_docs(spacy.blank("fr").vocab)
    assert marked(read_again) == 2 * marked(doc)


def test_a_text_is_split_by_the_neighbours(french):
    nlp, _ = french
    doc = nlp("DU pain, le toit des  pompiers, des chats.")
    assert doc.text == "DU pain, le toit des  pompiers, des chats."
    assert marked(doc) == [
        ("DU", ["D", "U"], ["DE", "LE"]),
        ("des", ["d", "es"], ["de", "les"]),
    ]
    assert not nlp("Le chat dort.").spans


def test_the_second_neighbours_count():
    sentences = (
        "pic|a|des|b|c",
        "pic|d|des|e|f",
        "a ( des=d.de+es.les ) b|pic",
    )
    _, words = tokenizer(sentences=[*sentences, "d ( des=d.de+es.les ) e|pic"])
    assert [t.text for t in words("pic x des y z")] == ["pic", "x", "des", "y", "z"]
    assert [t.text for t in words("x des y pic")] == ["x", "d", "es", "y", "pic"]


def test_an_unknown_token_is_split_at_a_known_ending():
    nouns = ("Il|va", "Vuole|il|velo", "Vede|un|cielo", "Il|melo|e|il|telo")
    verbs = [f"Vuole ( {v}lo={v}.{v}+lo.lo )" for v in ("dar", "far", "dir", "star")]
    nlp, _ = tokenizer("it", [*verbs, *nouns])
    assert marked(nlp("Vuole ridarlo")) == [
        ("ridarlo", ["ridar", "lo"], ["ridar", "lo"])
    ]
    assert not nlp("Vede il melo").spans


def test_what_is_written_has_the_words_and_scores_as_the_treebank(french):
    nlp, _ = french
    texts = []
    for sentence, gold in zip(SENTENCES, sentences_of(conllu(SENTENCES)), strict=True):
        doc = nlp(to_doc(gold, nlp.vocab).text.strip())
        (written,) = sentences_of(doc_to_conllu(doc))
        assert written.forms == gold.forms, sentence
        tokens = [(t.first, t.last, t.form) for t in written.multiword_tokens]
        assert tokens == [(t.first, t.last, t.form) for t in gold.multiword_tokens]
        assert written.text == doc.text
        texts.append(([gold], doc))
    scores = score_docs(texts)
    assert scores["Words"].f1 == scores["Tokens"].f1 == 1
    assert scores["Words"].gold == scores["Tokens"].gold + 4


def test_words_of_a_token_that_nobody_split_are_aligned_by_their_forms():
    blank = spacy.blank("fr")
    gold = sentences_of(conllu(SENTENCES[:1]))
    doc = blank("Le chat du boulanger dort")
    words = score_docs([(gold, doc)])["Words"]
    assert (words.gold, words.predicted, words.correct) == (6, 5, 4)


def test_storing(french, tmp_path):
    nlp, stored = french
    text = "Le toit des pompiers, du pain et des clous"
    other = WordTokenizer(spacy.blank("fr").tokenizer)
    other.from_bytes(stored.to_bytes())
    assert marked(other(text)) == marked(nlp(text))
    assert other.to_bytes() == stored.to_bytes()
    nlp.config["nlp"]["tokenizer"] = {"@tokenizers": "spacy_dynoracle.WordTokenizer.v1"}
    nlp.to_disk(tmp_path / "pipeline")
    assert marked(spacy.load(tmp_path / "pipeline")(text)) == marked(nlp(text))
    with pytest.raises(PipelineError, match="cannot be read"):
        other.from_bytes(b"\x81\xa8splitter\x01")


def test_data_that_are_no_treebank_teach_nothing():
    """As where a component for entities is added to a pipeline."""
    nlp, learnt = tokenizer()
    before = learnt.to_bytes()
    for tags, is_kept in ((None, True), (["X"], False)):
        doc = Doc(nlp.vocab, ["du"], tags=tags)
        learnt.initialize(lambda doc=doc: [Example(doc, doc)])
        assert (learnt.to_bytes() == before) is is_kept


def test_it_stays_where_no_component_learns_what_treebanks_have():
    nlp, learnt = tokenizer()
    before = learnt.to_bytes()
    doc = Doc(nlp.vocab, ["du"], tags=["X"], ents=["B-PER"])
    nlp.add_pipe("tagger")
    nlp.add_pipe("ner")
    with nlp.select_pipes(enable="ner"):
        nlp.initialize(lambda: [Example(doc, doc)])
    assert learnt.to_bytes() == before
    with nlp.select_pipes(disable=nlp.pipe_names):
        nlp.initialize(lambda: [Example(doc, doc)])
    assert learnt.to_bytes() != before
    for name in ("tagger", "senter"):
        nlp, learnt = tokenizer()
        before = learnt.to_bytes()
        nlp.add_pipe(name)
        nlp.initialize(lambda: [Example(doc, doc)])
        assert learnt.to_bytes() != before


def test_it_stays_beside_sourced_components():
    """A config that trains them further initializes none of them."""
    nlp, learnt = tokenizer()
    doc = Doc(nlp.vocab, ["l", "eau"], spaces=[False, False], tags=["X", "Y"])
    data = [Example(doc, doc)]
    nlp.add_pipe("dynoracle_tagger").initialize(lambda: data)
    before = learnt.to_bytes()
    with nlp.select_pipes(disable=nlp.pipe_names):
        nlp.initialize(lambda: data)
        assert learnt.to_bytes() == before
        nlp.tokenizer = WordTokenizer(spacy.blank("fr").tokenizer)
        with pytest.warns(UserWarning, match="it is new, and dynoracle_tagger has"):
            nlp.initialize(lambda: data)


def test_multiword_tokens_that_have_lost_their_forms_teach_nothing():
    nlp, learnt = tokenizer()
    docs = [to_doc(sentence, nlp.vocab) for sentence in sentences_of(conllu(SENTENCES))]
    examples = [Example(doc, doc) for doc in docs]
    changed = [x for e in examples for x in create_lower_casing_augmenter(1)(nlp, e)]
    with pytest.warns(UserWarning, match="4 of 8 multiword tokens have lost the forms"):
        learnt.initialize(lambda: examples + changed)
    assert marked(nlp("le chat du boulanger"))[0][2] == ["de", "le"]


@pytest.mark.filterwarnings("error")
def test_forms_in_lower_case_are_no_lost_forms():
    nlp, _ = tokenizer("en", ("Paolo|( Cannot=Can.can+not.not )|go",) * 2)
    assert [t.text for t in nlp("Paolo Cannot go")] == ["Paolo", "Can", "not", "go"]


def test_of_a_stream_it_sees_the_beginning(tmp_path):
    nlp, learnt = tokenizer()
    nlp.config["training"]["max_epochs"] = -1
    (tmp_path / "train.conllu").write_text(conllu(SENTENCES), encoding="utf-8")
    path = tmp_path / "train.conllu"
    assert said(learnt.initialize, list, nlp=nlp, path=path) == []
    doc = Doc(nlp.vocab, ["du"], tags=["X"])
    nlp.add_pipe("tagger")
    with pytest.warns(UserWarning, match=r"set path under .initialize.tokenizer."):
        learnt.initialize(lambda: [Example(doc, doc)], nlp=nlp)


def test_the_config_of_chinese_initializes_the_tokenizer():
    """It has two settings of its own, which spaCy's tokenizer gets."""
    block = {"@tokenizers": "spacy_dynoracle.WordTokenizer.v1"}
    nlp = spacy.blank("zh", config={"nlp": {"tokenizer": block}})
    doc = Doc(nlp.vocab, ["他们", "来", "。"], spaces=[False] * 3)
    nlp.initialize(lambda: [Example(doc, doc)])
    assert [t.text for t in nlp("他们来。")] == ["他们", "来", "。"]
    nlp, learnt = tokenizer()
    with pytest.raises(
        PipelineError, match="settings of spaCy's tokenizer for Chinese"
    ):
        learnt.initialize(list, nlp=nlp, pkuseg_model="mixed")


def test_a_config_that_names_the_tokenizer_of_spacy_is_an_error(tmp_path):
    tokenizer()[0].to_disk(tmp_path)
    with pytest.raises(re.error, match=r"must name spacy_dynoracle.WordTokenizer"):
        spacy.load(tmp_path)


def test_learning_as_a_config_says(tmp_path):
    path = tmp_path / "train.conllu"
    path.write_text(conllu(SENTENCES), encoding="utf-8")
    block = {"@tokenizers": "spacy_dynoracle.WordTokenizer.v1"}
    config = {
        "nlp": {"lang": "fr", "tokenizer": block},
        "initialize": {"tokenizer": {"path": str(path)}},
    }
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize()
    # As from documents of ten sentences, which have words on both sides of their ends.
    binary = to_doc_bin(read_conllu(path), nlp.vocab, 10)
    binary.to_disk(tmp_path / "train.spacy")
    other, whole = tokenizer()
    whole.initialize(lambda: [], nlp=other, path=tmp_path / "train.spacy")
    assert nlp.tokenizer.to_bytes() == whole.to_bytes()


def test_learning_from_a_folder(tmp_path):
    """As spaCy's corpora read it, with files in any depth."""
    (tmp_path / "train.conllu").write_text(conllu(SENTENCES), encoding="utf-8")
    sentences = list(read_conllu(tmp_path / "train.conllu"))
    nlp, whole = tokenizer()
    folder = tmp_path / "train"
    (folder / "below").mkdir(parents=True)
    with pytest.raises(TreebankError, match=r"no \.spacy file in it"):
        whole.initialize(lambda: [], nlp=nlp, path=folder)
    for name, part in (("a", sentences[:2]), ("below/b", sentences[2:])):
        to_doc_bin(part, nlp.vocab, 1).to_disk(folder / f"{name}.spacy")
    before = whole.to_bytes()
    whole.initialize(lambda: [], nlp=nlp, path=folder)
    assert whole.to_bytes() == before


def test_the_tokenizer_of_a_language_and_another_one():
    def tokens(lang, text, **settings):
        block = {"@tokenizers": "spacy_dynoracle.WordTokenizer.v1", **settings}
        config = {"nlp": {"lang": lang, "tokenizer": block}}
        nlp = spacy.util.load_model_from_config(config, auto_fill=True)
        return [token.text for token in nlp(text)]

    assert tokens("fr", "l'eau") == ["l'", "eau"]
    inner = {"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "char"}
    assert tokens("fr", "l'eau", tokenizer=inner) == list("l'eau")


@pytest.mark.parametrize(
    ("pieces", "forms"),
    [
        (["d", "u"], ["de", "le"]),
        (["zu", "m"], ["zu", "dem"]),
        (["desplomándo", "se"], ["desplomando", "se"]),
        (["evde", "ki"], ["evde", "ki"]),
        (["da", "me", "lo"], ["da", "me", "lo"]),
    ],
)
def test_a_split_is_undone(pieces, forms):
    split = Split.of(pieces, forms)
    assert split.words("".join(pieces)) == (pieces, forms)
    upper = [piece.upper() for piece in pieces]
    assert split.words("".join(upper)) == (upper, [form.upper() for form in forms])


def test_nothing_to_learn():
    splitter = Splitter()
    splitter.learn([[("Le", None), ("chat", None)]])
    assert not splitter
    assert list(splitter.find(["Le", "chat"], range(2))) == []
