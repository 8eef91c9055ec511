"""The Layers page with decoders: triangles, masks, and the logit lens."""

import math
from urllib.parse import parse_qsl

import numpy as np
import pytest

from model.analysis.depth import by_layer
from model.analysis.logit_lens import contributions, logit_lens
from tests.model import decoder_checkpoints
from tests.pages.figures import array, specs, trace, words_on, z
from tests.pages.test_layers import open_page
from tests.pages.visit import Visit
from web.cache import captures, loaded_models
from web.view_state.parameters import DEFAULT_TEXT

TEXT = "the animal was too"
MASKED = "The animal crossed the [MASK]."


@pytest.fixture(scope="module")
def mistral(tmp_path_factory) -> str:
    return str(decoder_checkpoints.save("mistral", tmp_path_factory.mktemp("layers") / "mistral"))


def open_beside(decoder: str, **address: str) -> Visit:
    return open_page(left=decoder, text=TEXT, **address)


@pytest.mark.parametrize("kind", ["mean", "norm"])
def test_masked_cells_are_nan(mistral, kind):
    page = open_beside(mistral, right=mistral, kind=kind, layer="2")
    capture = captures.capture(mistral, TEXT, None)
    expected = by_layer(loaded_models.loaded_model(mistral), capture, kind)[2]
    hidden = ~capture.allowed[2]
    shown = z(page, 0)
    assert np.isnan(shown[hidden]).all() and hidden.any()
    np.testing.assert_allclose(shown[~hidden], expected[~hidden], atol=1e-6)


def test_a_difference_is_drawn_only_where_both_masks_allow(mistral):
    page = open_beside(mistral, right="minilm", part="difference", against="model", special="hide")
    shown = z(page, 0)
    later = ~np.tri(len(shown), dtype=bool)
    assert np.isnan(shown[later]).all() and np.isfinite(shown.diagonal()).all()
    assert "Grey: the mask of" in words_on(page)


def test_a_profile_has_a_maximum_per_side_and_names_missing_measures(mistral):
    page = open_beside(mistral, right="minilm", part="profile")
    ours, theirs = (array(trace(page, 0, i)["y"]) for i in (0, 1))
    n_tokens, n_theirs = (
        len(captures.capture(each, TEXT, None).tokens) for each in (mistral, "minilm")
    )
    n_visible = np.minimum(np.arange(1, n_tokens + 1), decoder_checkpoints.WINDOW)
    np.testing.assert_allclose(ours, [np.log(n_visible).mean()] * 3)
    np.testing.assert_allclose(theirs, [math.log(n_theirs)] * 6)
    assert "itself and to earlier tokens" in words_on(page)
    without_sep = open_beside(mistral, right="minilm", part="profile", measure="sep")
    assert "“On [SEP]” does not apply to" in words_on(without_sep)
    first = open_beside(mistral, right="minilm", part="profile", measure="first")
    assert "does not apply to minilm" in words_on(first)


def test_a_decoders_lens_is_at_its_last_token_and_its_parts_sum_to_the_logit(mistral):
    page = open_beside(mistral, right="minilm", part="lens")
    model = loaded_models.loaded_model(mistral)
    capture = captures.capture(mistral, TEXT, None)
    lens = logit_lens(model, TEXT)
    np.testing.assert_allclose(z(page, 0), lens.probabilities[:, -16:, 0], atol=1e-6)
    last = len(capture.tokens) - 1
    parts = contributions(model, capture, lens, last, int(lens.ids[-1, -1, 0]))
    both = np.column_stack([parts.heads, parts.feed_forward])
    np.testing.assert_allclose(z(page, 1), both, atol=1e-5)
    words = words_on(page)
    assert f"together **{parts.total:.3f}**. The model's logit: **{parts.logit:.3f}**" in words
    assert "minilm has no language head" in words
    page.selectbox(key="lens_at_box").set_value(3).run()
    page.selectbox(key="lens_depth_box").set_value(1).run()
    token = int(lens.ids[1, 3, 0])
    page.selectbox(key="lens_token_box").set_value(token).run()
    assert {"at": "3", "depth": "1", "token": str(token)}.items() <= page.address.items()
    parts = contributions(model, capture, lens, 3, token)
    np.testing.assert_allclose(z(page, 1)[:, :-1], parts.heads, atol=1e-5)


def test_a_masked_models_lens_is_at_its_mask_and_a_link_restores_it():
    view = {"text": MASKED, "left": "minilm", "right": "scratch", "layer": "3", "head": "1"}
    page = open_page(part="lens", **view)
    lens = logit_lens(loaded_models.loaded_model("scratch"), MASKED)
    np.testing.assert_allclose(z(page, 0), lens.probabilities[:, :, 0], atol=1e-6)
    assert "MASK" in words_on(page) and "read early rows with care" in words_on(page)
    linked = {**view, "part": "lens", "depth": "2", "at": "4", "token": "2004"}
    assert open_page(**linked).address == linked


def test_a_link_hides_the_token_of_the_lens():
    page = open_page(part="lens", left="scratch", right="minilm", at="11")
    (hide,) = page.get("page_link")
    assert hide.proto.label.replace("\\", "") == "Hide “was” behind [MASK]"
    page = open_page(**dict(parse_qsl(hide.proto.query_string)))
    assert page.text_input(key="text").value == DEFAULT_TEXT.replace("was", "[MASK]")
    assert page.selectbox(key="lens_at_box").value == 11
    assert not page.get("page_link")


def test_the_lens_needs_a_model_with_a_language_head():
    page = open_page(part="lens", left="minilm", right="scratch-untrained")
    assert "Choose scratch, smollm2, bert-base-uncased" in words_on(page) and not specs(page)
    page = open_page(part="lens", left="scratch", right="scratch@0", token="9999999")
    page.button_group(key="lens_side").set_value("right").run()
    assert not page.exception and page.address["whose"] == "right"
