"""The part "Data set" of the Heads page in AppTest."""

import io
import json
import re
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from model import HeadlightError, load_model
from model.analysis.grammar import relations
from model.analysis.grammar.atlas import find_atlas, read_atlas
from model.analysis.grammar.atlas_writer import write_atlas
from model.analysis.survey import quantiles, survey, switch_off_each
from pages.heads import data, data_set, distribution
from tests.pages.conftest import first_visit
from tests.pages.figures import figure as figure_of
from tests.pages.test_explore import address, words_on
from viz import provenance
from web import settings
from web.cache import surveys

TEXTS = ["The cat sat on the mat.", "It rained.", "She saw him and he saw her.", "It was late."]


@pytest.fixture(autouse=True)
def one_run_and_no_survey_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest runs whole pages, which stop a survey after its first slice."""
    monkeypatch.setattr(data, "SLICE_SECONDS", float("inf"))
    surveys.survey.cached.cache.clear()


def open_page(texts: list[str], **given: str) -> AppTest:
    page = first_visit("heads")
    for name, value in {"part": "data", **given}.items():
        page.query_params[name] = value
    page.session_state["data_text"] = "\n".join(texts)
    return page.run()


def compute(page: AppTest) -> AppTest:
    page = page.button(key="survey_start").click().run()
    assert not page.exception
    return page


def test_nothing_is_computed_before_a_click() -> None:
    page = open_page(TEXTS)
    assert page.button(key="survey_start").label == "Compute"
    assert not page.dataframe and "survey_run" not in page.session_state


def test_the_table_and_the_figure_show_the_quantiles_of_every_head() -> None:
    page = compute(open_page([*TEXTS, "  "], measure="next"))
    expected = quantiles(survey(load_model("minilm"), TEXTS, ["next"]), "next")
    table = page.dataframe[0].value
    assert len(table) == 72 and set(table["texts"]) == {4}
    np.testing.assert_allclose(table["mean"], expected["mean"], atol=1e-5)
    np.testing.assert_allclose(table["q95"], expected["q95"], atol=1e-5)
    figure = figure_of(page, "quantiles").spec
    median = next(trace for trace in figure["data"] if "customdata" in trace)
    assert median["text"][0].startswith(f"{table['head'][0]}<br>5%: ")
    assert "4 of 4 texts are finished." in words_on(page)
    assert address(page)["measure"] == "next"


def test_the_texts_at_both_ends_of_the_selected_head_lead_to_explore() -> None:
    page = compute(open_page(TEXTS, layer="2", head="5", measure="entropy"))
    table = survey(load_model("minilm"), TEXTS, ["entropy"])
    head = table[(table["layer"] == 2) & (table["head"] == 5)].sort_values("entropy")
    links = [each.proto for each in page.get("page_link")]
    links = [each for each in links if each.label[:1].isdigit()]
    texts = [dict(re.findall(r"(\w+)=([^&]*)", each.query_string))["text"] for each in links]
    ends = [*head["text"][::-1][:2], *head["text"][:2]]
    assert texts == [text.replace(" ", "+") for text in ends]
    assert all("layer=2&head=5" in each.query_string for each in links)


def test_a_survey_stops_at_its_time_and_resumes(monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_page(TEXTS)
    with monkeypatch.context() as patch:
        clock = count(0, 0.15 * data.MOST_SECONDS)
        patch.setattr(data, "monotonic", lambda: next(clock))
        compute(page)
    assert page.button(key="survey_start").label == "Resume"
    done = re.search(r"(\d) of 4 texts are finished", words_on(page))
    assert done is not None and 0 < int(done[1]) < 4
    assert set(page.dataframe[0].value["texts"]) == {int(done[1])}
    compute(page)
    assert "4 of 4 texts are finished." in words_on(page)
    assert "survey_start" not in {button.key for button in page.button}


def test_the_effect_of_each_head_is_sorted_by_its_strength() -> None:
    page = compute(open_page(TEXTS, survey="cosine"))
    table = page.dataframe[0].value
    assert (table["mean"].abs().diff().dropna() <= 1e-7).all()
    effects = switch_off_each(load_model("minilm"), TEXTS)
    mean = (effects["off"] - effects["unchanged"]).groupby([effects["layer"], effects["head"]])
    layer, head = mean.mean().abs().idxmax()
    assert table["head"][0] == f"L{layer}·H{head}"


def test_only_kinds_that_the_model_can_compute_are_offered() -> None:
    offered = open_page(TEXTS, survey="loss", right="scratch").selectbox(key="survey_of")
    assert offered.value == "measures"
    names = data.kinds()
    assert offered.options == [
        names[kind] for kind in ("measures", "cosine", "probability", "difference")
    ]
    decoder = open_page(TEXTS, survey="loss", right="smollm2").selectbox(key="survey_of")
    assert decoder.value == "loss"


def test_a_word_is_needed_for_its_probability_and_a_text_without_mask_is_an_error() -> None:
    page = open_page(["the [MASK] was old", "no mask"], survey="probability", right="scratch")
    assert "survey_start" not in {button.key for button in page.button}
    page.text_input(key="survey_words").set_value("man").run()
    page = compute(page)
    assert "exactly once" in page.error[0].value
    page.text_area(key="data_text").set_value("the [MASK] was old").run()
    assert len(compute(page).dataframe[0].value) == 72


def test_the_page_says_how_many_texts_a_large_model_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "MOST_PASSES", 150)
    page = open_page(TEXTS, survey="cosine")
    assert "Only the first 2 of 4 texts: minilm has 72 heads." in words_on(page)
    assert "2 of 2 texts are finished." in words_on(compute(page))


def test_a_measure_without_values_is_said() -> None:
    page = compute(open_page(["It rained."], measure="same"))
    assert "applies to none of these texts" in words_on(page)


def test_downloads_hold_every_number_and_no_formula(tmp_path: Path) -> None:
    made = surveys.survey("scratch", ("=1+1", "it was late"))
    while not made.complete:
        made.advance()
    facts = {"model": "scratch", "link": "http://host/heads"}
    plain = distribution._csv(lambda: made, facts)
    commented = distribution._csv(lambda: made, facts, commented=True)
    assert commented == f"# {json.dumps(facts)}\n".encode() + plain
    table = pd.read_csv(io.BytesIO(plain))
    file = tmp_path / "it.parquet"
    file.write_bytes(distribution._parquet(lambda: made, facts))
    other = pd.read_parquet(file)
    assert provenance(file) == facts
    assert len(table) == len(other) == 2 * 72
    np.testing.assert_allclose(table["next"], other["next"])
    assert not table["text"].str.startswith("=").any()
    assert set(other["text"]) == {"=1+1", "it was late"}


# -- a treebank ------------------------------------------------------------------------------------

ROWS = [("she", 2, "nsubj"), ("saw", 0, "root"), ("him", 2, "obj")]
CONLLU = "".join(
    f"{i}\t{word}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n"
    for i, (word, head, relation) in enumerate(ROWS, start=1)
)
TREEBANK = "\n".join([CONLLU] * 4)


def test_a_treebank_on_the_server_gives_accuracies_and_an_atlas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(relations, "MIN_PAIRS", 2)
    file = tmp_path / "few.conllu"
    file.write_text(
        f"{TREEBANK}\n1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n2\tnow\t_\t_\t_\t_\t1\tadvmod\t_\t_\n"
    )
    page = open_page(TEXTS, right="scratch-minilm")
    page.text_input(key="data_path").set_value(str(file)).run()
    page = compute(page)
    write_atlas(load_model("scratch-minilm"), file, tmp_path / "expected.json")
    expected = read_atlas("expected", tmp_path)
    assert expected is not None
    table = page.dataframe[0].value
    best = expected.best_heads()
    assert list(table["head"]) == [f"L{each.layer}·H{each.head}" for each in best]
    assert list(table["baseline"]) == [each.baseline for each in best]
    assert [int(each.replace("−", "-")) for each in table["offset"]] == [f.offset for f in best]
    assert "in a half of the sentences: advmod." in words_on(page)
    assert find_atlas(load_model("scratch-minilm")) is None
    page.button(key="save_atlas").click().run()
    found = find_atlas(load_model("scratch-minilm"))
    assert found is not None and (found.corpus, found.sentences, found.words) == (file.name, 5, 14)
    assert found.best_heads() == best
    for name, mean in expected.means.items():
        np.testing.assert_allclose(found.means[name], mean, atol=1e-5)


def test_a_server_for_visitors_reads_no_path_and_saves_no_atlas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may allow any model, and still has files that are not for its visitors."""
    for_visitors = settings.Settings(address="0.0.0.0", any_model=True)
    monkeypatch.setattr(settings, "_settings", for_visitors)
    page = open_page(TEXTS, right="scratch-minilm")
    assert "data_path" not in {box.key for box in page.text_input}
    secret = tmp_path / "secret.txt"
    secret.write_text("nobody may read this")
    with monkeypatch.context() as patched:  # a browser sends a path without having the box
        patched.setattr(data_set.st, "session_state", {"data_path": str(secret)})
        data_set._take_path()
        assert "data_of_file" not in data_set.st.session_state
    page.session_state["data_of_file"] = data_set._read(
        {"name": "a.conllu", "text": TREEBANK}, "text"
    )
    page = compute(page.run())
    assert "Grammar" in words_on(page)
    assert "save_atlas" not in {button.key for button in page.button}


# -- the data set ----------------------------------------------------------------------------------


def test_a_session_holds_a_bounded_number_of_texts_and_bytes() -> None:
    many = data_set.bounded(f"text {i}" for i in range(data_set.MOST_TEXTS + 3))
    assert (len(many.texts), many.left_out) == (data_set.MOST_TEXTS, 3)
    long = data_set.bounded(["ж" * 10_000] * 100)
    assert 0 < len(long.texts) < 40 and len(long.texts) + long.left_out == 100
    surveys.survey("scratch", long.texts[:1] + many.texts[:1_999])  # within the cache's limit


def test_texts_of_a_file_are_not_blank_and_can_be_encoded() -> None:
    found = data_set._read(
        {"name": "a.JSONL", "text": '{"text": "\\ud800 a"}\n{"text": " "}'}, "text"
    )
    assert found.texts == ("? a",) and found.name == "a.JSONL"


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ({"name": "a.txt", "text": None}, "a.txt cannot be read as a text"),
        ({"name": "a.txt", "text": "\n"}, "a.txt has no texts"),
        ({"name": "a.csv", "text": "said\nhello"}, "no text in the column “text”"),
        ({"name": "a.exe", "text": "x"}, "does not know the ending"),
        ({}, "cannot be read"),
    ],
)
def test_a_wrong_file_is_an_error_in_words(chosen: dict[str, object], reason: str) -> None:
    with pytest.raises(HeadlightError, match=reason):
        data_set._read(chosen, "text")
