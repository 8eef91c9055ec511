"""Part Translate of the Decoder page, in an AppTest."""

from functools import partial
from urllib.parse import parse_qsl

import numpy as np
import pytest

from model import load_model
from model.catalogue.models import load_translator
from model.catalogue.names import checkpoint_names
from tests.model import encoder_decoder_checkpoints
from tests.pages import visit
from tests.pages.figures import payloads, view, words_on
from tests.pages.test_calculator import expect_no_error, expect_weights, matrix
from tests.pages.test_calculator import open_page as calculator
from tests.pages.visit import Visit
from tests.viz.test_canvas import unpack
from web import settings
from web.translators import DEFAULT, MAX_EXTERNAL_TOKENS, read_forced, write_forced

FRENCH = "la fleur bleue n'est pas petite"

open_page = partial(visit.open_page, "decoder")


def has_steps(page: Visit) -> bool:
    return "decoding" in [node.key for node in page.get("bidi_component")]


def decoding(page: Visit) -> tuple[dict, np.ndarray]:
    """Payload of the step view: the header, and the cross-attention."""
    assert not page.exception
    (found,) = [node for node in page.get("bidi_component") if node.key == "decoding"]
    header, cells = unpack(found.proto.bytes)
    return header, cells.reshape(-1, len(header["source"]))


def test_the_step_view_shows_the_tokens_and_weights_of_the_model() -> None:
    page = open_page(layer="0", head="2")
    assert f"→ **{FRENCH}**" in words_on(page) and not page.warning
    header, cross = decoding(page)
    assert header["source"] == ["the", "blue", "flower", "is", "not", "small", "</s>"]
    assert header["target"][:4] == ["<s>", "la", "fleur", "bleue"]
    written = load_model("phrases").generate(DEFAULT["phrases"])
    np.testing.assert_allclose(cross, written.cross.weights[0, 2] * 40_000, atol=1)
    for sent, step in zip(header["steps"], written.steps, strict=True):
        assert [(top["token"], top["probability"]) for top in sent["top"]] == list(step.top_k[:6])


def test_the_view_of_each_stack_has_its_weights_and_names_a_row_by_the_token_that_it_chooses():
    written = load_model("phrases").generate(DEFAULT["phrases"])
    source, target = list(written.encoder.tokens), list(written.tokens)
    for stack, rows, keys in (
        ("cross", target, source),
        ("decoder", target, ["<s>", *target[:-1]]),
        ("encoder", source, None),
    ):
        page = open_page(stack=stack, layer="1", head="2")
        header, sides = view(page)
        (subject,) = header["subjects"]
        assert subject["labels"] == rows and (not keys or subject["keys"]["labels"] == keys)
        drawn = np.nan_to_num(sides["left"])
        np.testing.assert_allclose(drawn, getattr(written, stack).weights, atol=0.51e-4)
        assert payloads(page)["state_capture"]["selection"]["left"] == [1, 2]


def test_a_forced_token_is_kept_until_it_is_removed() -> None:
    page = open_page(text="the blue flower", forced="0~un")
    assert decoding(page)[0]["target"][1] == "un"
    next(each for each in page.button if each.label == "Remove the forced tokens").click().run()
    assert decoding(page)[0]["target"][1] == "la" and "forced" not in page.address


def test_forced_tokens_survive_a_round_trip_through_the_url() -> None:
    forced = [(0, "un"), (1, " |"), (3, "<|im_end|>"), (7, "~%7C"), (12, "\n")]
    assert read_forced(write_forced(forced)) == forced
    # Written before the escape.
    assert read_forced("0~un|3~n'|4~100%|5~a~b") == [(0, "un"), (3, "n'"), (4, "100%"), (5, "a~b")]
    for broken in ("0", "0~", "~un", "x~un", "-1~un"):
        with pytest.raises(ValueError):
            read_forced(broken)


def test_beam_search_lists_kept_and_dropped_hypotheses() -> None:
    page = open_page(how="beam", beams="3")
    written = load_model("phrases").generate(DEFAULT["phrases"], beams=3)
    first = decoding(page)[0]["beams"][0]
    assert [each["kept"] for each in first] == [True] * 3 + [False] * 3
    sums = [each.log_probability for each in written.search[0].kept]
    found = [float(each["printed"].replace("−", "-")) for each in first[:3]]
    assert found == pytest.approx(sums, rel=0.6, abs=5e-4)
    assert f"Beam search with 3: “{FRENCH}”" in words_on(page)


def test_what_a_translator_cannot_know_is_explained() -> None:
    page = open_page(text="the dragon eats a zebra")
    assert "dragon, zebra" in words_on(page) and not has_steps(page)
    for text in ("   ", "<img src=x onerror=alert(1)> **bold** $x$"):
        page.text_input(key="phrase").set_value(text).run()
        assert not page.exception and (page.error or page.info) and not has_steps(page)
        assert all("<img" not in element.value for element in page.markdown)
    page = open_page(model="dates", text="31 February 2020")
    assert "Outside its training" in words_on(page) and "31 forms" in page.warning[0].value


def test_each_translator_keeps_the_text_that_was_typed_for_it() -> None:
    page = open_page()
    page.text_input(key="phrase").set_value("the red house").run()
    page.selectbox(key="translator_box_phrases").set_value("dates").run()
    assert page.text_input(key="phrase").value == DEFAULT["dates"]
    page.selectbox(key="translator_box_dates").set_value("phrases").run()
    assert page.text_input(key="phrase").value == page.address["text"] == "the red house"


def test_a_checkpoint_translates_with_its_own_weights() -> None:
    names = checkpoint_names("phrases")
    page = open_page(model=names[0], training="1")
    written = load_translator(names[0]).generate(DEFAULT["phrases"])
    assert written.text in words_on(page)
    (slider,) = [data for data in payloads(page).values() if "stops" in data]
    assert (slider["current"], len(slider["stops"])) == (0, len(names))


@pytest.mark.parametrize(
    ("stack", "parameters"),
    [
        ("cross", {"forced": "0~un|1~chat", "how": "beam", "beams": "2"}),
        ("decoder", {"how": "sample", "temperature": "3", "seed": "4", "model": "phrases@200"}),
        ("encoder", {"model": "dates", "text": "3rd of May, 2019"}),
    ],
)
def test_the_calculator_shows_the_same_weights(stack: str, parameters: dict) -> None:
    page = open_page(stack=stack, layer="1", head="2", **parameters)
    own = view(page)[1]["left"][1, 2]
    links = [link.proto for link in page.get("page_link")]
    (step_by_step,) = [each for each in links if each.label == "This head step by step"]
    worked = calculator(**dict(parse_qsl(step_by_step.query_string)))
    assert not worked.warning
    # Masked cells are NaN in the view. The Calculator draws the first 16 queries.
    expect_weights(worked, np.nan_to_num(own[:16]), 0.51e-4)


@pytest.fixture(scope="module")
def t5(tmp_path_factory) -> str:
    root = tmp_path_factory.mktemp("external")
    return str(encoder_decoder_checkpoints.save("t5-gated", root / "t5-gated"))


def test_a_t5_folder_is_shown_without_notes_on_our_translators(t5):
    text = "the animal was it"
    page = open_page(model=t5, text=text, layer="2", head="1")
    written = load_translator(t5).generate(text, max_new_tokens=MAX_EXTERNAL_TOKENS)
    header, cross = decoding(page)
    np.testing.assert_allclose(cross, written.cross.weights[2, 1] * 40_000, atol=1)
    assert header["target"] == ["<pad>", *(token.strip() for token in written.tokens)]
    words = words_on(page)
    assert written.text in words and "cannot check its output" in words
    assert f"“{encoder_decoder_checkpoints.PREFIX.strip()}”. Without one" in words
    assert not page.warning


def test_a_head_that_a_stack_does_not_have_becomes_its_last(tmp_path):
    """The encoder of this Marian model has 3 layers x 2 heads, its decoder 2 x 4."""
    marian = str(encoder_decoder_checkpoints.save("marian", tmp_path / "marian"))
    page = open_page(model=marian, text="the dog", stack="encoder", layer="2", head="3")
    assert payloads(page)["state_capture"]["selection"]["left"] == [2, 1]
    assert "does not have “dog”" in words_on(page)
    page.button_group("stack").set_value("cross").run()
    assert payloads(page)["state_capture"]["selection"]["left"] == [1, 3]


def test_the_calculator_includes_the_position_bias_of_a_t5(t5):
    forced = {1: " book"}
    made = load_translator(t5)
    written = made.generate("it was", max_new_tokens=MAX_EXTERNAL_TOKENS, forced=forced)
    ask = {"stack": "decoder", "translator": t5, "source": "it was", "forced": "1~ book"}
    worked = calculator(mode="head", **ask, layer="1", head="2")
    expect_no_error(worked)
    shown = matrix(worked, "weights")
    np.testing.assert_allclose(shown, written.decoder.weights[1, 2][: len(shown)], atol=5e-5)


def test_a_model_that_cannot_be_loaded_is_explained(tmp_path, monkeypatch):
    assert "or a hub id" in words_on(open_page(model="<b>"))
    absent = open_page(model="owner/name")
    assert [button.label for button in absent.button if "Download" in button.label]
    monkeypatch.setattr(settings, "_settings", settings.Settings(any_model=False))
    assert "allows only the models of its list" in words_on(open_page(model=str(tmp_path)))
