"""The Heads page in AppTest."""

import re
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from model import load_model
from model.analysis.grammar.relations import MIN_PAIRS
from model.analysis.intervention import Intervention, intervene, relative_changes
from model.analysis.measures import profile
from model.analysis.survey.__main__ import main as survey_command
from pages.heads.examples import N_DECISIVE
from pages.heads.url import Heads
from tests.model import checkpoints
from tests.pages import visit
from tests.pages.figures import figure, payloads, tables, trace, view, weights, words_on, z
from tests.pages.visit import Visit
from viz.style.theme import SIDE_RGB
from web.cache import captures
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.head_picker import head_name

open_page = partial(visit.open_page, "heads")


def table_with(page: Visit, column: str) -> pd.DataFrame:
    return next(table for table in tables(page) if column in table)


def at(page: Visit) -> tuple[str, str]:
    return page.address["layer"], page.address["head"]


def drawn(page: Visit) -> np.ndarray:
    """The weights of the selected head in the capture view, (U, U), with four decimals."""
    (state,) = [each for key, each in payloads(page).items() if key.startswith("state_")]
    (every,) = view(page)[1].values()
    layer, head = state["selection"]["left"]
    return every[layer, head]


@pytest.mark.parametrize("part", Heads.part.options)
def test_every_part_accepts_any_sentence(part: str) -> None:
    page = open_page(part=part, query="1", key="0", off="0-1", masked="1")
    for text in ("a", "<b>$x$ :red[no]</b> `[MASK]`", "the dog saw the cat and " * 20, " "):
        page.text_input(key="text").set_value(text).run()
        assert not page.exception, text
        assert ("Type a sentence" in words_on(page)) == (text == " ")
        assert page.address["part"] == part


@pytest.mark.parametrize("part", Heads.part.options)
def test_every_part_opens_on_a_picture_and_one_bold_sentence_with_a_number(part: str) -> None:
    page = open_page(part=part)
    said = [
        each.value
        for each in page.markdown
        if re.fullmatch(r"\*\*.*\*\*( (The|Next:|Of the) .*)?", each.value)
    ]
    assert len(said) == 1 and re.search(r"\d", said[0]) and np.nanmax(drawn(page)) > 0


def test_two_heads_of_minilm_link_it_to_animal() -> None:
    page = open_page(layer="5", head="3")
    table = tables(page)[0]
    assert payloads(page)["links_table"]["marked"] == 0
    assert table["head"].tolist()[:2] == ["L3·H1", "L5·H11"]
    assert table["model"].tolist()[:2] == ["minilm", "minilm"]
    np.testing.assert_allclose(table["weight"][:2], [0.6768, 0.6733], atol=5e-5)
    np.testing.assert_allclose(table["times"], table["weight"] * 16, rtol=1e-6)
    said = "Of all heads, minilm's L3·H1 links “it” to “animal” most: with 0.68 of the"
    assert said in words_on(page) and "Next: minilm's L5·H11, 0.67." in words_on(page)
    np.testing.assert_allclose(drawn(page), weights("minilm")[3, 1], atol=5e-5)
    assert (page.address["query"], page.address["key"]) == ("10", "2")
    assert view(page)[0]["framed"] == [10, 2]
    for name in ("link_query", "link_key"):
        page.multiselect(key=name).set_value([]).run()
    assert "Choose a word in each box" in words_on(page)  # the default does not come back
    assert "framed" not in view(page)[0]


def test_the_words_of_a_link_open_on_the_head_that_links_them_most() -> None:
    page = open_page(part="links", query="9", key="1", special="renormalise")
    table = tables(page)[0]
    np.testing.assert_allclose(table["weight"] / table["times"], 1 / 14)
    shown = page.session_state["heads_side"], head_name(*map(int, at(page)))
    assert shown == ({"scratch": "left", "minilm": "right"}[table["model"][0]], table["head"][0])
    page.text_input(key="text").set_value("Quite another one.").run()
    assert page.multiselect(key="link_query").value == []
    page = open_page(part="links", query="99.9", key="1")
    assert "a word 99, but the sentence has 16" in words_on(page) and page.address["query"] == "9"


def test_labels_are_sorted_as_said_and_open_on_the_first_head() -> None:
    page = open_page(part="labels")
    (here,) = tables(page)
    related = here["does"].isin(["previous token", "next token", "itself", "same word"])
    fixed = here["does"].isin(["[CLS]", "[SEP]", "punctuation"])
    starts = np.cumsum([related.sum(), fixed.sum()])
    assert related[: starts[0]].all() and fixed[starts[0] : starts[1]].all() and starts[0] > 1
    assert all(here["share"][rows].is_monotonic_decreasing for rows in (related, fixed))
    assert here["share"][starts[1] :].isna().all()  # a broad head has no share of its attention
    following = profile(captures.capture("minilm", DEFAULT_TEXT, None))["next"]
    best = head_name(*np.unravel_index(following.argmax(), following.shape))
    row = here.set_index("head").loc[best]
    assert (row["does"], row["share"]) == ("next token", pytest.approx(following.max(), abs=1e-6))
    clear = ~here["does"].isin(["no rule fits", "broad"])
    broad, other = ((here["does"] == name).sum() for name in ("broad", "no rule fits"))
    assert f"Of the others, {broad} are broad, and for {other} no rule fits." in words_on(page)
    said = f"{clear.sum()} of minilm's 72 heads have a clear pattern on this sentence, "
    said += f"most often “[CLS]” ({(here['does'] == '[CLS]').sum()} heads)."
    assert said in words_on(page)
    assert (here["head"][0], at(page)) == ("L0·H2", ("0", "2"))
    assert "The label of the selected head, L0·H2, is “previous token”." in words_on(page)
    page = open_page(part="links")  # its URL names the initial head
    page.button_group(key="heads_part").set_value("labels").run()
    assert at(page) == ("0", "2")
    page.button_group(key="heads_side").set_value("left").run()
    assert tables(page)[0]["head"][0] == "L1·H10"


def test_labels_filter_the_table_and_a_link_restores_the_filter() -> None:
    page = open_page(part="labels")
    everything = tables(page)[0]["does"]
    page.multiselect(key="labels_wanted").set_value(["broad", "next"]).run()
    shown = everything[everything.isin(["broad", "next token"])]
    assert tables(page)[0]["does"].tolist() == shown.tolist()
    assert f"{len(shown)} of minilm's 72 heads have these labels" in words_on(page)
    assert set(page.address["labels"].split(".")) == {"next", "broad"}
    page = open_page(part="labels", labels="previous.cls")
    assert set(tables(page)[0]["does"]) == {"previous token", "[CLS]"}
    page = open_page(part="labels", labels="punctuation")
    assert "0 of minilm's 72 heads have these labels" in words_on(page) and not tables(page)


def test_the_head_of_a_link_is_drawn_with_its_labels_and_its_grammar() -> None:
    page = open_page(part="labels", layer="5", head="11")
    np.testing.assert_allclose(drawn(page), weights("minilm")[5, 11], atol=5e-5)
    assert "The label of the selected head, L5·H11, is “no rule fits”." in words_on(page)
    page = open_page(part="labels", layer="11", head="2", side="left")  # the model has six layers
    np.testing.assert_allclose(drawn(page), weights("scratch")[5, 2], atol=5e-5)
    page = open_page(part="corpus", side="left", layer="3", head="1")
    row = tables(page)[0].set_index("relation").loc["noun → determiner"]
    assert row["head"] == "L3·H1"
    said = "In a treebank, scratch's L3·H1 points from the noun to the determiner in 88% of cases"
    assert said in words_on(page) and f"{row['accuracy']:.0%} {row['baseline']:.0%}" == "88% 61%"


def test_relations_are_shown_with_their_accuracy_and_baseline() -> None:
    link = {"part": "corpus", "layer": "2", "head": "0"}
    minilm = tables(open_page(**link, left="scratch-untrained"))[0].set_index("relation")
    page = open_page(**link, left="scratch-untrained", side="left")
    untrained = tables(page)[0].set_index("relation")
    assert minilm["accuracy"]["object → verb"] > minilm["baseline"]["object → verb"] + 0.2
    assert (untrained["pairs"] >= MIN_PAIRS).all()
    row = untrained.loc["verb → object"]
    assert row["accuracy"] < row["baseline"]


def test_the_sentence_on_grammar_is_the_selected_row_also_of_a_head_with_several() -> None:
    page = open_page(part="corpus")
    table = tables(page)[0]
    row = payloads(page)["grammar_table"]["marked"]
    assert table["lead"].is_monotonic_decreasing
    shares = table[["accuracy", "baseline"]].round(3)
    np.testing.assert_allclose(table["lead"], 100 * (shares["accuracy"] - shares["baseline"]))
    assert table.iloc[row][["relation", "head"]].tolist() == ["verb → object", "L3·H1"]
    assert "In a treebank, minilm's L3·H1 points from the verb to the object" in words_on(page)
    for name, value in {"layer": 2, "head": 8, "grammar_relation": "nsubj"}.items():
        page.session_state[name] = value
    page.run()
    row = payloads(page)["grammar_table"]["marked"]
    assert tables(page)[0]["relation"][row] == "subject → verb"
    assert "In a treebank, minilm's L2·H8 points from the subject" in words_on(page)


def test_a_saved_survey_is_the_general_behaviour_of_its_heads(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    data = tmp_path / "data.txt"
    data.write_text("The dog was tired.\nIt was late, and the dog was tired.\n")
    assert survey_command(["--model", "scratch@0", "--data", str(data)]) == 0
    page = open_page(part="labels", left="scratch@0", side="left")
    assert set(tables(page)[0]["corpus"]) != {"–"}
    assert "On 2 sentences of a treebank, its pattern is " in words_on(page)


def outcome(model: str, change: Intervention, text: str = DEFAULT_TEXT):
    return intervene(load_model(model), text, None, change)


def test_the_default_switches_off_a_head_that_changes_the_prediction() -> None:
    page = open_page(part="change")
    assert (page.address["off"], page.address["masked"]) == ("2-8", "10")
    table = tables(page)[0].set_index("token")
    runs = ("with L2·H8", "without L2·H8")
    assert [table[run].idxmax() for run in runs] == ["it", "he"]
    before, after = (table[run][["it", "he"]] for run in runs)
    effect = f"With L2·H8, scratch predicts “it” ({before.it:.0%}; “he”: {before.he:.0%}). "
    effect += f"Without L2·H8: “he” ({after.he:.0%}; “it”: {after.it:.0%})."
    assert effect in words_on(page)
    assert page.address["side"] == "left"  # the model that predicts
    for name in ("off", "masked"):
        page.multiselect(key=name).set_value([]).run()
    assert page.address["off"] == "none"  # the default does not come back
    assert "Switch a head off" in words_on(page)
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
    changed = np.abs(after.capture.weights - before.capture.weights)
    layer, head, *_cell = np.unravel_index(changed.argmax(), changed.shape)
    assert at(page) == (str(layer), str(head)) and layer > 3
    about = view(page)[0]["subjects"][0]["about"]
    assert f"{head_name(layer, head)} changes most: by up to {changed.max():.2f}." in about
    assert trace(page, 0)["zmax"] == pytest.approx(changed.max())  # one scale for all heads
    np.testing.assert_allclose(drawn(page), changed[layer, head], atol=5e-5)
    moved = relative_changes(before.hidden, after.hidden)
    most = 1 + moved[1:-1].argmax()  # neither [CLS] nor [SEP]
    vector = f"the output vector of “{before.capture.tokens[most]}”"
    median = f"(the median of all words: {np.median(moved[1:-1]):.1%})"
    said = f"{vector} changes most: by {moved[most]:.1%} of its length {median}.**"
    assert f"{said} minilm has no output layer for words, so it predicts none." in words_on(page)
    page = open_page(part="change", off="3-1", layer="3", head="1")  # from Explore
    assert at(page) == (str(layer), str(head))
    page = open_page(part="change", off="3-1", asked="10")  # the link of a room's question
    assert f"“it” changes by {moved[10]:.1%}" in words_on(page)


def test_the_example_says_how_many_heads_change_its_first_choice() -> None:
    def best(*off: tuple[int, int]) -> str:
        change = Intervention(frozenset(off), "zero", {10})
        return piece(int(outcome("scratch", change).predicted[0].argmax()))

    piece = load_model("scratch").piece
    words = Counter(best(head) for head in np.ndindex(6, 12))
    assert words == {"it": 72 - N_DECISIVE, "he": N_DECISIVE} and best() == "it"
    said = f"for {N_DECISIVE} of the 72 heads, L2·H8 among them, switching"
    assert said in words_on(open_page(part="change"))


def test_a_masked_word_is_predicted_with_heads_on_and_off() -> None:
    view = {"part": "change", "side": "left", "off": "3-4", "masked": "8"}
    page = open_page(**view, layer="5", head="5")
    off = [Intervention(frozenset(heads), masked=frozenset({8})) for heads in ((), {(3, 4)})]
    masked, both = (outcome("scratch", change) for change in off)
    moved = both.capture.weights - masked.capture.weights
    np.testing.assert_allclose(z(page), moved[5, 5], atol=1e-6)
    table, best = tables(page)[0], np.argsort(-masked.predicted[0])[:8]
    np.testing.assert_allclose(table["with L3·H4"][:8], masked.predicted[0][best], atol=1e-6)
    np.testing.assert_allclose(table["without L3·H4"][:8], both.predicted[0][best], atol=1e-6)
    assert "street" in table["token"].tolist()  # the masked word is always in the table
    assert "for the hidden word “street”" in words_on(page)
    page = open_page(**view, layer="3")  # a head of layer 3 is off: this layer may not change
    assert not np.any(z(page)) and "only the layers after L3" in words_on(page)


def test_a_classifier_decides_with_a_head_on_and_off() -> None:
    view = {"part": "change", "left": "minilm", "right": "minilm-sentiment", "off": "5-1"}
    page = open_page(**view, text="The food was not fantastic.", layer="5", head="1")
    model, table = load_model("minilm-sentiment"), tables(page)[0].set_index("label")
    for run in ("with L5·H1", "without L5·H1"):
        decided = model.decide("The food was not fantastic.")
        expected = [decided.probabilities[decided.labels.index(each)] for each in table.index]
        np.testing.assert_allclose(table[run], expected, atol=1e-6)
        model.module.bert.encoder.layer[5].attention.output.dense.weight.data[:, 32:64] = 0  # H1
    assert expected[0] == pytest.approx(0.9932, abs=5e-5)
    assert "**Without L5·H1, minilm-sentiment still predicts “positive”, with" in words_on(page)
    assert "No weight changes: no layer comes after L5." in words_on(page)
    assert "switch_off" not in [button.key for button in page.button]
    expected = weights("minilm-sentiment", page.address["text"])[5, 1]
    np.testing.assert_allclose(drawn(page), expected, atol=5e-5)
    share = f"largest share of the head's attention: {expected[:, 5].mean():.0%}."
    assert share in words_on(page)
    page.selectbox(key="off_how").set_value("uniform").run()  # its own weights change
    assert "No weight changes" not in words_on(page)


def test_base_and_fine_tuned_are_compared_head_by_head(tmp_path: Path) -> None:
    tuned = checkpoints.save_head(tmp_path / "classifier", "bert", "sequence", num_labels=3)
    base, tuned = str(checkpoints.save("bert", tmp_path / "base")), str(tuned)
    text = "the animal was too tired"
    page = open_page(part="tuned", left=base, right=tuned, text=text, layer="1", head="2")
    first, second = weights(base, text)[1, 2], weights(tuned, text)[1, 2]
    np.testing.assert_allclose(z(page), second - first, atol=1e-6)
    shown, expected = tables(page)[0]["probability"], load_model(tuned).decide(text).probabilities
    np.testing.assert_allclose(sorted(shown), sorted(expected), atol=1e-6)
    assert "only models of one shape" in words_on(open_page(part="tuned", left=base))


def test_separately_trained_models_are_compared_with_a_warning_in_the_hues_of_their_sides() -> None:
    view = {"left": "scratch", "right": "minilm", "layer": "3", "head": "1"}
    page = open_page(part="tuned", **view)
    assert "equal numbers do not mean equal roles" in words_on(page)
    drawn = trace(page, 0)
    assert drawn["colorscale"][0][1].startswith("rgba({}, {}, {},".format(*SIDE_RGB["left"]))
    assert drawn["colorbar"]["ticktext"][0].endswith("<br>more in<br>scratch")


def test_the_part_opens_with_a_pair_that_can_be_compared_and_gives_the_models_back() -> None:
    def models(page: Visit) -> tuple[str, str]:
        return page.address["left"], page.address["right"]

    for page in (open_page(), open_page(part="tuned")):
        page.button_group(key="heads_part").set_value("tuned").run()
        said = "In L5·H1, “[CLS]” gives 0.982 of its attention to “fantastic” in minilm-sentiment"
        assert said in words_on(page)
        assert models(page) == ("minilm", "minilm-sentiment")
        page.button(key="tuned_back").click().run()
        assert models(page) == ("scratch", "minilm") and "an example of this" not in words_on(page)
        page.button_group(key="heads_part").set_value("links").run()
        assert models(page) == ("scratch", "minilm") and page.address["text"] == DEFAULT_TEXT
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


def test_without_a_change_no_head_has_the_largest_one() -> None:
    page = open_page(part="tuned", left="minilm", right="minilm", layer="2", head="5")
    title = figure(page, "head_difference").spec["layout"]["title"]["text"]
    assert "L2·H5" in title and "Largest" not in title
