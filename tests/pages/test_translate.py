"""Decoder's part Translate as a whole, without a browser."""

import base64
import json
import math
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from model.catalogue.models import load_translator
from model.catalogue.names import checkpoint_names
from model.languages.dates import FIRST, LAST
from pages.shared import settings
from pages.shared.translators import DEFAULT, LONGEST, read_forced, write_forced
from tests.model import encoder_decoder_checkpoints
from tests.pages.conftest import first_visit
from tests.pages.figures import figure
from tests.pages.test_calculator import is_well, matrix, steps
from tests.pages.test_calculator import open_page as calculator
from tests.viz.test_canvas import unpack

FRENCH = "la fleur bleue n'est pas petite"


def open_page(**address: str) -> AppTest:
    page = first_visit("decoder")
    for name, value in address.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def address(page: AppTest) -> dict[str, str]:
    return {k: v if isinstance(v, str) else v[0] for k, v in page.query_params.items()}


def said(page: AppTest) -> str:
    kinds = ["markdown", "caption", "info", "warning", "error"]
    words = "\n".join(str(element.value) for kind in kinds for element in page.get(kind))
    return words.replace("\\", "").replace("&#58;", ":")


def decoding(page: AppTest) -> tuple[dict, np.ndarray, np.ndarray]:
    """What the browser scrubs through: the header, cross-attention, masked self-attention."""
    (found,) = [node for node in page.get("bidi_component") if node.key == "decoding"]
    header, cells = unpack(found.proto.bytes)
    rows, columns = header["rows"], len(header["source"])
    cross = cells[: rows * columns].reshape(rows, columns)
    return header, cross, cells[rows * columns :].reshape(rows, rows)


def test_a_first_visit_shows_a_translation_at_once_and_that_it_is_right() -> None:
    page = open_page()
    assert FRENCH in said(page)
    assert "right: the rule says the same" in said(page)
    header, _, _ = decoding(page)
    assert header["source"] == ["the", "blue", "flower", "is", "not", "small", "</s>"]
    assert header["target"][:4] == ["<s>", "la", "fleur", "bleue"]
    assert header["beams"] is None


def test_what_is_scrubbed_through_is_what_the_model_did() -> None:
    page = open_page(layer="0", head="2")
    header, cross, decoder = decoding(page)
    written = load_model("phrases").generate(DEFAULT["phrases"])
    np.testing.assert_allclose(cross, written.cross.weights[0, 2] * 10_000, atol=0.51)
    np.testing.assert_allclose(decoder, written.decoder.weights[0, 2] * 10_000, atol=0.51)
    assert [step["written"] for step in header["steps"]] == list(written.tokens)
    for sent, step in zip(header["steps"], written.steps, strict=True):
        assert [(top["token"], top["probability"]) for top in sent["top"]] == list(step.top_k[:6])


def test_the_picture_is_of_the_mean_over_heads_where_that_is_wanted() -> None:
    _, cross, _ = decoding(open_page(layer="1", mean="1"))
    written = load_model("phrases").generate(DEFAULT["phrases"])
    np.testing.assert_allclose(cross, written.cross.weights[1].mean(axis=0) * 10_000, atol=0.51)


def test_a_forced_token_stands_and_what_follows_is_written_after_it() -> None:
    page = open_page(text="the blue flower", forced="0~un")
    header, _, _ = decoding(page)
    assert header["target"][1] == "un"
    assert "Forced: “un” at step 1." in said(page)
    assert decoding(open_page(text="the blue flower"))[0]["target"][1] == "la"
    (freely,) = [button for button in page.button if button.label == "Let it write freely"]
    freely.click().run()
    assert not page.exception
    assert decoding(page)[0]["target"][1] == "la"
    assert "forced" not in address(page)


def test_forced_tokens_come_back_from_the_link() -> None:
    forced = [(0, "un"), (3, "n'")]
    assert read_forced(write_forced(forced)) == forced
    for broken in ("0", "0~", "~un", "x~un", "-1~un"):
        with pytest.raises(ValueError):
            read_forced(broken)


def test_beam_search_says_what_was_kept_and_dropped_with_log_probabilities() -> None:
    page = open_page(how="beam", beams="3")
    header, _, _ = decoding(page)
    written = load_model("phrases").generate(DEFAULT["phrases"], beams=3)
    first = header["beams"][0]
    assert [each["kept"] for each in first] == [True] * 3 + [False] * 3
    sums = [each.log_probability for each in written.search[0].kept]
    assert [float(each["printed"]) for each in first[:3]] == pytest.approx(sums, rel=0.6, abs=5e-4)
    total = sum(math.log(step.probability) for step in written.steps)
    assert f"Beam search with 3: “{FRENCH}”, {total:.0e}" in said(page)


def test_sampling_shows_both_probabilities_and_repeats_itself() -> None:
    asked = {"how": "sample", "temperature": "2", "seed": "5", "top_k": "4"}
    first, again = decoding(open_page(**asked))[0], decoding(open_page(**asked))[0]
    assert first["target"] == again["target"]
    assert "→" in first["steps"][0]["top"][0]["printed"]


def test_unknown_words_are_named_and_what_it_knows_is_told() -> None:
    page = open_page(text="the dragon eats a zebra")
    assert "dragon, zebra" in said(page)
    assert any("What phrases knows" in expander.label for expander in page.expander)


def test_a_phrase_that_is_built_otherwise_lies_outside_the_training() -> None:
    page = open_page(text="flower the blue is")
    assert "Outside its training" in said(page)


@pytest.mark.parametrize(
    ("text", "told"),
    [("31 February 2020", "February"), ("29 February 2019", "2019"), ("03/05/2019", "")],
)
def test_an_impossible_or_ambiguous_date_is_named_and_not_guessed_at(text: str, told: str) -> None:
    page = open_page(model="dates", text=text)
    assert page.error and told in page.error[0].value
    assert "would be a guess" in said(page)
    assert not [node for node in page.get("bidi_component") if node.key == "decoding"]


def test_dates_are_read_letter_by_letter() -> None:
    page = open_page(model="dates", text="3rd of May, 2019")
    assert "2019-05-03" in said(page)
    assert f"days of {FIRST.year} to {LAST.year}" in said(page)
    assert decoding(page)[0]["source"][:4] == ["3", "r", "d", "␣"]


@pytest.mark.parametrize("text", ["", "   ", "a" * 100_000, "😀", "the"])
def test_bad_input_is_answered_in_words(text: str) -> None:
    page = open_page(text=text)
    assert page.error or page.info or "Outside its training" in said(page)


def test_each_translator_keeps_the_text_that_was_typed_for_it() -> None:
    page = open_page()
    page.text_input(key="phrase").set_value("the red house").run()
    page.selectbox(key="translator_box_phrases").set_value("dates").run()
    assert page.text_input(key="phrase").value == DEFAULT["dates"]
    page.selectbox(key="translator_box_dates").set_value("phrases").run()
    assert page.text_input(key="phrase").value == "the red house"
    assert address(page)["text"] == "the red house"


def test_a_checkpoint_writes_the_same_text_as_it_then_could() -> None:
    early = checkpoint_names("phrases")[0]
    page = open_page(model=early)
    text = load_translator(early).generate(DEFAULT["phrases"]).text
    assert text in said(page) and text != FRENCH
    (slider,) = [
        data
        for node in page.get("bidi_component")
        if node.proto.json and "stops" in (data := json.loads(node.proto.json))
    ]
    assert slider["current"] == 0
    assert len(slider["stops"]) == len(checkpoint_names("phrases"))


def test_a_model_that_writes_without_end_is_stopped_and_says_so() -> None:
    page = open_page(model=checkpoint_names("phrases")[0])
    written = load_translator(checkpoint_names("phrases")[0]).generate(DEFAULT["phrases"])
    assert (written.ending == "full") == ("the limit stopped it" in said(page))


@pytest.mark.parametrize("name", ["how", "stack", "layer", "forced", "beams", "part"])
def test_a_link_that_means_nothing_falls_back_with_a_notice(name: str) -> None:
    page = open_page(**{"how": "beam", name: "<b>"})
    assert page.warning
    assert FRENCH in said(page)


def test_a_text_goes_into_no_markup() -> None:
    page = open_page(text="<img src=x onerror=alert(1)> **bold** $x$")
    assert all("<img" not in element.value for element in page.markdown)


def heatmap(page: AppTest) -> dict:
    """The cells of the head that is drawn, as Plotly is sent them."""
    return figure(page, "stack_heatmap").spec["data"][0]["z"]


def test_all_three_stacks_are_shown() -> None:
    for stack, shape in (("cross", "8, 7"), ("decoder", "8, 8"), ("encoder", "7, 7")):
        assert heatmap(open_page(stack=stack))["shape"] == shape


# -- the way to the Calculator -------------------------------------------------------------------


def in_calculator(page: AppTest, label: str) -> AppTest:
    """Where a link leads, followed."""
    (link,) = [node.proto for node in page.get("page_link") if node.proto.label == label]
    assert link.page.endswith("calculator")
    return calculator(**dict(parse_qsl(link.query_string)))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"forced": "0~un|1~chat"},
        {"how": "sample", "temperature": "3", "seed": "4"},
        {"how": "beam", "beams": "2", "text": "some red apples"},
        {"model": "phrases@200"},
        {"model": "dates", "text": "3rd of May, 2019"},
    ],
)
@pytest.mark.parametrize("stack", ["cross", "decoder", "encoder"])
def test_every_number_of_a_head_is_that_of_the_same_writing(asked: dict, stack: str) -> None:
    page = open_page(stack=stack, layer="1", head="2", **asked)
    reached = in_calculator(page, "Every number of this head")
    is_well(reached)
    assert not reached.warning
    chart = heatmap(page)
    shown = matrix(reached, "weights")
    own = np.frombuffer(base64.b64decode(chart["bdata"]), chart["dtype"])
    own = own.reshape([int(n) for n in chart["shape"].split(",")])
    # A masked cell is drawn as none, and the Calculator draws the first 16 queries.
    np.testing.assert_allclose(shown, np.nan_to_num(own[:16]), atol=1e-6)


def test_the_layer_of_a_head_is_a_click_away() -> None:
    page = open_page(layer="1", head="2", lang="fr", text="the red house")
    reached = in_calculator(page, "And of its layer")
    is_well(reached)
    assert address(reached)["stack"] == "decoder"
    assert address(reached)["lang"] == "fr"
    columns = ["the", "red", "house", "</s>"]
    assert steps(reached)["matrices"]["cross_weights"]["columns"] == columns


# Translators from elsewhere.


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("elsewhere")
    return {
        family: str(encoder_decoder_checkpoints.save(family, root / family))
        for family in ("t5-gated", "marian")
    }


def test_a_folder_of_t5_is_shown_like_ours_and_nothing_is_said_that_only_ours_know(elsewhere):
    folder = elsewhere["t5-gated"]
    page = open_page(model=folder, text="the animal was it", layer="2", head="1")
    written = load_translator(folder).generate("the animal was it", max_new_tokens=LONGEST)
    header, cross, decoder = decoding(page)
    np.testing.assert_allclose(cross, written.cross.weights[2, 1] * 10_000, atol=0.51)
    np.testing.assert_allclose(decoder, written.decoder.weights[2, 1] * 10_000, atol=0.51)
    assert header["source"][:2] == ["the", "animal"]
    assert header["target"] == ["<pad>", *(token.strip() for token in written.tokens)]
    words = said(page)
    assert written.text in words
    assert "Encoder 2 × 3 heads, decoder 3 × 3 twice" in words
    assert f"“{encoder_decoder_checkpoints.PREFIX.strip()}”. Without that" in words
    assert "No rule here says whether this is right" in words
    for only_ours in ("the rule says", "Outside its training", "in the present"):
        assert only_ours not in words
    assert not [button for button in page.button if "Watch it learn" in button.label]
    assert address(page)["model"] == folder
    told = open_page(model=folder, text=f"{encoder_decoder_checkpoints.PREFIX}it was")
    assert "Without that" not in said(told)


def test_each_stack_of_a_model_from_elsewhere_has_heads_of_its_own(elsewhere):
    """Marian's encoder has 3 layers of 2 heads here, its decoder 2 of 4."""
    page = open_page(
        model=elsewhere["marian"], text="the dog", stack="encoder", layer="2", head="1"
    )
    assert (page.selectbox("t_layer").value, page.selectbox("t_head").value) == (2, 1)
    assert len(page.selectbox("t_head").options) == 2
    assert "lacks “dog”" in said(page)
    page.button_group("stack").set_value("cross").run()
    assert len(page.selectbox("t_head").options) == 4
    assert page.selectbox("t_layer").value == 1  # its last


def test_the_calculator_follows_a_head_of_a_t5_with_its_bias(elsewhere):
    folder, text = elsewhere["t5-gated"], "it was"
    written = load_translator(folder).generate(text, max_new_tokens=LONGEST, forced={1: " book"})
    ask = {"stack": "decoder", "translator": folder, "source": text}
    worked = calculator(mode="head", **ask, forced="1~ book", layer="1", head="2")
    weights = written.decoder.head(1, 2).weights
    shown = matrix(worked, "weights")
    np.testing.assert_allclose(shown, weights[: len(shown)], atol=5e-5)
    assert "Choose phrases or dates" in said(calculator(mode="whole", **ask))


def test_what_cannot_be_loaded_is_said_and_strangers_are_shown_no_folder(tmp_path, monkeypatch):
    assert "not a hub id" in said(open_page(model="<b>"))
    absent = open_page(model="owner/name")
    assert "would have to be downloaded" in said(absent)
    assert [button.label for button in absent.button if "Download" in button.label]
    monkeypatch.setattr(settings, "_settings", settings.Settings(any_model=False))
    assert "shows no model but those of its list" in said(open_page(model=str(tmp_path)))


def test_the_address_says_that_the_training_is_open() -> None:
    page = open_page()
    page.button(key="fold_learning").click().run()
    assert address(page)["training"] == "1"
    again = open_page(training="1")
    assert again.button(key="fold_learning").label == "Hide the training"
    again.button(key="fold_learning").click().run()
    assert "training" not in address(again)
