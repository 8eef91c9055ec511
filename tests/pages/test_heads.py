"""The Heads page in AppTest."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.intervention import Intervention, cosines, intervene
from model.analysis.labels import Label, labels, labels_of
from model.analysis.links import link_weights, ranked
from model.analysis.measures import MEASURES, profile
from model.analysis.survey.__main__ import main as survey_command
from pages.heads.url import PARTS
from tests.model import checkpoints
from tests.pages.conftest import first_visit
from tests.pages.figures import figures
from tests.pages.test_explore import address, words_on
from tests.pages.test_explore import open_page as explore
from tests.pages.test_positions import array, specs, trace, z
from viz import SIDE_RGB
from web.cache import captures
from web.measure_names import measure_names
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets import label_names
from web.widgets.head_picker import head_name

LONG = "the dog saw the cat and " * 20


def open_page(**address: str) -> AppTest:
    page = first_visit("heads")
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


def tables(page: AppTest) -> list[pd.DataFrame]:
    return [element.value for element in page.dataframe]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_runs_with_any_sentence(part: str) -> None:
    for text in (DEFAULT_TEXT, "a", "<b>$x$ :red[no]</b> `[MASK]`", LONG, " "):
        page = open_page(part=part, text=text, query="1", key="0", off="0-1", masked="1")
        assert not page.exception, text
        assert ("Type a sentence" in words_on(page)) == (text == " ")
        assert address(page)["part"] == part


# -- labels of heads -----------------------------------------------------------------------------


def test_the_table_shows_the_measures_of_every_head_of_both_models() -> None:
    table = tables(open_page(measures="1"))[0]
    assert len(table) == 144
    for model in ("scratch", "minilm"):
        heads = [head_name(*at) for at in np.ndindex(6, 12)]
        rows = table[table["model"] == model].set_index("head").loc[heads]
        captured = captures.capture(model, DEFAULT_TEXT, None)
        measured = profile(captured)
        for name in (each.key for each in MEASURES if "encoder" in each.stacks):
            np.testing.assert_allclose(rows[name], measured[name].ravel(), atol=1e-6)
        names = [each.name for row in labels(measured) for each in row]
        assert rows["does"].str.startswith("[CLS]").tolist() == [n == "cls" for n in names]


def test_each_table_of_heads_has_one_measure_sorted_as_the_page_says() -> None:
    """Neighbours, itself or the same word; then special tokens and punctuation; then the rest."""
    here, grammar = tables(open_page())[:2]
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


def test_a_decoder_has_a_table_of_its_patterns_on_random_tokens() -> None:
    page = open_page(left="smollm2", right="smollm2", models="left")
    here, random = tables(page)[:2]
    assert "induction" not in set(here["does"]) and "induction" in set(random["does"])
    assert random["share"].is_monotonic_decreasing
    assert "**On random tokens**" in words_on(page) and "corpus" not in words_on(page)


@pytest.mark.parametrize(("part", "number"), [("labels", 1), ("corpus", 0)])
def test_shares_have_one_decimal_place(part: str, number: int) -> None:
    shown = open_page(part=part).dataframe[number].proto.arrow_data.styler.display_values
    printed = pa.ipc.open_stream(shown).read_pandas()
    for column in ("share",) if part == "labels" else ("accuracy", "baseline"):
        assert printed[column].str.fullmatch(r"\d+\.\d%").all()


def test_the_page_opens_on_the_first_head_and_marks_its_row() -> None:
    page = open_page()
    first = tables(page)[0].iloc[0]
    assert (first["model"], first["head"]) == ("minilm", "L0·H2")
    assert (address(page)["layer"], address(page)["head"]) == ("0", "2")
    assert page.session_state["labels_table"]["selection"]["rows"] == [0]
    assert "On this sentence: **previous token**." in page.markdown[0].value
    page.button_group(key="labels_models").set_value(["left"]).run()
    assert page.session_state["labels_table"]["selection"]["rows"] == []  # its row is not listed


def test_the_page_keeps_the_head_of_its_url() -> None:
    page = open_page(layer="3", head="1")
    assert (address(page)["layer"], address(page)["head"]) == ("3", "1")


def test_a_head_that_follows_grammar_has_its_relation_and_a_sentence() -> None:
    page = open_page(side="left", layer="3", head="1")
    row = tables(page)[1].set_index(["model", "head"]).loc[("scratch", "L3·H1")]
    assert row["does"] == "noun → determiner" and f"{row['share']:.0%}" == "88%"
    assert (
        "In 88% of cases it looks from the noun to the determiner. A fixed distance between the "
        "words would find 61%." in words_on(page)
    )


def test_the_numbers_are_shown_on_request_and_in_the_link() -> None:
    page = open_page()
    assert list(tables(page)[0].columns) == ["head", "model", "does", "share"]
    page.toggle(key="labels_measures").set_value(True).run()
    assert {"corpus", "entropy", "same"} < set(tables(page)[0].columns)
    assert address(page)["measures"] == "1"


def test_a_head_without_a_pattern_names_the_nearest_rule() -> None:
    broad, cls = Label("mixed", "evenness", 0.46, 0.784), Label("mixed", "cls", 0.48, 0.6)
    assert label_names.called(broad) == (
        "**no clear pattern**. Closest: “broad” with 46%; this name needs more than 78%."
    )
    assert label_names.why(cls) == "Closest: “[CLS]” with 48%; this name needs more than 60%."


def test_every_measure_has_texts_and_every_label_a_sentence_and_a_rule() -> None:
    texts = measure_names()
    assert set(texts) == {measure.key for measure in MEASURES}
    for measure in MEASURES:
        text = texts[measure.key]
        assert text.name and text.unit
        for needed in (text.label, text.sentence, text.rule):
            assert bool(needed) == (measure.threshold is not None), measure.key


def test_a_label_explains_its_rule_with_the_value() -> None:
    table = tables(open_page())[0].set_index(["model", "head"])
    captured = captures.capture("minilm", DEFAULT_TEXT, None)
    next_ = profile(captured)["next"]
    best = np.unravel_index(next_.argmax(), next_.shape)
    row = table.loc[("minilm", head_name(*best))]
    assert row["does"] == "next token"
    assert row["share"] == pytest.approx(next_.max(), abs=1e-6)


def test_the_table_is_filtered_by_label_and_by_model() -> None:
    page = open_page(measures="1")
    everything = tables(page)[0]
    page.button_group(key="labels_wanted").set_value(["broad", "next"]).run()
    some = tables(page)[0]
    assert set(some["does"]) <= {"broad", "next token"}
    assert "Grammar over a corpus" not in words_on(page)  # not what the heads do in general
    assert len(some) == everything["does"].isin(["broad", "next token"]).sum() > 0
    assert set(address(page)["labels"].split(".")) == {"next", "broad"}
    page.button_group(key="labels_models").set_value(["left"]).run()
    assert address(page)["models"] == "left"
    page.button_group(key="labels_wanted").set_value(["same"]).run()
    assert "No head has these labels on this sentence" in words_on(page)


def test_a_link_restores_the_filters() -> None:
    table = tables(open_page(models="right", labels="previous.cls"))[0]
    assert set(table["model"]) == {"minilm"}
    assert set(table["does"]) == {"previous token", "[CLS]"}
    page = open_page(models="", labels="")
    assert "No head has these labels on this sentence" in words_on(page)
    page = open_page(labels="cls.nonsense")
    assert "is not known here" in words_on(page)


def test_the_table_includes_labels_over_the_corpus_and_grammar() -> None:
    table = tables(open_page(left="scratch-untrained", measures="1"))[0]
    assert set(table[table["model"] == "scratch-untrained"]["corpus"]) == {"broad"}
    assert set(table[table["model"] == "minilm"]["corpus"]) > {"[CLS]", "no clear pattern"}


def test_the_rules_name_every_label() -> None:
    page = open_page()
    rules = next(
        m.value
        for m in page.markdown
        if "more than 50%" in m.value and "**no clear pattern**" in m.value
    )
    assert rules.count("\n- **") + 1 == len(labels_of("encoder"))
    assert "induction" not in rules
    assert "78%" in rules


def test_the_selected_head_is_drawn_with_its_labels() -> None:
    page = open_page(layer="5", head="11")
    np.testing.assert_array_equal(
        z(page), captures.capture("minilm", DEFAULT_TEXT, None).weights[5, 11]
    )
    assert "On this sentence: **" in words_on(page)
    assert "On 2,001 sentences of a corpus: **" in words_on(page)


def test_a_layer_beyond_a_smaller_model_becomes_its_last_layer() -> None:
    page = open_page(layer="11", head="2", side="left")
    np.testing.assert_array_equal(
        z(page), captures.capture("scratch", DEFAULT_TEXT, None).weights[5, 2]
    )


# -- which head links X to Y ---------------------------------------------------------------------


def uniform_weights(page: AppTest) -> pd.Series:
    """The weight of a head that attends equally to all tokens, from the ratios of the table."""
    table = tables(page)[0]
    return table["weight"] / table["times"]


def test_two_heads_of_minilm_link_it_to_animal() -> None:
    page = open_page(part="links", layer="5", head="3")
    table = tables(page)[0]
    assert page.session_state["links_table"]["selection"]["rows"] == [0]
    assert table["head"].tolist()[:2] == ["L3·H1", "L5·H11"]
    assert table["model"].tolist()[:2] == ["minilm", "minilm"]
    np.testing.assert_allclose(table["weight"][:2], [0.6768, 0.6733], atol=5e-5)
    np.testing.assert_allclose(table["times"], table["weight"] * 16, rtol=1e-6)
    np.testing.assert_array_equal(
        z(page), captures.capture("minilm", DEFAULT_TEXT, None).weights[3, 1]
    )
    assert address(page)["query"] == "10" and address(page)["key"] == "2"


def test_cleared_words_stay_cleared() -> None:
    page = open_page(part="links")
    page.button_group(key="link_query").set_value([]).run()
    page.button_group(key="link_key").set_value([]).run()
    assert "Choose a word in each row" in words_on(page)
    page.button_group(key="link_query").set_value([10]).run()
    page.button_group(key="link_key").set_value([2]).run()
    assert tables(page)[0]["head"].tolist()[:2] == ["L3·H1", "L5·H11"]


def test_a_link_with_another_sentence_has_no_selected_words() -> None:
    assert "Choose a word in each row" in words_on(open_page(part="links", text="Quite another."))


def test_the_ranking_includes_both_models() -> None:
    table = tables(open_page(part="links", query="3", key="2.4"))[0]
    found = []
    for model in ("scratch", "minilm"):
        weights = link_weights(captures.capture(model, DEFAULT_TEXT, None).weights, [3], [2, 4])
        found += [(float(weights[at]), model, head_name(*at)) for at in ranked(weights)]
    expected = sorted(found, reverse=True)[: len(table)]
    np.testing.assert_allclose(table["weight"], [weight for weight, *_ in expected], atol=1e-6)
    assert set(table["model"]) == {"scratch", "minilm"}


def test_a_word_of_several_tokens_has_a_larger_uniform_weight() -> None:
    page = open_page(part="links", text="Unforgivably cold lands", words="1", query="2", key="1")
    captured = captures.capture("minilm", "Unforgivably cold lands", None)
    pieces = sum(word == 0 for word in captured.word_ids)
    assert pieces > 1
    np.testing.assert_allclose(uniform_weights(page), pieces / len(captured.tokens))


@pytest.mark.parametrize(("special", "uniform"), [("hide", 1 / 16), ("renormalise", 1 / 14)])
def test_the_uniform_weight_depends_on_the_display_of_special_tokens(
    special: str, uniform: float
) -> None:
    page = open_page(part="links", query="9", key="1", special=special)
    np.testing.assert_allclose(uniform_weights(page), uniform)


def test_a_new_sentence_clears_the_selected_words() -> None:
    page = open_page(part="links", query="10", key="2")
    page.text_input(key="text").set_value("Quite another one.").run()
    assert not page.exception
    assert page.button_group(key="link_query").value == []


# -- grammar -------------------------------------------------------------------------------------


def test_relations_are_shown_with_their_accuracy_and_baseline() -> None:
    page = open_page(part="corpus", left="scratch-untrained")
    untrained, minilm = tables(page)
    best = minilm.set_index("code").loc["obj"]
    assert best["relation"] in ("object → verb", "verb → object")
    assert best["accuracy"] > best["baseline"] + 0.2
    random = untrained.set_index("code").loc["obj"]
    assert random["accuracy"] < random["baseline"]


def test_the_authors_of_the_corpus_are_where_the_page_says() -> None:
    assert "Its authors and licence are on the page About, below Documents." in words_on(
        open_page(part="corpus")
    )
    about = words_on(first_visit("about").run())
    for named in ("en_ewt-ud-dev.conllu", "Silveira et al. 2014", "CC BY-SA 4.0"):
        assert named in about.replace("\n", " ")


def test_a_model_without_an_atlas_gives_a_notice() -> None:
    page = open_page(part="corpus", left="scratch@0")
    assert not page.exception
    assert "was not measured over a corpus yet" in words_on(page)


def test_a_saved_survey_is_the_general_behaviour_of_its_heads(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    data = tmp_path / "data.txt"
    data.write_text("The dog was tired.\nIt was late, and the dog was tired.\n")
    assert survey_command(["--model", "scratch@0", "--data", str(data)]) == 0
    page = open_page(left="scratch@0", measures="1", models="left", side="left")
    assert set(tables(page)[0]["corpus"]) != {"–"}
    assert "On 2 sentences of a corpus: " in words_on(page)
    assert ", which has no trees. To measure grammar" in words_on(
        open_page(part="corpus", left="scratch@0")
    )


# -- does it matter? -----------------------------------------------------------------------------


def test_without_a_change_no_comparison_is_shown() -> None:
    page = open_page(part="change", off="none")
    assert "Nothing is changed yet" in words_on(page)
    assert not specs(page)
    assert address(page)["off"] == "none"


def test_the_default_switches_off_a_head_that_changes_the_prediction() -> None:
    page = open_page(part="change")
    assert (address(page)["off"], address(page)["masked"]) == ("2-8", "10")
    table = tables(page)[0].set_index("token")
    assert (table["all heads on"].idxmax(), table["heads off"].idxmax()) == ("it", "he")
    assert address(page)["side"] == "left"  # the model that predicts
    assert int(address(page)["layer"]) > 2
    assert np.abs(z(page)).max() > 0.05


def test_another_sentence_switches_off_the_selected_head_unless_a_word_is_masked() -> None:
    page = open_page(part="change", text="Quite another one.", layer="1", head="4")
    assert address(page)["off"] == "1-4" and "masked" not in address(page)
    assert address(open_page(part="change", side="left", masked="8"))["off"] == "none"
    page = open_page(part="change", right="scratch-minilm", left="minilm", layer="1", head="4")
    assert address(page)["off"] == "1-4"  # neither model can predict


def test_a_head_that_is_switched_on_again_stays_on() -> None:
    page = open_page(part="change")
    page.multiselect(key="off").set_value([]).run()
    page.button_group(key="masked").set_value([]).run()
    assert "Nothing is changed yet" in words_on(page)
    assert address(page)["off"] == "none"


def outcome(model: str, change: Intervention, text: str = DEFAULT_TEXT):
    return intervene(load_model(model), text, None, change)


@pytest.mark.parametrize("how", ["zero", "uniform"])
def test_switching_heads_off_shows_the_changed_weights(how: str) -> None:
    page = open_page(part="change", off="3-1.0-4", how=how, layer="5", head="11")
    change = Intervention(frozenset({(3, 1), (0, 4)}), how)
    before, after = outcome("minilm", Intervention()), outcome("minilm", change)
    moved = after.capture.weights - before.capture.weights
    np.testing.assert_allclose(z(page), moved[5, 11], atol=1e-6)
    distances = jensen_shannon_of_pairs(before.capture.weights, after.capture.weights)
    top = np.unravel_index(distances.argmax(), distances.shape)
    most = tables(page)[0]
    assert most["head"][0] == head_name(*top)
    assert most["moved"][0] == pytest.approx(distances.max(), abs=1e-6)
    turned = tables(page)[-1]
    np.testing.assert_allclose(turned["cosine"], cosines(before.hidden, after.hidden), atol=1e-6)


def test_switching_a_head_off_selects_the_most_changed_head() -> None:
    page = open_page(layer="3", head="1")
    page.button(key="switch_off").click().run()
    assert address(page)["part"] == "change" and address(page)["off"] == "3-1"
    change = Intervention(frozenset({(3, 1)}))
    distances = jensen_shannon_of_pairs(
        outcome("minilm", Intervention()).capture.weights, outcome("minilm", change).capture.weights
    )
    layer, head = np.unravel_index(distances.argmax(), distances.shape)
    assert (address(page)["layer"], address(page)["head"]) == (str(layer), str(head))
    assert layer > 3


def test_a_masked_word_is_predicted_with_heads_on_and_off() -> None:
    page = open_page(part="change", side="left", off="5-3", masked="8")
    masked = frozenset({8})
    before = outcome("scratch", Intervention(masked=masked)).predicted[0]
    after = outcome("scratch", Intervention(frozenset({(5, 3)}), masked=masked)).predicted[0]
    table = tables(page)[0]
    piece = load_model("scratch").piece
    best = np.argsort(-before)[:10]
    assert table["token"].tolist()[:10] == [piece(int(i)) for i in best]
    np.testing.assert_allclose(table["all heads on"][:10], before[best], atol=1e-6)
    np.testing.assert_allclose(table["heads off"][:10], after[best], atol=1e-6)
    assert "street" in table["token"].tolist()  # the masked word is always in the table
    assert "the word was street" in words_on(page)


@pytest.mark.parametrize("side", ["left", "right"])
def test_with_a_masked_word_a_head_changes_only_later_layers(side: str) -> None:
    model = {"left": "scratch", "right": "minilm"}[side]
    hidden = frozenset({8})
    before = outcome(model, Intervention(masked=hidden))
    after = outcome(model, Intervention(frozenset({(3, 4)}), masked=hidden))
    for layer in range(4):  # a head of layer 3 is off: no layer up to 3 may change
        page = open_page(part="change", side=side, off="3-4", masked="8", layer=str(layer))
        assert not np.any(z(page))
        assert "No weight changed" in words_on(page)
    page = open_page(part="change", side=side, off="3-4", masked="8", layer="5", head="5")
    moved = after.capture.weights - before.capture.weights
    np.testing.assert_allclose(z(page), moved[5, 5], atol=1e-6)
    turned = tables(page)[-1]["cosine"]
    np.testing.assert_allclose(turned, cosines(before.hidden, after.hidden), atol=1e-6)
    most = next(table for table in tables(page) if "moved" in table)
    assert {int(name[1]) for name in most["head"][most["moved"] > 0]} <= {4, 5}


@pytest.mark.parametrize(
    ("change", "caption"),
    [
        ({"off": "3-4", "masked": "8"}, "Before: words hidden, all heads on."),
        ({"off": "3-4"}, "Before: all heads on. After: the heads off."),
        ({"masked": "8"}, "Before: the typed sentence."),
    ],
)
def test_the_page_names_both_sides_of_the_comparison(change: dict[str, str], caption: str) -> None:
    page = open_page(part="change", layer="5", **change)
    assert caption in words_on(page)
    drawn = trace(page, 0)
    assert drawn["colorbar"]["ticktext"][0].endswith("<br>more before")
    assert drawn["colorbar"]["ticktext"][-1].startswith("more after<br>")
    largest = next(table for table in tables(page) if "query → key" in table)
    assert list(largest.columns) == ["query → key", "before", "after", "difference"]
    np.testing.assert_allclose(
        largest["after"] - largest["before"], largest["difference"], atol=1e-6
    )


def test_a_masked_word_alone_compares_the_weights_with_the_unmasked_run() -> None:
    page = open_page(part="change", side="left", masked="8", layer="2", head="6")
    before = outcome("scratch", Intervention()).capture.weights
    after = outcome("scratch", Intervention(masked=frozenset({8}))).capture.weights
    np.testing.assert_allclose(z(page), (after - before)[2, 6], atol=1e-6)
    assert list(tables(page)[0].columns) == ["token", "all heads on"]


def test_a_model_without_a_masked_language_head_gives_a_notice() -> None:
    page = open_page(part="change", masked="8")
    assert "minilm has no masked-language head" in words_on(page).replace("\\", "")
    assert len(specs(page)) == 1  # its weights are still compared


def test_a_mask_in_the_text_is_predicted_without_an_expected_word() -> None:
    page = open_page(part="change", side="left", text="She put the [MASK] down.", off="0-0")
    assert "the word was" not in words_on(page)
    assert list(tables(page)[0].columns) == ["token", "all heads on", "heads off"]


def test_missing_heads_in_a_link_are_ignored() -> None:
    page = open_page(part="change", off="11-11.2-2")
    assert not page.exception
    assert address(page)["off"] == "2-2"


# -- base and fine-tuned -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> tuple[Path, Path]:
    """Folders of a base model and a classifier of the same shape with other weights."""
    root = tmp_path_factory.mktemp("tuned")
    tuned = checkpoints.save_head(root / "classifier", "bert", "sequence", num_labels=3)
    return checkpoints.save("bert", root / "base"), tuned


def test_base_and_fine_tuned_are_compared_head_by_head(pair) -> None:
    base, tuned = map(str, pair)
    text = "the animal was too tired"
    page = open_page(part="tuned", left=base, right=tuned, text=text, layer="1", head="2")
    assert not page.exception
    ours, theirs = captures.capture(base, text, None), captures.capture(tuned, text, None)
    np.testing.assert_allclose(z(page), (theirs.weights - ours.weights)[1, 2], atol=1e-6)
    decided = tables(page)[0]
    expected = load_model(tuned).decide(text)
    np.testing.assert_allclose(
        sorted(decided["probability"]), sorted(expected.probabilities), atol=1e-6
    )
    assert "makes no decision" in words_on(page)  # the base model


def test_each_sign_of_a_difference_has_the_colour_of_its_side() -> None:
    page = open_page(part="tuned", anyway="1", layer="3", head="1")
    ours, theirs = (
        captures.capture(m, DEFAULT_TEXT, None).weights[3, 1] for m in ("scratch", "minilm")
    )
    drawn = trace(page, 0)
    np.testing.assert_array_equal(array(drawn["z"]) < 0, ours > theirs)
    assert drawn["colorscale"][0][1].startswith("rgba({}, {}, {},".format(*SIDE_RGB["left"]))
    assert drawn["colorbar"]["ticktext"][0].endswith("<br>more in<br>scratch")
    assert drawn["colorbar"]["ticktext"][-1].startswith("more in<br>minilm<br>")
    largest = next(table for table in tables(page) if "query → key" in table)
    assert list(largest.columns) == ["query → key", "scratch", "minilm", "difference"]
    alt = figures(page)[0].alt
    assert "Negative: more in scratch. Positive: more in minilm" in alt


@pytest.mark.parametrize(("head", "settings"), [("token", {"num_labels": 4}), ("answer", {})])
def test_the_decision_of_a_fine_tuned_model_is_shown_with_its_attention(
    tmp_path: Path, head: str, settings: dict[str, int]
) -> None:
    folder = str(checkpoints.save_head(tmp_path / head, "bert", head, **settings))
    text, pair = "what was 漢 tired", "the animal was too tired"
    page = explore(text=text, pair=pair, right=folder)
    assert not page.exception
    expected = load_model(folder).decide(text, pair)
    shown = tables(page)[0]
    captured = captures.capture(folder, text, pair)
    if head == "answer":
        assert expected.answer is not None
        assert f"**{expected.answer.text}**" in words_on(page)
        most = expected.probabilities.max(axis=1)
        likely = np.argsort(-most, kind="stable")[: len(shown)]
        said = ["[UNK] 漢" if captured.tokens[i] == "[UNK]" else captured.tokens[i] for i in likely]
        assert shown["token"].tolist() == said
        assert max(shown["starts here"].max(), shown["ends here"].max()) == pytest.approx(
            most.max()
        )
    else:
        words = [i for i in range(len(captured.tokens)) if not captured.special[i]]
        np.testing.assert_allclose(
            shown["probability"], expected.probabilities[words].max(axis=1), atol=1e-6
        )
        best = expected.probabilities[words].argmax(axis=1)
        assert shown["label"].tolist() == [f"LABEL_{i}" for i in best]
        assert "[UNK] 漢" in shown["token"].tolist() and "[UNK]" not in shown["token"].tolist()


def test_explore_shows_the_labels_of_the_selected_heads() -> None:
    page = explore(layer="2", head="0")
    found = words_on(page)
    assert found.count("On this sentence: **") == 2
    assert "from the object to the verb" in found


def test_separately_trained_models_are_compared_only_on_request() -> None:
    page = open_page(part="tuned")
    assert "fine-tuned" in words_on(page) and not specs(page)
    page.toggle(key="compared_anyway").set_value(True).run()
    assert len(specs(page)) == 1
    assert address(page)["anyway"] == "1"
    assert len(specs(open_page(part="tuned", anyway="1"))) == 1


def test_the_part_opens_with_a_pair_that_can_be_compared_and_gives_the_models_back() -> None:
    page = open_page()
    picker = page.button_group(key="heads_part")
    picker.set_value("tuned").run()
    assert len(specs(page)) == 1 and "minilm was not fine-tuned for a task" in words_on(page)
    assert (address(page)["left"], address(page)["right"]) == ("minilm", "minilm-sentiment")
    page.button_group(key="heads_part").set_value("links").run()
    assert (address(page)["left"], address(page)["right"]) == ("scratch", "minilm")


def test_the_part_does_not_exchange_models_that_a_visitor_chose() -> None:
    page = open_page(left="minilm", right="minilm-sentiment")
    page.button_group(key="heads_part").set_value("tuned").run()
    page.button_group(key="heads_part").set_value("links").run()
    assert (address(page)["left"], address(page)["right"]) == ("minilm", "minilm-sentiment")


def test_models_of_different_shapes_give_a_message(pair) -> None:
    page = open_page(part="tuned", left=str(pair[0]), anyway="1")
    assert "only models of one shape" in words_on(page)
