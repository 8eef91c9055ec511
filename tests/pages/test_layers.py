"""The Layers page in AppTest."""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest

from model.analysis.depth import MAX_FLOW_TOKENS, by_layer
from model.analysis.logit_lens import Contributions
from model.analysis.measures import MEASURES, profile
from pages.layers import lens_parts
from pages.layers.published import PUBLISHED
from pages.layers.url import KINDS, OTHER_TEXT, PARTS, QUANTITIES
from tests.pages import visit
from tests.pages.figures import array, figures, specs, tables, trace, words_on, z
from tests.pages.visit import Visit
from viz import SIDE_RGB
from web.cache import captures, loaded_models
from web.view_state.parameters import DEFAULT_TEXT

OF_ENCODERS = [measure.key for measure in MEASURES if "encoder" in measure.stacks]
LONG = "the dog saw the cat and " * 8  # 50 tokens
HEAD = {"part": "difference", "kind": "head", "layer": "3", "head": "1"}

open_page = partial(visit.open_page, "layers")


def weights(model: str, text: str = DEFAULT_TEXT) -> np.ndarray:
    return captures.capture(model, text, None).weights


def truth(model: str, kind: str, text: str = DEFAULT_TEXT) -> np.ndarray:
    captured = captures.capture(model, text, None)
    return by_layer(loaded_models.loaded_model(model), captured, kind)


def test_each_kind_shows_its_numbers_formula_and_caution() -> None:
    page = open_page(layer="2", head="7")
    assert page.session_state["layer_kind"] == "mean"
    assert [fold.label for fold in page.expander if fold.latex] == ["Formula and limits"]
    assert "Look first for a vertical line" in words_on(page)
    shown = []
    for kind in KINDS:
        page.button_group(key="layer_kind").set_value(kind).run()
        for index, model in enumerate(("scratch", "minilm")):
            expected = weights(model)[2, 7] if kind == "head" else truth(model, kind)[2]
            np.testing.assert_allclose(z(page, index), expected, atol=1e-6)
        assert all(np.abs(expected - other).max() > 0.01 for other in shown)
        shown.append(expected)
        assert len(page.latex) == 1
        assert ("Use it to" in words_on(page)) == (kind in ("rollout", "flow"))
        assert specs(page)[1]["layout"]["title"]["text"].startswith("minilm · L2")


def test_value_weighted_attention_is_compared_with_attention_to_special_tokens() -> None:
    page = open_page(kind="norm")
    for model in ("scratch", "minilm"):
        attention, added = (
            truth(model, kind)[3].mean(axis=0)[[0, -1]].sum() for kind in ("mean", "norm")
        )
        assert (
            f"L3: {attention:.0%} of the attention goes to special tokens, which contribute "
            f"{added:.0%} of the output." in words_on(page)
        )
    page = open_page(special="hide", layer="11")  # the model has six layers
    np.testing.assert_allclose(z(page, 1), truth("minilm", "mean")[5][1:-1, 1:-1], rtol=1e-5)


def test_a_tiny_negative_change_is_no_negative_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Contributions(np.full((1, 2), -1e-9), np.zeros(1), 0.5, -1e-9, 0.5)
    written: list[str] = []
    monkeypatch.setattr(lens_parts.st, "markdown", written.append)
    monkeypatch.setattr(lens_parts.st, "caption", written.append)
    lens_parts._sum(parts)
    assert "heads +0.000" in written[0] and "-0.000" not in written[0]


def test_flow_of_a_long_text_gives_a_message_and_the_rest_is_drawn() -> None:
    page = open_page(kind="flow", text=LONG)
    message = f"Flow takes too long for more than {MAX_FLOW_TOKENS} tokens"
    assert message in words_on(page) and not specs(page)
    page.button_group(key="layer_kind").set_value("rollout").run()
    assert len(specs(page)) == 2
    assert message in words_on(open_page(**{**HEAD, "kind": "flow"}, against="model", text=LONG))


def test_an_empty_sentence_gives_a_hint_on_every_part() -> None:
    for part in PARTS:
        page = open_page(part=part, text=" ")
        assert "Type a sentence" in words_on(page) and page.address["part"] == part


def test_a_profile_is_the_mean_over_the_heads_of_each_layer() -> None:
    for measure in OF_ENCODERS:
        page = open_page(part="profile", measure=measure)
        curves = {curve.get("name"): curve for curve in specs(page)[0]["data"]}
        for model in ("scratch", "minilm"):
            expected = profile(captures.capture(model, DEFAULT_TEXT, None))[measure].mean(axis=1)
            np.testing.assert_allclose(array(curves[model]["y"]), expected, atol=1e-6)
            np.testing.assert_allclose(tables(page)[0][model], expected, atol=1e-6)
    page = open_page(part="profile")  # the entropy, with its maximum
    assert array(trace(page, 0)["y"]).tolist() == pytest.approx([math.log(16)] * 2)
    assert "ln 16" in words_on(page)


def test_published_curves_are_marked_as_published() -> None:
    curve = trace(open_page(part="profile", measure="sep", published="1"), 0)
    assert curve["name"] == "BERT-base, published"
    assert array(curve["y"]).tolist() == PUBLISHED["sep"] and len(PUBLISHED["sep"]) == 12
    without = open_page(part="profile", measure="distance", published="1")
    assert "published" not in str([curve.get("name") for curve in specs(without)[0]["data"]])


def test_the_nearest_head_in_the_same_model_is_the_head_itself() -> None:
    page = open_page(part="similarity", left="minilm", layer="4", head="9")
    distances = z(page)
    assert distances.shape == (72, 72)
    np.testing.assert_allclose(distances, distances.T, atol=1e-6)
    nearest, best = tables(page)
    assert nearest["head"].iloc[0] == "L4·H9"
    assert (best["minilm"] == best["best match"]).all()
    page.text_input(key="text").set_value("the dog saw the cat and " * 25).run()  # 152 tokens
    assert "one row in 3 is compared" in words_on(page) and z(page).shape == (72, 72)


@pytest.mark.parametrize(("left", "right"), [("scratch", "minilm"), ("minilm", "scratch")])
def test_the_difference_of_two_models_is_right_minus_left_in_the_hues_of_the_sides(
    left: str, right: str
) -> None:
    page = open_page(**HEAD, against="model", left=left, right=right)
    ours, theirs = (weights(model)[3, 1] for model in (left, right))
    drawn = trace(page, 0)
    np.testing.assert_allclose(array(drawn["z"]), theirs - ours, atol=1e-6)
    scale, bar = drawn["colorscale"], drawn["colorbar"]
    assert scale[0][1] == "rgba({}, {}, {}, 1)".format(*SIDE_RGB["left"])
    assert scale[-1][1] == "rgba({}, {}, {}, 1)".format(*SIDE_RGB["right"])
    assert bar["tickvals"][0] == drawn["zmin"] and bar["tickvals"][-1] == drawn["zmax"]
    assert bar["ticktext"][0].endswith(f"<br>more in<br>{left}")
    assert bar["ticktext"][-1].startswith(f"more in<br>{right}<br>")
    assert specs(page)[0]["layout"]["title"]["text"] == f"L3·H1: {right} − {left}"
    assert f"Negative: more in {left}. Positive: more in {right}" in figures(page)[0].alt
    largest = tables(page)[0]
    values = largest["difference"].to_numpy()
    assert (np.abs(values[:-1]) >= np.abs(values[1:])).all()
    assert np.abs(values[0]) == pytest.approx(np.abs(ours - theirs).max(), abs=1e-6)
    np.testing.assert_allclose(largest[right] - largest[left], values, atol=1e-6)
    columns = list(largest.columns)
    assert columns.index(left) < columns.index(right) < columns.index("difference")
    assert "equal numbers do not mean equal roles" in words_on(page)


def test_a_difference_opens_on_two_sentences_of_one_model() -> None:
    page = open_page(part="difference")
    tired, wide = (truth("scratch", "mean", text)[3] for text in (DEFAULT_TEXT, OTHER_TEXT))
    np.testing.assert_allclose(z(page), wide - tired, atol=1e-6)
    assert "equal numbers do not mean equal roles" not in words_on(page)
    assert "against" not in page.address
    page = open_page(part="difference", against="model", left="minilm", right="minilm")
    assert "No weight changed" in words_on(page)
    assert "equal numbers do not mean equal roles" not in words_on(page)


def test_the_difference_of_two_sentences_pairs_the_replaced_word() -> None:
    view = {**HEAD, "against": "sentence", "left": "minilm"}
    page = open_page(**view)
    moved = weights("minilm", OTHER_TEXT)[3, 1] - weights("minilm")[3, 1]
    np.testing.assert_allclose(z(page), moved, atol=1e-6)
    drawn = trace(page, 0)
    assert "tired/wide" in drawn["x"]
    subtitle = specs(page)[0]["layout"]["title"]["subtitle"]["text"]
    assert subtitle == "… wide. − … tired."
    assert (drawn["zmin"], drawn["zmid"]) == (-drawn["zmax"], 0)
    ends = [text.replace("<br>", " ") for text in drawn["colorbar"]["ticktext"]]
    assert "first sentence" in ends[0] and "second sentence" in ends[-1]
    assert {"first", "second"} < set(tables(page)[0].columns)
    assert "−".encode() in page.dataframe[0].proto.arrow_data.styler.display_values
    page = open_page(**view, text="the old cat slept", other="the cat slept")
    assert "Without a counterpart, left out: old" in words_on(page)
    assert list(trace(page, 0)["x"]) == ["[CLS]", "the", "cat", "slept", "[SEP]"]
    for other, message in {
        " ": "a difference needs two",
        "xylophones hum": "no word in common",
    }.items():
        page = open_page(**view, text="the cat slept", other=other)
        assert message in words_on(page) and not specs(page)


def test_a_link_restores_the_view() -> None:
    for wanted in (
        {"part": "layers", "kind": "rollout", "layer": "2", "head": "5"},
        {"part": "profile", "measure": "cls", "published": "1", "layer": "0", "head": "1"},
        {"part": "similarity", "layer": "4", "head": "3", "words": "1"},
        {"part": "difference", "against": "model", "kind": "norm", "layer": "1", "head": "0"},
        {"part": "difference", "other": "a dog sat", "kind": "norm", "layer": "1", "head": "0"},
    ):
        view = {"text": "a cat sat", "left": "minilm", "right": "scratch@0", **wanted}
        assert open_page(**view).address == view
    page = open_page(part="sideways", kind="mean")
    assert "part = sideways is not known here. The page shows layers" in words_on(page)


def test_the_sentence_of_explore_is_used() -> None:
    page = visit.open_page("", text="the cat slept").go("layers")
    assert page.text_input(key="text").value == "the cat slept"
    assert z(page, 0).shape == (5, 5)


def test_each_model_has_its_own_stream_on_a_common_scale() -> None:
    for quantity, name in QUANTITIES.items():
        page = open_page(part="stream", stream=quantity)
        for index, model in enumerate(("scratch", "minilm")):
            stream = loaded_models.loaded_model(model).residual_stream(DEFAULT_TEXT)
            np.testing.assert_allclose(z(page, index), getattr(stream, name), rtol=1e-6)
        assert trace(page, 0)["zmax"] == trace(page, 1)["zmax"]
        assert page.address.get("stream", "entering") == quantity
        assert "is post-norm" in words_on(page)
    page = open_page(part="stream", special="hide", text="\u200b")
    assert "all tokens are special tokens, which are hidden" in words_on(page) and not specs(page)


def test_a_model_without_a_stream_gives_a_notice_and_the_other_is_drawn(monkeypatch) -> None:
    unknown = dataclasses.replace(loaded_models.loaded_model("minilm"), layers=())
    known = loaded_models.loaded_model
    monkeypatch.setattr(
        loaded_models, "loaded_model", lambda name: unknown if name == "minilm" else known(name)
    )
    captures.residual_stream.cached.cache.clear()
    page: Visit = open_page(part="stream")
    captures.residual_stream.cached.cache.clear()
    assert "parts of the layers of minilm" in words_on(page)
    assert len(specs(page)) == 1  # of one side
