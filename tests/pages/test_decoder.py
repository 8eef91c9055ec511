"""The Decoder page as a whole, without a browser."""

import base64
import json
import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import causal_mask, load_model
from model.analysis.masking import read_tokens, run_masked
from model.transformer import masks
from pages.decoder.address import BELOW, FORMS, MASKS, PATTERNS, pack, unpack
from pages.shared.parameters import DEFAULT_TEXT
from tests.pages.conftest import first_visit
from tests.pages.figures import figure

N = 16
"""Tokens of the sentence that a first visit shows."""


def open_page(**address: str) -> AppTest:
    page = first_visit("decoder")
    for name, value in {"part": "masks", **address}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def address(page: AppTest) -> dict[str, str]:
    return {
        name: values if isinstance(values, str) else values[0]
        for name, values in page.query_params.items()
    }


def said(page: AppTest) -> str:
    kinds = ["markdown", "caption", "success", "info", "warning", "error"]
    words = "\n".join(str(element.value) for kind in kinds for element in page.get(kind))
    return words.replace("\\", "").replace("&#58;", ":")


def z(page: AppTest, key: str) -> np.ndarray:
    """The first trace's numbers of a chart."""
    sent = figure(page, key).spec["data"][0]["z"]
    flat = np.frombuffer(base64.b64decode(sent["bdata"]), dtype=f"<{sent['dtype']}")
    return flat.reshape([int(n) for n in sent["shape"].split(",")])


def grid(page: AppTest) -> dict:
    """What the component that is drawn upon was sent."""
    (found,) = [node for node in page.get("bidi_component") if node.key == "mask_grid"]
    return json.loads(found.proto.json)


def cells(page: AppTest) -> torch.Tensor:
    return torch.tensor([[cell == "1" for cell in row] for row in grid(page)["rows"]])


def truth(mask: torch.Tensor | None, text: str = DEFAULT_TEXT, n_padding: int = 0):
    model = load_model("scratch")
    return run_masked(model, read_tokens(model, text, 64, n_padding), text, mask)


# -- every mask ----------------------------------------------------------------------------------


def test_a_first_visit_shows_the_causal_mask_before_and_after() -> None:
    page = open_page()
    assert address(page) == {
        "part": "masks",
        "text": DEFAULT_TEXT,
        "mask": "causal",
        "layer": "2",
        "head": "0",
    }
    assert cells(page).equal(causal_mask(N))
    np.testing.assert_array_equal(z(page, "before"), truth(None).capture.weights[2, 0])
    after = truth(causal_mask(N)).capture.weights[2, 0]
    shown = z(page, "after")
    np.testing.assert_array_equal(np.isnan(shown), ~causal_mask(N).numpy())
    np.testing.assert_array_equal(np.nan_to_num(shown), after)
    assert "136 of 256 cells survive" in said(page)
    assert "Nothing leaks" in said(page)
    assert "and by up to **0** with this one" in said(page)


@pytest.mark.parametrize("mask", [*MASKS, *PATTERNS])
def test_every_mask_is_drawn(mask: str) -> None:
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
    assert "nan" not in said(page).lower()


def test_the_inverted_causal_mask_leaks_and_the_leak_is_in_numbers() -> None:
    page = open_page(mask="causal", inverted="1")
    assert "The mask leaks: **93.8%** of all heads' weight is on later words." in said(page)
    assert "**[SEP]** has no key left" in said(page)
    moved = re.search(r"by up to \*\*([\d.]+)\*\* with this one", said(page))
    assert float(moved[1]) > 0.5


def test_padding_is_behind_the_sentence_and_inverted_it_is_all_that_is_seen() -> None:
    page = open_page(mask="padding", pads="2")
    assert grid(page)["labels"][-2:] == ["[PAD]₁", "[PAD]₂"]
    assert cells(page)[:, :N].all() and not cells(page)[:, N:].any()
    assert "The 2 [PAD] behind the sentence move" in said(page)
    page = open_page(mask="padding", pads="2", inverted="1")
    assert "**100.0%** is on [PAD]" in said(page)
    page = open_page(mask="padding", pads="0")
    assert cells(page).all() and "leaks" not in said(page)


def test_without_any_key_at_all_it_is_said_and_shown_all_the_same() -> None:
    page = open_page(mask="none", inverted="1")
    assert "have no key left" in said(page) and "and 10 more" in said(page)
    np.testing.assert_array_equal(np.nan_to_num(z(page, "after")), np.eye(N))


# -- drawing -------------------------------------------------------------------------------------


def test_what_is_drawn_comes_by_the_link_and_stands_only_for_its_sentence() -> None:
    mask = masks.sliding_window(N, 1)
    mask[3, 9] = True
    link = pack(mask)
    page = open_page(mask="drawn", pads="0", cells=link)
    assert cells(page).equal(mask)
    assert address(page)["cells"] == link
    page = open_page(mask="drawn", pads="0", cells=link, text="one two")
    assert "drawn mask is of 16 tokens and there are 4 now" in said(page)
    assert cells(page).all()


def test_a_mask_is_packed_and_unpacked_and_nonsense_is_refused() -> None:
    for n in (1, 2, 3, 16, 64):
        mask = torch.rand(n, n, generator=torch.Generator().manual_seed(n)) < 0.5
        assert unpack(pack(mask)).equal(mask)
        assert re.fullmatch(r"[\w.-]+", pack(mask))
    for wrong in ("", "16.", "16.AAAA", "x.AA", "0.", "99.AAAA", "3.???", "-1.AA"):
        with pytest.raises(ValueError):
            unpack(wrong)
    page = open_page(mask="drawn", cells="16.AAAA")
    assert "cells = 16.AAAA is not known here" in said(page)


# -- below ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("below", BELOW)
def test_every_view_is_drawn_and_in_the_link(below: str) -> None:
    page = open_page(mask="window", below=below)
    assert not page.error
    assert address(page).get("below", "weight") == below
    page.button_group(key="mask_kind").set_value("block").run()
    assert not page.exception and address(page)["mask"] == "block"


def test_reach_is_told_for_the_window_of_the_link() -> None:
    page = open_page(mask="window", reach="4", below="reach")
    assert "After 4 layers every token may know of every other" in said(page)
    needed = masks.layers_needed(masks.sliding_window(N, 4)).numpy()
    np.testing.assert_array_equal(z(page, "reached"), needed)
    page = open_page(mask="block", block="8", below="reach")
    assert "128 pairs never meet" in said(page)


def test_n_is_moved_until_full_attention_no_longer_fits() -> None:
    page = open_page(below="cost", n="6454")
    assert page.success[0].value.startswith("**It fits.**")
    assert "up to **n = 6,454**; from n = 6,455 on it no longer does" in said(page)
    page.number_input(key="n").set_value(6455).run()
    assert page.error[0].value.startswith("**It no longer fits.** n = 6,455: 144 × n² weights")
    assert "24,000,206,400 bytes" in said(page)
    assert address(page)["n"] == "6455"
    page.button_group(key="number").set_value("fp16").run()
    assert page.success[0].value.startswith("**It fits.**")
    page.select_slider(key="n_stop").set_value(1_048_576).run()
    assert page.session_state["n"] == 1_048_576 and page.error


@pytest.mark.parametrize("form", FORMS)
def test_forms_stand_beside_the_heads_own_weights(form: str) -> None:
    page = open_page(below="forms", form=form, mask="padding")
    weights = truth(None).capture.weights[2, 0]
    np.testing.assert_array_equal(z(page, "whole"), weights)
    off = np.linalg.norm(z(page, "stand_in") - weights) / np.linalg.norm(weights)
    printed = re.search(r"Relative error ([\d.]+)\*\*", said(page))
    assert float(printed[1]) == pytest.approx(off, abs=1e-4)


# -- bad input -----------------------------------------------------------------------------------


def test_no_text_one_token_and_a_hundred_thousand_characters_are_met_in_words() -> None:
    assert "Type a sentence above." in said(open_page(text=" "))
    page = open_page(text="a")
    assert cells(page).shape == (3, 3) and not page.error
    page = open_page(text="ab " * 100_000, mask="global", below="reach")
    assert "A mask is shown on 64 tokens at most" in said(page)
    assert cells(page).shape == (64, 64)


def test_what_the_link_has_too_much_of_falls_back_with_a_notice() -> None:
    page = open_page(mask="sideways", n="99999999999", layer="77", reach="-1")
    assert "mask = sideways is not known here" in said(page)
    page = open_page(mask="window", reach="-1", layer="77", below="cost", n="0")
    assert {w.value.split(" ")[2] for w in page.warning} == {"reach", "n"}
    assert page.session_state["mask_layer"] == 5


def test_what_other_pages_left_in_the_session_is_not_taken_for_ones_own() -> None:
    page = first_visit("decoder")
    for key, value in {"part": "profile", "form": "x", "drawn": True, "kind": "alibi"}.items():
        page.session_state[key] = value
    page.query_params["part"] = "masks"
    page.query_params["below"] = "forms"
    page.run()
    assert not page.exception and not page.warning
    assert address(page)["part"] == "masks"


# -- what is taken away --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "chart", "view"),
    [
        ("masks", "after", {"mask": "drawn", "cells": pack(masks.strided(N + 2, 3)), "pads": "2"}),
        ("masks", "after", {"mask": "both", "inverted": "1", "pads": "1"}),
        ("masks", "after", {"mask": "global", "causal": "1", "reach": "1"}),
        ("reach", "reached", {"mask": "random", "draw": "3", "below": "reach"}),
        ("forms", "stand_in", {"mask": "padding", "below": "forms", "form": "kernel", "seed": "4"}),
        ("forms", "stand_in", {"below": "forms", "form": "hashed", "buckets": "6"}),
    ],
    ids=["drawn", "inverted", "causal", "reach", "kernel", "hashed"],
)
def test_the_lines_draw_the_figure_again(key: str, chart: str, view: dict[str, str]) -> None:
    page = open_page(**view)
    expected = z(page, chart)
    figure = run_lines(page, key)["figure"]
    np.testing.assert_allclose(np.asarray(figure.data[0].z), expected, atol=1e-6)


def test_the_lines_of_layers_and_of_cost_run_and_say_the_same() -> None:
    made = run_lines(open_page(mask="dilated", below="layers"), "departure")
    assert made["distances"].shape == (6, 12) and len(made["figure"].data) == 3
    made = run_lines(open_page(below="cost", n="700"), "cost")
    assert made["needs"]["full"][0] == 16**2 * 144 * 4


def run_lines(page: AppTest, key: str) -> dict:
    """Run the lines that a view offers."""
    page.session_state[f"take_{key}"] = True
    page.run()
    (lines,) = [code.value for code in page.code if "figure = " in code.value]
    namespace: dict = {}
    exec(lines, namespace)
    return namespace
