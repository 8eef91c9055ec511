"""Part Masks of the Decoder page, in an AppTest."""

import re

import numpy as np
import pytest
import torch

from model import causal_mask, load_model
from model.analysis.masking import read_tokens, run_masked
from model.transformer import masks
from pages.decoder.mask_spec import MASK_NAMES, pack_mask, unpack_mask
from pages.decoder.url import Masks
from tests.model import decoder_checkpoints
from tests.pages import visit
from tests.pages.figures import payloads, words_on, z
from tests.pages.visit import Visit
from web.view_state.parameters import DEFAULT_TEXT

N = 16  # tokens of the default sentence


def open_page(**address: str) -> Visit:
    return visit.open_page("decoder", **{"part": "masks", **address})


def grid(page: Visit) -> dict:
    return payloads(page)["mask_grid"]


def cells(page: Visit) -> torch.Tensor:
    return torch.tensor([[cell == "1" for cell in row] for row in grid(page)["rows"]])


def expected_weights(mask: torch.Tensor | None) -> np.ndarray:
    model = load_model("scratch")
    run = run_masked(model, read_tokens(model, DEFAULT_TEXT, 64, 0), DEFAULT_TEXT, mask)
    return run.capture.weights[2, 0]


def test_each_part_can_be_chosen_after_another(tmp_path) -> None:
    page = open_page(part="translate")
    page.session_state["g_model"] = str(decoder_checkpoints.save("llama", tmp_path / "llama"))
    for part in ("generate", "masks", "generate", "translate"):
        page.button_group(key="decoder_part").set_value(part).run()
        assert not page.exception
        assert page.button_group(key="decoder_part").value == page.address["part"] == part


def test_the_default_shows_weights_before_and_after_the_causal_mask() -> None:
    page = open_page()
    shown = {"part": "masks", "text": DEFAULT_TEXT, "mask": "causal", "layer": "2", "head": "0"}
    assert page.address == shown
    assert cells(page).equal(causal_mask(N))
    np.testing.assert_array_equal(z(page, "before"), expected_weights(None))
    after = z(page, "after")
    np.testing.assert_array_equal(np.isnan(after), ~causal_mask(N).numpy())
    np.testing.assert_array_equal(np.nan_to_num(after), expected_weights(causal_mask(N)))
    assert "The mask hides 120 of 256 cells" in words_on(page)
    assert "With the mask, they **stay the same**. So a model can learn" in words_on(page)
    page.toggle(key="inverted").set_value(True).run()
    assert cells(page).equal(~causal_mask(N))
    assert "The mask leaks: **93.8%** of all heads' weight is on later words." in words_on(page)


def test_every_mask_hides_its_cells_and_rows_sum_to_1() -> None:
    assert cells(open_page(mask="window", reach="1")).equal(masks.sliding_window(N, 1))
    for mask in MASK_NAMES:
        page = open_page(mask=mask)
        assert not page.error and not page.warning
        upright, shown = cells(page), z(page, "after")
        np.testing.assert_array_equal(np.isnan(shown), ~upright.numpy())
        np.testing.assert_allclose(np.nan_to_num(shown).sum(axis=-1), 1, atol=1e-5)


def test_padding_follows_the_sentence_and_gets_all_weight_when_inverted() -> None:
    page = open_page(mask="padding", pads="2")
    assert grid(page)["labels"][-2:] == ["[PAD]₁", "[PAD]₂"]
    assert cells(page)[:, :N].all() and not cells(page)[:, N:].any()
    page.toggle(key="inverted").set_value(True).run()
    assert "**100.0%** is on [PAD]" in words_on(page)


def test_queries_without_keys_are_named_and_attend_to_themselves() -> None:
    page = open_page(mask="none", inverted="1")
    assert "The mask hides 256 of 256 cells" in words_on(page)
    assert "No key is allowed for **[CLS], " in words_on(page)
    np.testing.assert_array_equal(np.nan_to_num(z(page, "after")), np.eye(N))


def test_a_drawn_mask_comes_from_the_url_and_fits_one_length_only() -> None:
    mask = masks.sliding_window(N, 1)
    mask[3, 9] = True
    page = open_page(mask="drawn", pads="0", cells=pack_mask(mask))
    assert cells(page).equal(mask) and page.address["cells"] == pack_mask(mask)
    page.text_input(key="text").set_value("one two").run()
    assert "drawn mask is for 16 tokens, but the sentence now has 4" in words_on(page)
    assert cells(page).all()


def test_a_mask_survives_packing_and_malformed_masks_are_rejected() -> None:
    for n in (1, 2, 3, 16, 64):
        mask = torch.rand(n, n, generator=torch.Generator().manual_seed(n)) < 0.5
        assert unpack_mask(pack_mask(mask)).equal(mask)
        assert re.fullmatch(r"[\w.-]+", pack_mask(mask))
    for wrong in ("", "16.", "16.AAAA", "x.AA", "0.", "99.AAAA", "3.???", "-1.AA"):
        with pytest.raises(ValueError):
            unpack_mask(wrong)


def test_each_method_is_compared_with_the_exact_weights() -> None:
    exact = expected_weights(None)
    for method in Masks.method.options:
        page = open_page(mask="efficient", method=method)
        assert not page.error and not page.warning and page.address["method"] == method
        np.testing.assert_array_equal(z(page, "exact"), exact)
        off = np.linalg.norm(z(page, "approximate") - exact) / np.linalg.norm(exact)
        assert f"a relative error ‖A′ − A‖ / ‖A‖ of {off:.4f}." in words_on(page)


def test_a_link_to_the_former_part_of_efficient_attention_restores_its_view() -> None:
    page = open_page(part="efficient", method="window", reach="1", layer="3", head="4")
    assert not page.warning and "With Window, a program can do with 46 products" in words_on(page)
    assert (z(page, "approximate") != 0).sum() == 46
    shown = {"part": "masks", "mask": "efficient", "method": "window", "reach": "1"}
    assert page.address == {**shown, "text": DEFAULT_TEXT, "layer": "3", "head": "4"}
    page.selectbox(key="mask_kind").set_value("window").run()
    assert cells(page).equal(masks.sliding_window(N, 1)) and "method" not in page.address


def test_values_of_other_pages_are_ignored() -> None:
    page = Visit("decoder", part="masks")
    for key, value in {"part": "profile", "form": "x", "drawn": True, "kind": "alibi"}.items():
        page.session_state[key] = value
    page.run()
    assert not page.exception and not page.warning
    assert (page.address["layer"], page.address["head"]) == ("2", "0")


def test_empty_short_and_very_long_texts_are_handled() -> None:
    assert "Type a sentence" in words_on(open_page(text=" "))
    page = open_page(text="ab " * 6_000)
    assert "The sentence is cut after 64 tokens" in words_on(page)
    assert cells(page).shape == (64, 64)
