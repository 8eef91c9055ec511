"""Parts Masks and Efficient attention of the Decoder page, in an AppTest."""

import base64
import json
import re
from itertools import pairwise

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import causal_mask, load_model
from model.analysis.masking import read_tokens, run_masked
from model.transformer import masks
from pages.decoder.mask_spec import MASK_KINDS, pack_mask, unpack_mask
from pages.decoder.url import PARTS, SIZE_KEYS
from tests.pages.conftest import first_visit
from tests.pages.figures import figure
from web.view_state.parameters import DEFAULT_TEXT

N = 16
"""Tokens of the default sentence."""


def open_page(**address: str) -> AppTest:
    page = first_visit("decoder")
    for name, value in {"part": "masks", **address}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def test_each_part_can_be_chosen_from_each_other():
    page = open_page(part="translate")
    order = "translate generate translate masks translate efficient generate masks generate "
    order += "efficient masks efficient translate"
    parts = order.split()
    assert len(set(pairwise(parts))) == len(PARTS) * (len(PARTS) - 1)
    for part in parts[1:]:
        page.button_group(key="decoder_part").set_value(part).run()
        assert not page.exception
        assert page.button_group(key="decoder_part").value == part
        assert address(page)["part"] == part


def marked(page: AppTest) -> str:
    """The part of the model that the strip marks."""
    (strip,) = (each.proto.body for each in page.get("html") if "You are here" in each.proto.body)
    return re.search(r'aria-current="true">(\w+)<', strip)[1]


def test_the_strip_marks_what_the_open_part_shows():
    page = open_page(part="masks")
    assert marked(page) == "Score"
    page.button_group(key="decoder_part").set_value("generate").run()
    assert marked(page) == "Output"


def address(page: AppTest) -> dict[str, str]:
    return {
        name: values if isinstance(values, str) else values[0]
        for name, values in page.query_params.items()
    }


def texts_on(page: AppTest) -> str:
    """All texts on the page, without Markdown escapes."""
    kinds = ["markdown", "caption", "success", "info", "warning", "error"]
    words = "\n".join(str(element.value) for kind in kinds for element in page.get(kind))
    return words.replace("\\", "").replace("&#58;", ":")


def z(page: AppTest, key: str) -> np.ndarray:
    """Values of the first trace of a chart."""
    values = figure(page, key).spec["data"][0]["z"]
    flat = np.frombuffer(base64.b64decode(values["bdata"]), dtype=f"<{values['dtype']}")
    return flat.reshape([int(n) for n in values["shape"].split(",")])


def grid(page: AppTest) -> dict:
    """Data of the mask component."""
    (found,) = [node for node in page.get("bidi_component") if node.key == "mask_grid"]
    return json.loads(found.proto.json)[0]


def cells(page: AppTest) -> torch.Tensor:
    return torch.tensor([[cell == "1" for cell in row] for row in grid(page)["rows"]])


def expected_run(mask: torch.Tensor | None, text: str = DEFAULT_TEXT, n_padding: int = 0):
    model = load_model("scratch")
    return run_masked(model, read_tokens(model, text, 64, n_padding), text, mask)


# -- every mask ----------------------------------------------------------------------------------


def test_the_default_shows_weights_before_and_after_the_causal_mask() -> None:
    page = open_page()
    assert address(page) == {
        "part": "masks",
        "text": DEFAULT_TEXT,
        "mask": "causal",
        "layer": "2",
        "head": "0",
    }
    assert cells(page).equal(causal_mask(N))
    np.testing.assert_array_equal(z(page, "before"), expected_run(None).capture.weights[2, 0])
    after = expected_run(causal_mask(N)).capture.weights[2, 0]
    shown = z(page, "after")
    np.testing.assert_array_equal(np.isnan(shown), ~causal_mask(N).numpy())
    np.testing.assert_array_equal(np.nan_to_num(shown), after)
    assert "136 of 256 cells are allowed" in texts_on(page)
    assert "Nothing leaks" in texts_on(page)
    assert "and by up to **0** with this mask" in texts_on(page)


@pytest.mark.parametrize("mask", MASK_KINDS)
def test_every_mask_hides_its_cells_and_rows_sum_to_1(mask: str) -> None:
    page = open_page(mask=mask)
    assert not page.error and not page.warning
    assert np.isfinite(z(page, "before")).all()
    shown = z(page, "after")
    np.testing.assert_array_equal(np.isnan(shown), ~cells(page).numpy())
    np.testing.assert_allclose(np.nan_to_num(shown).sum(axis=-1), 1, atol=1e-5)
    page.toggle(key="inverted").set_value(True)
    upright = cells(page)
    page.run()
    assert not page.exception and cells(page).equal(~upright)
    assert "nan" not in texts_on(page).lower()


def test_an_inverted_causal_mask_shows_its_leak_in_numbers() -> None:
    page = open_page(mask="causal", inverted="1")
    assert "The mask leaks: **93.8%** of all heads' weight is on later words." in texts_on(page)
    assert "**[SEP]** may attend to no token" in texts_on(page)
    moved = re.search(r"by up to \*\*([\d.]+)\*\* with this mask", texts_on(page))
    assert float(moved[1]) > 0.5


def test_padding_follows_the_sentence_and_gets_all_weight_when_inverted() -> None:
    page = open_page(mask="padding", pads="2")
    assert grid(page)["labels"][-2:] == ["[PAD]₁", "[PAD]₂"]
    assert cells(page)[:, :N].all() and not cells(page)[:, N:].any()
    page = open_page(mask="padding", pads="2", inverted="1")
    assert "**100.0%** is on [PAD]" in texts_on(page)
    page = open_page(mask="padding", pads="0")
    assert cells(page).all() and "leaks" not in texts_on(page)


def test_queries_without_keys_are_named_and_attend_to_themselves() -> None:
    page = open_page(mask="none", inverted="1")
    assert "may attend to no token" in texts_on(page) and "and 10 more" in texts_on(page)
    np.testing.assert_array_equal(np.nan_to_num(z(page, "after")), np.eye(N))


# -- drawing -------------------------------------------------------------------------------------


def test_a_drawn_mask_comes_from_the_url_and_fits_one_length_only() -> None:
    mask = masks.sliding_window(N, 1)
    mask[3, 9] = True
    link = pack_mask(mask)
    page = open_page(mask="drawn", pads="0", cells=link)
    assert cells(page).equal(mask)
    assert address(page)["cells"] == link
    page = open_page(mask="drawn", pads="0", cells=link, text="one two")
    assert "drawn mask is for 16 tokens, but the sentence now has 4" in texts_on(page)
    assert cells(page).all()


def test_a_mask_survives_packing_and_malformed_masks_are_rejected() -> None:
    for n in (1, 2, 3, 16, 64):
        mask = torch.rand(n, n, generator=torch.Generator().manual_seed(n)) < 0.5
        assert unpack_mask(pack_mask(mask)).equal(mask)
        assert re.fullmatch(r"[\w.-]+", pack_mask(mask))
    for wrong in ("", "16.", "16.AAAA", "x.AA", "0.", "99.AAAA", "3.???", "-1.AA"):
        with pytest.raises(ValueError):
            unpack_mask(wrong)
    page = open_page(mask="drawn", cells="16.AAAA")
    assert "cells = 16.AAAA is not known here" in texts_on(page)


# -- efficient attention -------------------------------------------------------------------------


@pytest.mark.parametrize("method", SIZE_KEYS)
def test_a_method_is_compared_with_the_exact_weights(method: str) -> None:
    page = open_page(part="efficient", method=method, **{"global": "2"})
    assert not page.error and not page.warning
    weights = expected_run(None).capture.weights[2, 0]
    np.testing.assert_array_equal(z(page, "exact"), weights)
    off = np.linalg.norm(z(page, "approximate") - weights) / np.linalg.norm(weights)
    printed = re.search(r"Relative error ([\d.]+)\*\*", texts_on(page))
    assert float(printed[1]) == pytest.approx(off, abs=1e-4)
    assert address(page)["method"] == method


def test_the_products_of_a_window_are_its_cells() -> None:
    page = open_page(part="efficient", method="window", reach="1")
    assert "**46 products** of two vectors for the weights of 16 tokens" in texts_on(page)
    assert "The exact weights need n² = 256." in texts_on(page)
    assert (z(page, "approximate") != 0).sum() == 46
    page.number_input(key="reach").set_value(15).run()
    assert "**256 products**" in texts_on(page) and "error 0.0000" in texts_on(page)


def test_each_part_keeps_its_own_head() -> None:
    page = open_page(part="efficient", layer="3", head="4")
    page.button_group(key="decoder_part").set_value("masks").run()
    assert (address(page)["layer"], address(page)["head"]) == ("2", "0")


# -- bad input -----------------------------------------------------------------------------------


def test_empty_short_and_very_long_texts_are_handled() -> None:
    assert "Type a sentence" in texts_on(open_page(text=" "))
    page = open_page(text="a")
    assert cells(page).shape == (3, 3) and not page.error
    page = open_page(text="ab " * 100_000)
    assert "The sentence is cut after 64 tokens" in texts_on(page)
    assert cells(page).shape == (64, 64)


def test_values_out_of_range_fall_back_with_a_notice() -> None:
    page = open_page(mask="sideways", layer="77")
    assert "mask = sideways is not known here" in texts_on(page)
    assert page.session_state["mask_layer"] == 5
    page = open_page(part="efficient", method="window", reach="-1", layer="77")
    assert "reach = -1 is not known here" in texts_on(page)
    assert page.session_state["e_layer"] == 5


def test_session_values_of_other_pages_are_ignored() -> None:
    page = first_visit("decoder")
    for key, value in {"part": "profile", "form": "x", "drawn": True, "kind": "alibi"}.items():
        page.session_state[key] = value
    page.query_params["part"] = "masks"
    page.run()
    assert not page.exception and not page.warning
    assert address(page)["part"] == "masks"
