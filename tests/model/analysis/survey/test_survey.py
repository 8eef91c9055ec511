"""Surveys of a data set: tables, heads switched off, files of texts, and the command."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch.nn import functional

from model import CutTextWarning, HeadlightError, LoadedModel, load_model, survey
from model.analysis.grammar.atlas import find_atlas
from model.analysis.intervention import Intervention, intervene, next_tokens
from model.analysis.measures import profile
from model.analysis.survey import quantiles, read_texts, switch_off_each
from model.analysis.survey import table as survey_table
from model.analysis.survey.__main__ import main
from model.version import version
from tests.model import general_checkpoints
from viz import provenance

TEXTS = [  # of several lengths; two have the same length, and two are equal
    "the dog was it",
    "the animal did not cross the street, and it was too tired",
    "it was the table",
    "the cat was it",
    "the cat was it",
]


@pytest.fixture(scope="module", params=["encoder", "llama", "bloom"])
def model(request, scratch, decoders, tmp_path_factory) -> LoadedModel:
    if request.param == "bloom":
        folder = tmp_path_factory.mktemp("b") / "it"
        return load_model(str(general_checkpoints.save("bloom", folder)))
    return decoders["llama"] if request.param == "llama" else scratch


def cell(table: pd.DataFrame, sentence: int, layer: int, head: int) -> pd.Series:
    keys = (table.sentence == sentence) & (table["layer"] == layer) & (table["head"] == head)
    (_, row) = next(iter(table[keys].iterrows()))
    return row


def test_a_batch_equals_the_sentences_one_by_one(model, monkeypatch):
    monkeypatch.setattr("model.catalogue.loaded_model.BATCHES_TOGETHER", 2)
    found = list(model.attend(TEXTS, batch_size=2))
    assert [capture.text for capture in found] == TEXTS
    for text, capture in zip(TEXTS, found, strict=True):
        alone = model.attend(text)
        assert capture.tokens == alone.tokens
        assert_allclose(capture.weights, alone.weights, rtol=0, atol=1e-5)
        assert_array_equal(capture.allowed[0], alone.allowed[0])
        for name in ("q", "k", "v"):
            for ours, theirs in zip(getattr(capture, name), getattr(alone, name), strict=True):
                assert_allclose(ours, theirs, rtol=0, atol=1e-4)


def test_the_table_holds_the_measures_of_every_capture(model):
    table = survey(model, TEXTS, batch_size=2)
    assert len(table) == len(TEXTS) * model.n_layers * model.n_heads
    for sentence, text in enumerate(TEXTS):
        for name, values in profile(model.attend(text)).items():
            rows = table[table.sentence == sentence].sort_values(["layer", "head"])
            assert_allclose(rows[name], values.reshape(-1), atol=1e-5)
            assert set(rows["text"]) == {text}
    with pytest.warns(CutTextWarning, match="read the first 6 tokens .* can be up to"):
        some = survey(model, TEXTS[:2], ["previous", "entropy"], max_tokens=6)
    assert list(some) == ["sentence", "layer", "head", "previous", "entropy", "text", "left_out"]
    left_out = [model.tokenize(text, None, 6).left_out[0] for text in TEXTS[:2]]
    assert left_out[1] and some.groupby("sentence").left_out.unique().tolist() == [
        [len(each)] for each in left_out
    ]
    assert survey(model, [], ["previous"]).shape == (0, 5)
    assert switch_off_each(model, []).shape == (0, 6)


def test_quantiles_are_those_of_pandas_and_name_the_ends():
    values = [[0.1, 0.9, 0.5, np.nan], [0.2, 0.2, 0.6, 0.4]]
    table = pd.DataFrame(
        {"sentence": i, "layer": 0, "head": head, "next": x, "text": f"text {i}"}
        for head, column in enumerate(values)
        for i, x in enumerate(column)
    )
    found = quantiles(table, "next")
    assert list(found["head"]) == [0, 1]
    first = found.iloc[0]
    assert (first["mean"], first.q50, first.texts) == (0.5, 0.5, 3)
    assert (first.lowest, first.highest) == ("text 0", "text 1")
    assert found.iloc[1].highest == "text 2"


def test_switching_off_equals_the_intervention_of_each_head(model):
    table = switch_off_each(model, TEXTS, batch_size=2)
    assert_allclose(table["unchanged"], 1, atol=1e-6)
    for layer, head in ((0, 0), (model.n_layers - 1, model.n_heads - 1)):
        change = Intervention(frozenset({(layer, head)}))
        for sentence in (1, 4):
            before, after = (
                torch.tensor(intervene(model, TEXTS[sentence], None, each).hidden).mean(dim=0)
                for each in (Intervention(), change)
            )
            expected = functional.cosine_similarity(before, after, dim=0)
            assert_allclose(cell(table, sentence, layer, head).off, expected, atol=1e-5)
    assert table["off"].min() < 0.999


def test_the_loss_is_that_of_the_next_tokens(decoders):
    decoder = decoders["llama"]
    table = switch_off_each(decoder, TEXTS[:2], "loss")
    for off, column in ((frozenset(), "unchanged"), (frozenset({(1, 1)}), "off")):
        outcome = intervene(decoder, TEXTS[1], None, Intervention(off))
        ids = list(outcome.capture.token_ids)
        probabilities = next_tokens(decoder, outcome.hidden)
        expected = -np.log(probabilities[range(len(ids) - 1), ids[1:]]).mean()
        assert_allclose(cell(table, 1, 1, 1)[column], expected, rtol=1e-5)


def test_the_probability_and_the_difference_of_words(scratch):
    texts = ["the [MASK] was old", "she saw a [MASK]"]
    predicted = [dict(scratch.predict(text, top_k=8000)[0]) for text in texts]
    one = switch_off_each(scratch, texts, "probability", ["man"])
    two = switch_off_each(scratch, texts, "difference", ["man", "woman"])
    for sentence, words in enumerate(predicted):
        assert_allclose(cell(one, sentence, 2, 3).unchanged, words["man"], rtol=1e-4)
        expected = np.log(words["man"]) - np.log(words["woman"])
        assert_allclose(cell(two, sentence, 2, 3).unchanged, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("effect", "words", "reason"),
    [
        ("loss", [], "lacks the head"),
        ("decision", [], "lacks the head"),
        ("kl", [], "effect must be one of cosine, loss.*not kl"),
        ("probability", [], "needs 1 words, not 0"),
        ("probability", ["antidisestablishment"], "is not one token"),
        ("difference", ["man", "woman"], "exactly once"),
    ],
)
def test_impossible_surveys_are_errors_in_words(scratch, effect, words, reason):
    with pytest.raises(HeadlightError, match=reason):
        switch_off_each(scratch, TEXTS, effect, words)
    with pytest.raises(HeadlightError, match=r"A measure must be one of .*cls.*not induction"):
        survey(scratch, TEXTS, ["induction"])
    for measure in (survey, switch_off_each):
        with pytest.raises(HeadlightError, match="an encoder or a decoder"):
            measure(load_model("dates"), TEXTS)
        with pytest.raises(HeadlightError, match="into a list"):
            measure(scratch, TEXTS[0])


TAGS = "\t_\t_\t_\t_\t0\troot\t_\t_\n"
CONLLU = f"1\tone{TAGS}2\ttext{TAGS}\n1\ttwo{TAGS}2\ttexts{TAGS}\n"


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.txt", "one text\n\n  \rtwo\u2028te\x85x\fts\r\n", ["one text", "two\u2028te\x85x\fts"]),
        ("a.csv", 'id,text\n1,"one\n""text"""\n2,NA\n3,""\n', ['one\n"text"', "NA"]),
        ("a.csv", "id;text\n1;one, text\n".encode("utf-16"), ["one, text"]),
        ("a.tsv", 'text\tid\n"Twas one\t1\nthe "second"\t2\n', ['"Twas one', 'the "second"']),
        ("a.jsonl", '{"text": "one\u2028a"}\n{"text": null}\n{"text": "b"}\n', ["one\u2028a", "b"]),
        (
            "a.conllu",
            f"\ufeff# by me\n\n{CONLLU}\ufeff{CONLLU}# end\n",
            ["one text", "two texts"] * 2,
        ),
    ],
)
def test_the_texts_of_each_kind_of_file(tmp_path, name, content, texts):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert read_texts(str(tmp_path / name)) == texts


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", "id,Text\n1,hello\n", "no column “text”, or several.*: id · Text"),
        ("a.csv", "text,text\na,b\n", "no column “text”, or several.*: text · text"),
        ("a.csv", "id,text\n1,Hello, you\n", "Expected 2 fields in line 2, saw 3"),
        ("a.csv", 'id,text\n1,"open\n2,a\n', "not a table: EOF inside string"),
        ("a.jsonl", '{"text": "a"}\n{"text": 3}', "in line 2 of a.jsonl is not a text"),
        ("a.jsonl", '{"text": "\\ud83d"}', "line 1 of a.jsonl .* half a character"),
        ("a.jsonl", '[\n {"text": "a"}]', "Line 1 of a.jsonl is not JSON. .* one JSON object"),
        ("a.conllu", "one\n\n", "a.conllu is not in CoNLL-U format"),
        ("a.txt", "\n \n", "has no texts"),
        ("gone.txt", None, "There is no file .*gone.txt"),
        ("a.txt", "one\nCafé".encode("cp1252"), "Line 2 of a.txt is not UTF-8"),
    ],
)
def test_a_wrong_file_is_an_error_in_words(tmp_path, name, content, reason):
    if content is not None:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(HeadlightError, match=reason):
        read_texts(tmp_path / name)


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "data.txt"
    file.write_text("\n".join(TEXTS))
    return file


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_writes_the_table(tmp_path, data, scratch, ending, monkeypatch):
    monkeypatch.setattr(survey_table, "TOGETHER", 2)  # in parts
    out = tmp_path / f"out.{ending}"
    command = ["--model", "scratch", "--data", str(data), "--out", str(out)]
    assert main([*command, "--measures", "next,self", "--batch-size", "2", "--origin"]) == 0
    if ending == "csv":
        stated = json.loads(out.read_text().partition("\n")[0].removeprefix("# "))
        read = pd.read_csv(out, comment="#")
    else:
        stated, read = provenance(out), pd.read_parquet(out)
    assert stated == {**stated, **scratch.origin, "model": "scratch", "data": "data.txt"}
    assert stated["headlight"] == version()
    expected = survey(scratch, TEXTS, ["next", "self"])
    assert_allclose(read[["next", "self"]], expected[["next", "self"]], atol=1e-5)
    assert read["text"].tolist() == expected["text"].tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.txt", out.name]


def test_an_interrupted_survey_resumes(tmp_path, data, monkeypatch):
    out, part = tmp_path / "out.parquet", tmp_path / "out.parquet.part"
    command = ["--model", "scratch", "--data", str(data), "--out", str(out), "--off", "cosine"]
    monkeypatch.setattr("model.analysis.survey.spread.TOGETHER", 2)
    seen = []
    run = LoadedModel.tokenize_all

    def killed(self, texts, max_tokens):
        if len(seen) == 4:
            raise KeyboardInterrupt
        seen.extend(texts)
        return run(self, texts, max_tokens)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(LoadedModel, "tokenize_all", killed)
        main(command)
    with part.open("ab") as file:
        file.write(b"half of a row")
    resume = lambda *args: seen.extend(args[1]) or run(*args)  # noqa: E731
    monkeypatch.setattr(LoadedModel, "tokenize_all", resume)
    assert main(command) == 0
    assert seen == TEXTS  # each text was computed once
    resumed = pd.read_parquet(out)
    monkeypatch.setattr(LoadedModel, "tokenize_all", run)
    whole = switch_off_each(load_model("scratch"), TEXTS)
    assert_allclose(resumed[["unchanged", "off"]], whole[["unchanged", "off"]], atol=1e-6)
    assert not part.exists()


def test_impossible_commands_are_refused_in_words(tmp_path, data, capsys):
    out = tmp_path / "out.csv"
    (tmp_path / "out.csv.part").write_bytes(b"{}\n")
    assert main(["--model", "scratch", "--data", str(data), "--out", str(out)]) == 1
    assert "another survey" in capsys.readouterr().err
    assert not out.exists()
    assert main(["--model", "dates", "--data", str(data), "--out", "x.csv"]) == 1
    assert "also depends on the text that it writes" in capsys.readouterr().err
    whole = ["--model", "scratch", "--data", str(data), "--out", str(tmp_path / "a.json")]
    assert main([*whole, "--measures", "previous"]) == 1  # an atlas has every measure


def test_without_a_file_the_atlas_is_found_by_the_weights(tmp_path, data, monkeypatch, scratch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert find_atlas(load_model("scratch-minilm")) is None
    assert find_atlas(scratch).sentences == 2001  # in the repository
    assert main(["--model", "scratch", "--data", str(data)]) == 0
    found = find_atlas(scratch)
    # The survey of this machine comes first.
    assert (found.model, found.corpus, found.sentences) == ("scratch", "data.txt", 5)
    expected = survey(scratch, TEXTS).groupby(["layer", "head"])["previous"].mean()
    assert_allclose(found.means["previous"].ravel(), expected, atol=1e-6)
    assert (found.words, found.best_heads()) == (sum(len(text.split()) for text in TEXTS), [])


def test_ray_is_missing_in_words(tmp_path, data, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it was not installed
    command = ["--model", "scratch", "--data", str(data), "--out", str(tmp_path / "out.csv")]
    assert main([*command, "--ray"]) == 1
    assert "Ray is not installed: pip install" in capsys.readouterr().err
