"""Part Translate of the Decoder page, in an AppTest."""

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
from tests.model import encoder_decoder_checkpoints
from tests.pages.conftest import first_visit
from tests.pages.figures import figure
from tests.pages.test_calculator import expect_no_error, matrix
from tests.pages.test_calculator import open_page as calculator
from tests.viz.test_canvas import unpack
from web import settings
from web.widgets.translators import DEFAULT, MAX_EXTERNAL_TOKENS, read_forced, write_forced

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


def texts_on(page: AppTest) -> str:
    """All texts on the page, without Markdown escapes."""
    kinds = ["markdown", "caption", "info", "warning", "error"]
    words = "\n".join(str(element.value) for kind in kinds for element in page.get(kind))
    return words.replace("\\", "").replace("&#58;", ":")


def decoding(page: AppTest) -> tuple[dict, np.ndarray, np.ndarray]:
    """Payload of the step view: the header, cross-attention, masked self-attention."""
    (found,) = [node for node in page.get("bidi_component") if node.key == "decoding"]
    header, cells = unpack(found.proto.bytes)
    rows, columns = header["rows"], len(header["source"])
    cross = cells[: rows * columns].reshape(rows, columns)
    return header, cross, cells[rows * columns :].reshape(rows, rows)


def test_the_default_is_a_correct_translation() -> None:
    page = open_page()
    assert FRENCH in texts_on(page)
    assert "correct by the rule" in texts_on(page)
    header, _, _ = decoding(page)
    assert header["source"] == ["the", "blue", "flower", "is", "not", "small", "</s>"]
    assert header["target"][:4] == ["<s>", "la", "fleur", "bleue"]
    assert header["beams"] is None


def test_the_step_view_shows_the_tokens_and_weights_of_the_model() -> None:
    page = open_page(layer="0", head="2")
    header, cross, decoder = decoding(page)
    written = load_model("phrases").generate(DEFAULT["phrases"])
    np.testing.assert_allclose(cross, written.cross.weights[0, 2] * 10_000, atol=0.51)
    np.testing.assert_allclose(decoder, written.decoder.weights[0, 2] * 10_000, atol=0.51)
    assert [step["written"] for step in header["steps"]] == list(written.tokens)
    for sent, step in zip(header["steps"], written.steps, strict=True):
        assert [(top["token"], top["probability"]) for top in sent["top"]] == list(step.top_k[:6])


def test_the_mean_over_heads_replaces_the_head() -> None:
    _, cross, _ = decoding(open_page(layer="1", mean="1"))
    written = load_model("phrases").generate(DEFAULT["phrases"])
    np.testing.assert_allclose(cross, written.cross.weights[1].mean(axis=0) * 10_000, atol=0.51)


def test_a_forced_token_is_kept_until_it_is_removed() -> None:
    page = open_page(text="the blue flower", forced="0~un")
    header, _, _ = decoding(page)
    assert header["target"][1] == "un"
    assert "Forced: “un” at step 1." in texts_on(page)
    assert decoding(open_page(text="the blue flower"))[0]["target"][1] == "la"
    (button,) = [each for each in page.button if each.label == "Remove the forced tokens"]
    button.click().run()
    assert not page.exception
    assert decoding(page)[0]["target"][1] == "la"
    assert "forced" not in address(page)


@pytest.mark.parametrize(
    "forced",
    [
        [(0, "un"), (3, "n'")],
        [(0, " |")],
        [(0, " Paris"), (3, "<|im_end|>"), (7, "~%7C"), (12, "\n")],
    ],
)
def test_forced_tokens_survive_a_round_trip_through_the_url(forced: list[tuple[int, str]]) -> None:
    assert read_forced(write_forced(forced)) == forced


def test_urls_written_before_the_escape_are_still_read() -> None:
    assert read_forced("0~un|3~n'|4~100%|5~a~b") == [(0, "un"), (3, "n'"), (4, "100%"), (5, "a~b")]


@pytest.mark.parametrize("broken", ["0", "0~", "~un", "x~un", "-1~un"])
def test_malformed_forced_tokens_are_rejected(broken: str) -> None:
    with pytest.raises(ValueError):
        read_forced(broken)


def test_beam_search_lists_kept_and_dropped_hypotheses() -> None:
    page = open_page(how="beam", beams="3")
    header, _, _ = decoding(page)
    written = load_model("phrases").generate(DEFAULT["phrases"], beams=3)
    first = header["beams"][0]
    assert [each["kept"] for each in first] == [True] * 3 + [False] * 3
    sums = [each.log_probability for each in written.search[0].kept]
    found = [float(each["printed"].replace("−", "-")) for each in first[:3]]
    assert found == pytest.approx(sums, rel=0.6, abs=5e-4)
    total = sum(math.log(step.probability) for step in written.steps)
    nats = f"{total:.0e}".replace("-", "−")
    assert f"Beam search with 3: “{FRENCH}”, {nats}" in texts_on(page)


def test_sampling_is_repeatable_and_shows_both_probabilities() -> None:
    sampling = {"how": "sample", "temperature": "2", "seed": "5", "top_k": "4"}
    first, again = decoding(open_page(**sampling))[0], decoding(open_page(**sampling))[0]
    assert first["target"] == again["target"]
    assert "→" in first["steps"][0]["top"][0]["printed"]


def test_unknown_words_are_named_beside_the_vocabulary() -> None:
    page = open_page(text="the dragon eats a zebra")
    assert "dragon, zebra" in texts_on(page)
    assert any("English words of phrases" in expander.label for expander in page.expander)


def test_an_unknown_construction_is_outside_the_training() -> None:
    page = open_page(text="flower the blue is")
    assert "Outside its training" in texts_on(page)


@pytest.mark.parametrize(
    ("text", "message"),
    [("31 February 2020", "February"), ("29 February 2019", "2019"), ("03/05/2019", "")],
)
def test_an_impossible_or_ambiguous_date_is_refused(text: str, message: str) -> None:
    page = open_page(model="dates", text=text)
    assert page.error and message in page.error[0].value
    assert "would be a guess" in texts_on(page)
    assert not [node for node in page.get("bidi_component") if node.key == "decoding"]


def test_dates_are_tokenized_into_letters() -> None:
    page = open_page(model="dates", text="3rd of May, 2019")
    assert "2019-05-03" in texts_on(page)
    assert f"dates from {FIRST.year} to {LAST.year}" in texts_on(page)
    assert decoding(page)[0]["source"][:4] == ["3", "r", "d", "␣"]


@pytest.mark.parametrize("text", ["", "   ", "a" * 100_000, "😀", "the"])
def test_bad_input_is_explained(text: str) -> None:
    page = open_page(text=text)
    assert page.error or page.info or "Outside its training" in texts_on(page)


def test_each_translator_keeps_the_text_that_was_typed_for_it() -> None:
    page = open_page()
    page.text_input(key="phrase").set_value("the red house").run()
    page.selectbox(key="translator_box_phrases").set_value("dates").run()
    assert page.text_input(key="phrase").value == DEFAULT["dates"]
    page.selectbox(key="translator_box_dates").set_value("phrases").run()
    assert page.text_input(key="phrase").value == "the red house"
    assert address(page)["text"] == "the red house"


def test_a_checkpoint_translates_with_its_own_weights() -> None:
    early = checkpoint_names("phrases")[0]
    page = open_page(model=early)
    text = load_translator(early).generate(DEFAULT["phrases"]).text
    assert text in texts_on(page) and text != FRENCH
    (slider,) = [
        data
        for node in page.get("bidi_component")
        if node.proto.json and "stops" in (data := json.loads(node.proto.json)[0])
    ]
    assert slider["current"] == 0
    assert len(slider["stops"]) == len(checkpoint_names("phrases"))


def test_a_translation_that_reaches_the_limit_shows_a_warning() -> None:
    page = open_page(model=checkpoint_names("phrases")[0])
    written = load_translator(checkpoint_names("phrases")[0]).generate(DEFAULT["phrases"])
    assert (written.ending == "full") == ("tokens stopped the model" in texts_on(page))


@pytest.mark.parametrize("name", ["how", "stack", "layer", "forced", "beams", "part"])
def test_unknown_url_values_fall_back_with_a_notice(name: str) -> None:
    page = open_page(**{"how": "beam", name: "<b>"})
    assert page.warning
    assert FRENCH in texts_on(page)


def test_a_text_is_never_interpreted_as_markup() -> None:
    page = open_page(text="<img src=x onerror=alert(1)> **bold** $x$")
    assert all("<img" not in element.value for element in page.markdown)


def heatmap(page: AppTest) -> dict:
    """Cells of the heatmap in the Plotly payload."""
    return figure(page, "stack_heatmap").spec["data"][0]["z"]


def test_all_three_stacks_are_shown() -> None:
    for stack, shape in (("cross", "8, 7"), ("decoder", "8, 8"), ("encoder", "7, 7")):
        assert heatmap(open_page(stack=stack))["shape"] == shape


# -- links to the Calculator ---------------------------------------------------------------------


def in_calculator(page: AppTest, label: str) -> AppTest:
    """Follow a link to the Calculator."""
    (link,) = [node.proto for node in page.get("page_link") if node.proto.label == label]
    assert link.page.endswith("calculator")
    return calculator(**dict(parse_qsl(link.query_string)))


@pytest.mark.parametrize(
    "parameters",
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
def test_the_calculator_shows_the_same_weights(parameters: dict, stack: str) -> None:
    page = open_page(stack=stack, layer="1", head="2", **parameters)
    calculator_page = in_calculator(page, "This head step by step")
    expect_no_error(calculator_page)
    assert not calculator_page.warning
    chart = heatmap(page)
    shown = matrix(calculator_page, "weights")
    own = np.frombuffer(base64.b64decode(chart["bdata"]), chart["dtype"])
    own = own.reshape([int(n) for n in chart["shape"].split(",")])
    # Masked cells are NaN in the heatmap. The Calculator draws the first 16 queries.
    np.testing.assert_allclose(shown, np.nan_to_num(own[:16]), atol=1e-6)


# -- uncatalogued translators --------------------------------------------------------------------


@pytest.fixture(scope="module")
def external(tmp_path_factory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("external")
    return {
        family: str(encoder_decoder_checkpoints.save(family, root / family))
        for family in ("t5-gated", "marian")
    }


def test_a_t5_folder_is_shown_without_notes_on_our_translators(external):
    folder = external["t5-gated"]
    page = open_page(model=folder, text="the animal was it", layer="2", head="1")
    written = load_translator(folder).generate(
        "the animal was it", max_new_tokens=MAX_EXTERNAL_TOKENS
    )
    header, cross, decoder = decoding(page)
    np.testing.assert_allclose(cross, written.cross.weights[2, 1] * 10_000, atol=0.51)
    np.testing.assert_allclose(decoder, written.decoder.weights[2, 1] * 10_000, atol=0.51)
    assert header["source"][:2] == ["the", "animal"]
    assert header["target"] == ["<pad>", *(token.strip() for token in written.tokens)]
    words = texts_on(page)
    assert written.text in words
    assert f"“{encoder_decoder_checkpoints.PREFIX.strip()}”. Without one" in words
    assert "cannot check its output" in words
    for only_ours in ("by the rule", "Outside its training", "in the present"):
        assert only_ours not in words
    assert not [button for button in page.button if "Watch it learn" in button.label]
    assert address(page)["model"] == folder
    with_prefix = open_page(model=folder, text=f"{encoder_decoder_checkpoints.PREFIX}it was")
    assert "Without one" not in texts_on(with_prefix)


def test_each_stack_offers_its_own_layers_and_heads(external):
    """The encoder of this Marian model has 3 layers x 2 heads, its decoder 2 x 4."""
    page = open_page(model=external["marian"], text="the dog", stack="encoder", layer="2", head="1")
    assert (page.selectbox("t_layer").value, page.selectbox("t_head").value) == (2, 1)
    assert len(page.selectbox("t_head").options) == 2
    assert "does not have “dog”" in texts_on(page)
    page.button_group("stack").set_value("cross").run()
    assert len(page.selectbox("t_head").options) == 4
    assert page.selectbox("t_layer").value == 1  # the decoder's last layer


def test_the_calculator_includes_the_position_bias_of_a_t5(external):
    folder, text = external["t5-gated"], "it was"
    written = load_translator(folder).generate(
        text, max_new_tokens=MAX_EXTERNAL_TOKENS, forced={1: " book"}
    )
    ask = {"stack": "decoder", "translator": folder, "source": text}
    worked = calculator(mode="head", **ask, forced="1~ book", layer="1", head="2")
    weights = written.decoder.head(1, 2).weights
    shown = matrix(worked, "weights")
    np.testing.assert_allclose(shown, weights[: len(shown)], atol=5e-5)


def test_a_model_that_cannot_be_loaded_is_explained(tmp_path, monkeypatch):
    assert "or a hub id" in texts_on(open_page(model="<b>"))
    absent = open_page(model="owner/name")
    assert "is not on this machine yet" in texts_on(absent)
    assert [button.label for button in absent.button if "Download" in button.label]
    monkeypatch.setattr(settings, "_settings", settings.Settings(any_model=False))
    assert "allows only the models of its list" in texts_on(open_page(model=str(tmp_path)))


def test_the_url_contains_the_open_training_section() -> None:
    page = open_page()
    page.button(key="fold_learning").click().run()
    assert address(page)["training"] == "1"
    again = open_page(training="1")
    assert again.button(key="fold_learning").label == "Hide the training"
    again.button(key="fold_learning").click().run()
    assert "training" not in address(again)
