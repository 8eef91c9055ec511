"""The Heads page in AppTest."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from model import load_model
from model.analysis.distances import js_distance
from model.analysis.intervention import Intervention, cosines, intervene
from model.analysis.labels import Label
from model.analysis.measures import profile
from model.analysis.survey.__main__ import main as survey_command
from pages.heads.url import Heads
from tests.model import checkpoints
from tests.pages import visit
from tests.pages.figures import specs, tables, trace, weights, words_on, z
from tests.pages.visit import Visit
from viz.style.theme import SIDE_RGB
from web.cache import captures
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets import label_names
from web.widgets.head_picker import head_name

open_page = partial(visit.open_page, "heads")


def table_with(page: Visit, column: str) -> pd.DataFrame:
    return next(table for table in tables(page) if column in table)


def at(page: Visit) -> tuple[str, str]:
    return page.address["layer"], page.address["head"]


@pytest.mark.parametrize("part", Heads.part.options)
def test_every_part_accepts_any_sentence(part: str) -> None:
    page = open_page(part=part, query="1", key="0", off="0-1", masked="1")
    for text in ("a", "<b>$x$ :red[no]</b> `[MASK]`", "the dog saw the cat and " * 20, " "):
        page.text_input(key="text").set_value(text).run()
        assert not page.exception, text
        assert ("Type a sentence" in words_on(page)) == (text == " ")
        assert page.address["part"] == part


def test_the_page_opens_on_the_first_head_of_tables_that_are_sorted_as_it_says() -> None:
    page = open_page()
    here, grammar = tables(page)[:2]
    related = here["does"].isin(["previous token", "next token", "itself", "same word"])
    fixed = here["does"].isin(["[CLS]", "[SEP]", "punctuation"])
    shares = [here["share"][rows] for rows in (related, fixed)]
    assert len(here) == 144 and all(len(group) > 5 for group in shares)
    starts = np.cumsum([len(group) for group in shares])
    assert related[: starts[0]].all() and fixed[starts[0] : starts[1]].all()
    assert all(group.is_monotonic_decreasing for group in shares)
    assert here["share"][starts[1] :].isna().all()  # a broad head has no share of its attention
    assert grammar["does"].str.contains("→").all() and not here["does"].str.contains("→").any()
    assert grammar["share"].is_monotonic_decreasing and len(grammar) == 29 + 25
    following = profile(captures.capture("minilm", DEFAULT_TEXT, None))["next"]
    best = head_name(*np.unravel_index(following.argmax(), following.shape))
    row = here.set_index(["model", "head"]).loc[("minilm", best)]
    assert (row["does"], row["share"]) == ("next token", pytest.approx(following.max(), abs=1e-6))
    shown = page.dataframe[1].proto.arrow_data.styler.display_values
    printed = pa.ipc.open_stream(shown).read_pandas()["share"]
    assert printed.str.fullmatch(r"\d+\.\d%").all()
    assert (here["model"][0], here["head"][0], at(page)) == ("minilm", "L0·H2", ("0", "2"))
    assert page.session_state["labels_table"]["selection"]["rows"] == [0]
    assert "On this sentence: **previous token**." in page.markdown[0].value
    page.button_group(key="labels_models").set_value(["left"]).run()
    assert page.session_state["labels_table"]["selection"]["rows"] == []  # its row is not listed


def test_the_head_of_a_link_is_drawn_with_its_labels_and_its_grammar() -> None:
    expected = "**no clear pattern**. Closest: “broad” with 46%; this name needs more than 78%."
    assert label_names.called(Label("mixed", "evenness", 0.46, 0.784)) == expected
    page = open_page(layer="5", head="11")
    np.testing.assert_array_equal(z(page), weights("minilm")[5, 11])
    assert "On 2,001 sentences of a corpus: **" in words_on(page)
    page = open_page(layer="11", head="2", side="left")  # the model has six layers
    np.testing.assert_array_equal(z(page), weights("scratch")[5, 2])
    page = open_page(side="left", layer="3", head="1")
    row = tables(page)[1].set_index(["model", "head"]).loc[("scratch", "L3·H1")]
    assert row["does"] == "noun → determiner" and f"{row['share']:.0%}" == "88%"
    assert "A fixed distance between the words would find 61%." in words_on(page)


def test_the_table_is_filtered_by_label_and_by_model_and_a_link_restores_the_filters() -> None:
    page = open_page()
    everything = tables(page)[0]["does"]
    page.button_group(key="labels_wanted").set_value(["broad", "next"]).run()
    shown = everything[everything.isin(["broad", "next token"])]
    assert tables(page)[0]["does"].tolist() == shown.tolist()
    assert set(page.address["labels"].split(".")) == {"next", "broad"}
    table = tables(open_page(models="right", labels="previous.cls"))[0]
    assert set(table["model"]) == {"minilm"}
    assert set(table["does"]) == {"previous token", "[CLS]"}
    assert "No head has these labels" in words_on(open_page(models="", labels=""))


def test_two_heads_of_minilm_link_it_to_animal() -> None:
    page = open_page(part="links", layer="5", head="3")
    table = tables(page)[0]
    assert page.session_state["links_table"]["selection"]["rows"] == [0]
    assert table["head"].tolist()[:2] == ["L3·H1", "L5·H11"]
    assert table["model"].tolist()[:2] == ["minilm", "minilm"]
    np.testing.assert_allclose(table["weight"][:2], [0.6768, 0.6733], atol=5e-5)
    np.testing.assert_allclose(table["times"], table["weight"] * 16, rtol=1e-6)
    table = tables(open_page(part="links", query="9", key="1", special="renormalise"))[0]
    np.testing.assert_allclose(table["weight"] / table["times"], 1 / 14)
    np.testing.assert_array_equal(z(page), weights("minilm")[3, 1])
    assert (page.address["query"], page.address["key"]) == ("10", "2")
    for name in ("link_query", "link_key"):
        page.button_group(key=name).set_value([]).run()
    assert "Choose a word in each row" in words_on(page)  # the default does not come back
    page.button_group(key="link_query").set_value([3]).run()
    page.text_input(key="text").set_value("Quite another one.").run()
    assert page.button_group(key="link_query").value == []
    assert "Choose a word in each row" in words_on(page)


def test_relations_are_shown_with_their_accuracy_and_baseline() -> None:
    page = open_page(part="corpus", left="scratch-untrained")
    untrained, minilm = (table.set_index("code").loc["obj"] for table in tables(page))
    assert minilm["accuracy"] > minilm["baseline"] + 0.2
    assert untrained["accuracy"] < untrained["baseline"]


def test_a_saved_survey_is_the_general_behaviour_of_its_heads(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    data = tmp_path / "data.txt"
    data.write_text("The dog was tired.\nIt was late, and the dog was tired.\n")
    assert survey_command(["--model", "scratch@0", "--data", str(data)]) == 0
    page = open_page(left="scratch@0", measures="1", models="left", side="left")
    assert set(tables(page)[0]["corpus"]) != {"–"}
    assert "On 2 sentences of a corpus: " in words_on(page)


def outcome(model: str, change: Intervention, text: str = DEFAULT_TEXT):
    return intervene(load_model(model), text, None, change)


def test_the_default_switches_off_a_head_that_changes_the_prediction() -> None:
    page = open_page(part="change")
    assert (page.address["off"], page.address["masked"]) == ("2-8", "10")
    table = tables(page)[0].set_index("token")
    assert (table["all heads on"].idxmax(), table["heads off"].idxmax()) == ("it", "he")
    assert page.address["side"] == "left"  # the model that predicts
    page.multiselect(key="off").set_value([]).run()
    page.button_group(key="masked").set_value([]).run()
    assert page.address["off"] == "none"  # the default does not come back
    assert "Nothing is changed yet" in words_on(page) and not specs(page)
    assert page.address == open_page(**page.address).address


def test_the_selected_head_is_switched_off_unless_the_link_masks_a_word() -> None:
    page = open_page(part="change", text="Quite another one.", layer="1", head="4")
    assert page.address["off"] == "1-4" and "masked" not in page.address
    assert open_page(part="change", side="left", masked="8").address["off"] == "none"
    assert open_page(part="change", off="11-11.2-2").address["off"] == "2-2"  # one is missing


def test_switching_a_head_off_shows_the_changed_weights_of_the_most_changed_head() -> None:
    page = open_page(layer="3", head="1")
    page.button(key="switch_off").click().run()
    assert (page.address["part"], page.address["off"]) == ("change", "3-1")
    before = outcome("minilm", Intervention())
    after = outcome("minilm", Intervention(frozenset({(3, 1)}), "zero"))
    distances = js_distance(before.capture.weights, after.capture.weights)
    layer, head = np.unravel_index(distances.argmax(), distances.shape)
    assert at(page) == (str(layer), str(head)) and layer > 3
    most = table_with(page, "moved").iloc[0]
    assert most["head"] == head_name(layer, head)
    assert most["moved"] == pytest.approx(distances.max(), abs=1e-6)
    turned = cosines(before.hidden, after.hidden)
    np.testing.assert_allclose(tables(page)[-1]["cosine"], turned, atol=1e-6)
    page = open_page(part="change", off="3-1", asked="10")  # the link of a room's question
    assert f"“it” has a cosine of {turned[10]:.4f}" in words_on(page)


def test_a_masked_word_is_predicted_with_heads_on_and_off() -> None:
    view = {"part": "change", "side": "left", "off": "3-4", "masked": "8"}
    page = open_page(**view, layer="5", head="5")
    off = [Intervention(frozenset(heads), masked=frozenset({8})) for heads in ((), {(3, 4)})]
    masked, both = (outcome("scratch", change) for change in off)
    moved = both.capture.weights - masked.capture.weights
    np.testing.assert_allclose(z(page), moved[5, 5], atol=1e-6)
    table, best = tables(page)[0], np.argsort(-masked.predicted[0])[:10]
    np.testing.assert_allclose(table["all heads on"][:10], masked.predicted[0][best], atol=1e-6)
    np.testing.assert_allclose(table["heads off"][:10], both.predicted[0][best], atol=1e-6)
    assert "street" in table["token"].tolist()  # the masked word is always in the table
    assert "the word was street" in words_on(page)
    page = open_page(**view, layer="3")  # a head of layer 3 is off: this layer may not change
    assert not np.any(z(page)) and "No weight changed" in words_on(page)


def test_base_and_fine_tuned_are_compared_head_by_head(tmp_path: Path) -> None:
    tuned = checkpoints.save_head(tmp_path / "classifier", "bert", "sequence", num_labels=3)
    base, tuned = str(checkpoints.save("bert", tmp_path / "base")), str(tuned)
    text = "the animal was too tired"
    page = open_page(part="tuned", left=base, right=tuned, text=text, layer="1", head="2")
    difference = weights(tuned, text) - weights(base, text)
    np.testing.assert_allclose(z(page), difference[1, 2], atol=1e-6)
    shown, expected = tables(page)[0]["probability"], load_model(tuned).decide(text).probabilities
    np.testing.assert_allclose(sorted(shown), sorted(expected), atol=1e-6)
    page = open_page(part="tuned", left=base, anyway="1")
    assert "only models of one shape" in words_on(page)


def test_separately_trained_models_are_compared_on_request_in_the_hues_of_their_sides() -> None:
    page = open_page(part="tuned", layer="3", head="1")
    assert "fine-tuned" in words_on(page) and not specs(page)
    page.toggle(key="compared_anyway").set_value(True).run()
    assert page.address["anyway"] == "1" and len(specs(page)) == 1
    drawn = trace(page, 0)
    assert drawn["colorscale"][0][1].startswith("rgba({}, {}, {},".format(*SIDE_RGB["left"]))
    assert drawn["colorbar"]["ticktext"][0].endswith("<br>more in<br>scratch")


def test_the_part_opens_with_a_pair_that_can_be_compared_and_gives_the_models_back() -> None:
    def models(page: Visit) -> tuple[str, str]:
        return page.address["left"], page.address["right"]

    page = open_page()
    page.button_group(key="heads_part").set_value("tuned").run()
    assert len(specs(page)) == 1 and "minilm was not fine-tuned for a task" in words_on(page)
    assert models(page) == ("minilm", "minilm-sentiment")
    page.button_group(key="heads_part").set_value("links").run()
    assert models(page) == ("scratch", "minilm")
    page = open_page(left="minilm", right="minilm-sentiment")  # chosen by the visitor
    for part in ("tuned", "links"):
        page.button_group(key="heads_part").set_value(part).run()
    assert models(page) == ("minilm", "minilm-sentiment")


@pytest.mark.parametrize("head", ["token", "answer"])
def test_explore_shows_the_decision_of_a_fine_tuned_model(tmp_path: Path, head: str) -> None:
    folder = str(checkpoints.save_head(tmp_path / head, "bert", head))
    text, pair = "what was 漢 tired", "the animal was too tired"
    page = visit.open_page("", text=text, pair=pair, right=folder)
    expected, shown = load_model(folder).decide(text, pair), tables(page)[0]
    captured = captures.capture(folder, text, pair)
    names = np.array(["[UNK] 漢" if token == "[UNK]" else token for token in captured.tokens])
    if head == "answer":
        assert f"**{expected.answer.text}**" in words_on(page)
        likely = np.argsort(-expected.probabilities.max(axis=1), kind="stable")[: len(shown)]
        assert shown["token"].tolist() == names[likely].tolist()
    else:
        chances = expected.probabilities[~captured.special]
        assert shown["token"].tolist() == names[~captured.special].tolist()
        np.testing.assert_allclose(shown["probability"], chances.max(axis=1), atol=1e-6)
        assert shown["label"].tolist() == [f"LABEL_{i}" for i in chances.argmax(axis=1)]
