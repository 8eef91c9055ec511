"""Part Translate of the Decoder page, in an AppTest."""

import math
from functools import partial
from urllib.parse import parse_qsl

import numpy as np
import pytest

from model import load_model
from model.catalogue.models import load_translator
from model.catalogue.names import checkpoint_names
from model.languages.dates import FIRST, LAST
from tests.model import encoder_decoder_checkpoints
from tests.pages import visit
from tests.pages.figures import payloads, words_on, z
from tests.pages.test_calculator import expect_no_error, expect_weights, matrix
from tests.pages.test_calculator import open_page as calculator
from tests.pages.visit import Visit
from tests.viz.test_canvas import unpack
from web import settings
from web.widgets.translators import DEFAULT, MAX_EXTERNAL_TOKENS, read_forced, write_forced

FRENCH = "la fleur bleue n'est pas petite"

open_page = partial(visit.open_page, "decoder")


def has_steps(page: Visit) -> bool:
    return "decoding" in [node.key for node in page.get("bidi_component")]


def decoding(page: Visit) -> tuple[dict, np.ndarray, np.ndarray]:
    """Payload of the step view: the header, cross-attention, masked self-attention."""
    assert not page.exception
    (found,) = [node for node in page.get("bidi_component") if node.key == "decoding"]
    header, cells = unpack(found.proto.bytes)
    rows, columns = header["rows"], len(header["source"])
    cross = cells[: rows * columns].reshape(rows, columns)
    return header, cross, cells[rows * columns :].reshape(rows, rows)


def test_the_step_view_shows_the_tokens_and_weights_of_the_model() -> None:
    page = open_page(layer="0", head="2")
    assert FRENCH in words_on(page) and "correct by the rule" in words_on(page)
    header, cross, decoder = decoding(page)
    assert header["source"] == ["the", "blue", "flower", "is", "not", "small", "</s>"]
    assert header["target"][:4] == ["<s>", "la", "fleur", "bleue"]
    assert header["beams"] is None
    written = load_model("phrases").generate(DEFAULT["phrases"])
    np.testing.assert_allclose(cross, written.cross.weights[0, 2] * 10_000, atol=0.51)
    np.testing.assert_allclose(decoder, written.decoder.weights[0, 2] * 10_000, atol=0.51)
    assert [step["written"] for step in header["steps"]] == list(written.tokens)
    for sent, step in zip(header["steps"], written.steps, strict=True):
        assert [(top["token"], top["probability"]) for top in sent["top"]] == list(step.top_k[:6])
    _, mean, _ = decoding(open_page(layer="1", mean="1"))
    np.testing.assert_allclose(mean, written.cross.weights[1].mean(axis=0) * 10_000, atol=0.51)


def test_a_forced_token_is_kept_until_it_is_removed() -> None:
    page = open_page(text="the blue flower", forced="0~un")
    assert decoding(page)[0]["target"][1] == "un"
    assert "Forced: “un” at step 1." in words_on(page)
    (button,) = [each for each in page.button if each.label == "Remove the forced tokens"]
    button.click().run()
    assert decoding(page)[0]["target"][1] == "la" and "forced" not in page.address


def test_forced_tokens_survive_a_round_trip_through_the_url() -> None:
    for forced in (
        [(0, "un"), (3, "n'")],
        [(0, " |")],
        [(0, " Paris"), (3, "<|im_end|>"), (7, "~%7C"), (12, "\n")],
    ):
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
    total = sum(math.log(step.probability) for step in written.steps)
    nats = f"{total:.0e}".replace("-", "−")
    assert f"Beam search with 3: “{FRENCH}”, {nats}" in words_on(page)


def test_sampling_is_repeatable_and_shows_both_probabilities() -> None:
    sampling = {"how": "sample", "temperature": "2", "seed": "5", "top_k": "4"}
    first, again = decoding(open_page(**sampling))[0], decoding(open_page(**sampling))[0]
    assert first["target"] == again["target"]
    assert "→" in first["steps"][0]["top"][0]["printed"]


def test_what_a_translator_cannot_know_is_explained() -> None:
    page = open_page(text="the dragon eats a zebra")
    assert "dragon, zebra" in words_on(page) and not has_steps(page)
    assert any("English words of phrases" in expander.label for expander in page.expander)
    page.text_input(key="phrase").set_value("flower the blue is").run()
    assert "Outside its training" in words_on(page) and has_steps(page)
    for text in ("", "   ", "a" * 100_000, "😀", "<img src=x onerror=alert(1)> **bold** $x$"):
        page.text_input(key="phrase").set_value(text).run()
        assert not page.exception and (page.error or page.info) and not has_steps(page)
        assert all("<img" not in element.value for element in page.markdown)
    for text, message in {"31 February 2020": "February", "29 February 2019": "2019"}.items():
        page = open_page(model="dates", text=text)
        assert message in page.error[0].value and "would be a guess" in words_on(page)
    page = open_page(model="dates", text="03/05/2019")
    assert "would be a guess" in words_on(page) and not has_steps(page)


def test_dates_are_tokenized_into_letters() -> None:
    page = open_page(model="dates", text="3rd of May, 2019")
    assert "2019-05-03" in words_on(page)
    assert f"dates from {FIRST.year} to {LAST.year}" in words_on(page)
    assert decoding(page)[0]["source"][:4] == ["3", "r", "d", "␣"]


def test_each_translator_keeps_the_text_that_was_typed_for_it() -> None:
    page = open_page()
    page.text_input(key="phrase").set_value("the red house").run()
    page.selectbox(key="translator_box_phrases").set_value("dates").run()
    assert page.text_input(key="phrase").value == DEFAULT["dates"]
    page.selectbox(key="translator_box_dates").set_value("phrases").run()
    assert page.text_input(key="phrase").value == page.address["text"] == "the red house"


def test_a_checkpoint_translates_with_its_own_weights() -> None:
    names = checkpoint_names("phrases")
    page = open_page(model=names[0])
    written = load_translator(names[0]).generate(DEFAULT["phrases"])
    assert written.text in words_on(page) and written.text != FRENCH
    assert (written.ending == "full") == ("tokens stopped the model" in words_on(page))
    (slider,) = [data for data in payloads(page).values() if "stops" in data]
    assert (slider["current"], len(slider["stops"])) == (0, len(names))


def test_the_training_section_opens_on_request_and_from_its_link() -> None:
    page = open_page()
    page.button(key="fold_learning").click().run()
    assert page.address["training"] == "1"
    page = open_page(training="1")
    assert page.button(key="fold_learning").label == "Hide the training"
    page.button(key="fold_learning").click().run()
    assert "training" not in page.address


def test_unknown_values_in_a_link_give_notices_and_the_defaults() -> None:
    for how in ("beam", "<b>"):
        wrong = dict.fromkeys(("stack", "layer", "forced", "beams", "part"), "<b>")
        page = open_page(**wrong, how=how)
        assert all(f"{name} = " in words_on(page) for name in wrong)
        assert FRENCH in words_on(page)


def in_calculator(page: Visit) -> Visit:
    """Follow the link to the Calculator."""
    (link,) = [each for each in page.get("page_link") if each.proto.label == STEP_BY_STEP]
    assert link.proto.page.endswith("calculator")
    return calculator(**dict(parse_qsl(link.proto.query_string)))


STEP_BY_STEP = "This head step by step"


@pytest.mark.parametrize(
    ("stack", "parameters"),
    [
        ("cross", {"forced": "0~un|1~chat"}),
        ("decoder", {"how": "sample", "temperature": "3", "seed": "4"}),
        ("encoder", {"model": "dates", "text": "3rd of May, 2019"}),
        ("cross", {"how": "beam", "beams": "2", "text": "some red apples"}),
        ("decoder", {"model": "phrases@200"}),
    ],
)
def test_the_calculator_shows_the_same_weights(stack: str, parameters: dict) -> None:
    page = open_page(stack=stack, layer="1", head="2", **parameters)
    own = z(page, "stack_heatmap")
    header = decoding(page)[0]
    rows, columns = header["rows"], len(header["source"])
    shapes = {"cross": (rows, columns), "decoder": (rows, rows), "encoder": (columns, columns)}
    assert own.shape == shapes[stack]
    worked = in_calculator(page)
    assert not worked.warning
    # Masked cells are NaN in the heatmap. The Calculator draws the first 16 queries.
    expect_weights(worked, np.nan_to_num(own[:16]))


@pytest.fixture(scope="module")
def external(tmp_path_factory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("external")
    return {
        family: str(encoder_decoder_checkpoints.save(family, root / family))
        for family in ("t5-gated", "marian")
    }


def test_a_t5_folder_is_shown_without_notes_on_our_translators(external):
    folder, text = external["t5-gated"], "the animal was it"
    page = open_page(model=folder, text=text, layer="2", head="1")
    written = load_translator(folder).generate(text, max_new_tokens=MAX_EXTERNAL_TOKENS)
    header, cross, decoder = decoding(page)
    np.testing.assert_allclose(cross, written.cross.weights[2, 1] * 10_000, atol=0.51)
    np.testing.assert_allclose(decoder, written.decoder.weights[2, 1] * 10_000, atol=0.51)
    assert header["source"][:2] == ["the", "animal"]
    assert header["target"] == ["<pad>", *(token.strip() for token in written.tokens)]
    words = words_on(page)
    assert written.text in words and "cannot check its output" in words
    assert f"“{encoder_decoder_checkpoints.PREFIX.strip()}”. Without one" in words
    for only_ours in ("by the rule", "Outside its training", "in the present"):
        assert only_ours not in words
    assert not [button for button in page.button if "Watch it learn" in button.label]
    assert page.address["model"] == folder
    with_prefix = open_page(model=folder, text=f"{encoder_decoder_checkpoints.PREFIX}it was")
    assert "Without one" not in words_on(with_prefix)


def test_each_stack_offers_its_own_layers_and_heads(external):
    """The encoder of this Marian model has 3 layers x 2 heads, its decoder 2 x 4."""
    page = open_page(model=external["marian"], text="the dog", stack="encoder", layer="2", head="1")
    assert (page.selectbox("t_layer").value, page.selectbox("t_head").value) == (2, 1)
    assert len(page.selectbox("t_head").options) == 2
    assert "does not have “dog”" in words_on(page)
    page.button_group("stack").set_value("cross").run()
    assert len(page.selectbox("t_head").options) == 4
    assert page.selectbox("t_layer").value == 1  # the decoder's last layer


def test_the_calculator_includes_the_position_bias_of_a_t5(external):
    folder, text = external["t5-gated"], "it was"
    written = load_translator(folder).generate(
        text, max_new_tokens=MAX_EXTERNAL_TOKENS, forced={1: " book"}
    )
    ask = {"stack": "decoder", "translator": folder, "source": text, "forced": "1~ book"}
    worked = calculator(mode="head", **ask, layer="1", head="2")
    expect_no_error(worked)
    shown = matrix(worked, "weights")
    expected = written.decoder.head(1, 2).weights[: len(shown)]
    np.testing.assert_allclose(shown, expected, atol=5e-5)


def test_a_model_that_cannot_be_loaded_is_explained(tmp_path, monkeypatch):
    assert "or a hub id" in words_on(open_page(model="<b>"))
    absent = open_page(model="owner/name")
    assert "is not on this machine yet" in words_on(absent)
    assert [button.label for button in absent.button if "Download" in button.label]
    monkeypatch.setattr(settings, "_settings", settings.Settings(any_model=False))
    assert "allows only the models of its list" in words_on(open_page(model=str(tmp_path)))
