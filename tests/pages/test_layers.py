"""The Layers page in AppTest."""

import dataclasses
import math

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.depth import MAX_FLOW_TOKENS, by_layer
from model.analysis.logit_lens import Contributions
from model.analysis.measures import MEASURES, profile
from pages.layers import lens_parts
from pages.layers.published import PUBLISHED
from pages.layers.url import KINDS, OTHER_TEXT, PARTS, QUANTITIES
from tests.pages.conftest import ROUTER, first_visit
from tests.pages.figures import figures
from tests.pages.test_explore import address, words_on
from tests.pages.test_positions import array, specs, trace, z
from viz import SIDE_RGB
from web.cache import captures, loaded_models
from web.view_state.parameters import DEFAULT_TEXT

OF_ENCODERS = [measure.key for measure in MEASURES if "encoder" in measure.stacks]
LONG = "the dog saw the cat and " * 8  # 50 tokens


def open_page(**wanted: str) -> AppTest:
    page = first_visit("layers")
    for name, value in wanted.items():
        page.query_params[name] = value
    return page.run()


def truth(model: str, kind: str, text: str = DEFAULT_TEXT) -> np.ndarray:
    captured = captures.capture(model, text, None)
    return by_layer(loaded_models.loaded_model(model), captured, kind)


# -- layer by layer ------------------------------------------------------------------------------


def test_a_first_visit_shows_the_mean_over_heads_and_folds_its_formula() -> None:
    page = open_page()
    assert not page.exception
    for index, model in enumerate(("scratch", "minilm")):
        np.testing.assert_allclose(z(page, index), truth(model, "mean")[3], atol=1e-6)
    assert "Look first for a vertical line" in words_on(page)
    assert [fold.label for fold in page.expander if fold.latex] == ["Formula and limits"]


def test_value_weighted_attention_is_compared_with_attention_to_special_tokens() -> None:
    page = open_page(kind="norm")
    assert not page.exception
    for index, model in enumerate(("scratch", "minilm")):
        expected = truth(model, "norm")[3]
        np.testing.assert_allclose(z(page, index), expected, atol=1e-6)
        attention, added = (
            truth(model, kind)[3].mean(axis=0)[[0, -1]].sum() for kind in ("mean", "norm")
        )
        assert (
            f"L3: {attention:.0%} of the attention goes to special tokens, which contribute "
            f"{added:.0%} of the output." in words_on(page)
        )


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_shows_its_numbers_formula_and_caution(kind: str) -> None:
    page = open_page(kind=kind, layer="2", head="7")
    assert not page.exception
    if kind == "head":
        expected = captures.capture("minilm", DEFAULT_TEXT, None).weights[2, 7]
    else:
        expected = truth("minilm", kind)[2]
    np.testing.assert_allclose(z(page, 1), expected, atol=1e-6)
    assert len(page.latex) == 1
    assert ("Use it to" in words_on(page)) == (kind in ("rollout", "flow"))
    title = specs(page)[1]["layout"]["title"]["text"]
    assert title.startswith("minilm · L2")


def test_the_kinds_have_different_numbers() -> None:
    shown = [z(open_page(kind=kind), 1) for kind in KINDS]
    for i, one in enumerate(shown):
        for other in shown[i + 1 :]:
            assert np.abs(one - other).max() > 0.01


def test_a_tiny_negative_change_is_no_negative_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Contributions(np.full((1, 2), -1e-9), np.zeros(1), 0.5, -1e-9, 0.5)
    written: list[str] = []
    monkeypatch.setattr(lens_parts.st, "markdown", written.append)
    monkeypatch.setattr(lens_parts.st, "caption", written.append)
    lens_parts._sum(parts)
    assert "heads +0.000" in written[0] and "-0.000" not in written[0]


def test_a_missing_layer_becomes_the_last_layer() -> None:
    page = open_page(layer="11", kind="mean")
    np.testing.assert_allclose(z(page, 1), truth("minilm", "mean")[5], atol=1e-7)


def test_flow_of_a_long_text_gives_a_message_and_the_rest_is_drawn() -> None:
    page = open_page(kind="flow", text=LONG)
    assert not page.exception
    assert f"Flow takes too long for more than {MAX_FLOW_TOKENS} tokens" in words_on(page)
    assert not specs(page)
    page.button_group(key="layer_kind").set_value("rollout").run()
    assert len(specs(page)) == 2


def test_special_tokens_can_be_hidden() -> None:
    page = open_page(special="renormalise")
    assert z(page, 1).shape == (14, 14)
    np.testing.assert_allclose(z(page, 1).sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("part", PARTS)
def test_an_empty_sentence_gives_a_hint_on_every_part(part: str) -> None:
    page = open_page(part=part, text=" ")
    assert not page.exception
    assert "Type a sentence" in words_on(page)
    assert address(page)["part"] == part


# -- profile -------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", OF_ENCODERS)
def test_a_profile_is_the_mean_over_the_heads_of_each_layer(measure: str) -> None:
    page = open_page(part="profile", measure=measure)
    curves = {curve.get("name"): curve for curve in specs(page)[0]["data"]}
    for model in ("scratch", "minilm"):
        expected = profile(captures.capture(model, DEFAULT_TEXT, None))[measure]
        np.testing.assert_allclose(array(curves[model]["y"]), expected.mean(axis=1), atol=1e-6)
        table = page.dataframe[0].value
        np.testing.assert_allclose(table[model], expected.mean(axis=1), atol=1e-6)


def test_the_maximum_entropy_is_drawn() -> None:
    page = open_page(part="profile")
    assert array(trace(page, 0)["y"]).tolist() == pytest.approx([math.log(16)] * 2)
    assert "ln 16" in words_on(page)


def test_published_curves_are_marked_as_published() -> None:
    page = open_page(part="profile", measure="sep", published="1")
    curve = trace(page, 0)
    assert curve["name"] == "BERT-base, published"
    assert array(curve["y"]).tolist() == PUBLISHED["sep"]
    assert len(PUBLISHED["sep"]) == 12
    without = open_page(part="profile", measure="distance", published="1")
    assert "published" not in str([curve.get("name") for curve in specs(without)[0]["data"]])


# -- similar heads -------------------------------------------------------------------------------


def test_the_nearest_head_in_the_same_model_is_the_head_itself() -> None:
    page = open_page(part="similarity", left="minilm", layer="4", head="9")
    assert not page.exception
    distances = z(page)
    assert distances.shape == (72, 72)
    np.testing.assert_allclose(np.diag(distances), 0, atol=1e-6)
    np.testing.assert_allclose(distances, distances.T, atol=1e-6)
    nearest, best = (frame.value for frame in page.dataframe)
    assert nearest["head"].iloc[0] == "L4·H9"
    assert (best["minilm"] == best["best match"]).all()


def test_long_sentences_are_compared_on_some_rows_with_a_notice() -> None:
    page = open_page(part="similarity", text="the dog saw the cat and " * 25)  # 152 tokens
    assert not page.exception
    assert "one row in 3 is compared" in words_on(page)
    assert z(page).shape == (72, 72)


# -- difference ----------------------------------------------------------------------------------


def test_the_difference_of_two_models_is_right_minus_left() -> None:
    page = open_page(part="difference", against="model", kind="head", layer="3", head="1")
    ours, theirs = (
        captures.capture(m, DEFAULT_TEXT, None).weights[3, 1] for m in ("scratch", "minilm")
    )
    np.testing.assert_allclose(z(page), theirs - ours, atol=1e-6)
    largest = page.dataframe[0].value
    values = largest["difference"].to_numpy()
    assert (np.abs(values[:-1]) >= np.abs(values[1:])).all()
    assert np.abs(values[0]) == pytest.approx(np.abs(ours - theirs).max(), abs=1e-6)
    np.testing.assert_allclose(largest["minilm"] - largest["scratch"], values, atol=1e-6)
    columns = list(largest.columns)
    assert columns.index("scratch") < columns.index("minilm") < columns.index("difference")


@pytest.mark.parametrize(("left", "right"), [("scratch", "minilm"), ("minilm", "scratch")])
def test_positive_and_negative_differences_have_the_hue_of_their_side(
    left: str, right: str
) -> None:
    page = open_page(
        part="difference",
        against="model",
        kind="head",
        layer="3",
        head="1",
        left=left,
        right=right,
    )
    drawn, alt = trace(page, 0), figures(page)[0].alt
    ours, theirs = (captures.capture(m, DEFAULT_TEXT, None).weights[3, 1] for m in (left, right))
    np.testing.assert_array_equal(array(drawn["z"]) < 0, ours > theirs)
    scale, bar = drawn["colorscale"], drawn["colorbar"]
    assert scale[0][1] == "rgba({}, {}, {}, 1)".format(*SIDE_RGB["left"])
    assert scale[-1][1] == "rgba({}, {}, {}, 1)".format(*SIDE_RGB["right"])
    assert bar["tickvals"][0] == drawn["zmin"] and bar["tickvals"][-1] == drawn["zmax"]
    assert bar["ticktext"][0].endswith(f"<br>more in<br>{left}")
    assert bar["ticktext"][-1].startswith(f"more in<br>{right}<br>")
    title = specs(page)[0]["layout"]["title"]["text"]
    assert title == f"L3·H1: {right} − {left}"
    assert f"Negative: more in {left}. Positive: more in {right}" in alt


def test_equal_models_on_both_sides_have_no_difference() -> None:
    page = open_page(part="difference", against="model", left="minilm", right="minilm")
    assert not page.exception
    assert "No weight changed" in words_on(page)


def test_a_difference_opens_on_two_sentences_of_one_model() -> None:
    page = open_page(part="difference")
    tired, wide = (truth("scratch", "mean", text)[3] for text in (DEFAULT_TEXT, OTHER_TEXT))
    np.testing.assert_allclose(z(page), wide - tired, atol=1e-6)
    assert "equal numbers do not mean equal roles" not in words_on(page)
    assert "against" not in address(page)


def test_the_difference_of_two_sentences_pairs_the_replaced_word() -> None:
    page = open_page(
        part="difference", against="sentence", left="minilm", kind="head", layer="5", head="11"
    )
    tired = captures.capture("minilm", DEFAULT_TEXT, None).weights[5, 11]
    wide = captures.capture("minilm", OTHER_TEXT, None).weights[5, 11]
    np.testing.assert_allclose(z(page), wide - tired, atol=1e-6)
    assert "tired/wide" in trace(page, 0)["x"]
    subtitle = specs(page)[0]["layout"]["title"]["subtitle"]["text"]
    assert subtitle == "… wide. − … tired."
    scale = trace(page, 0)
    assert scale["zmin"] == -scale["zmax"]
    assert scale["zmid"] == 0
    ends = scale["colorbar"]["ticktext"]
    assert "first sentence" in ends[0].replace("<br>", " ")
    assert "second sentence" in ends[-1].replace("<br>", " ")
    assert {"first", "second"} < set(page.dataframe[0].value.columns)
    assert "−".encode() in page.dataframe[0].proto.arrow_data.styler.display_values


def test_the_difference_of_two_models_says_that_their_heads_do_not_correspond() -> None:
    sentence = "equal numbers do not mean equal roles"
    page = open_page(part="difference", against="model")
    assert sentence in "\n".join(caption.value for caption in page.caption)
    page = open_page(part="difference", against="model", left="minilm", right="minilm")
    assert sentence not in "\n".join(caption.value for caption in page.caption)


def test_tokens_without_a_counterpart_are_named() -> None:
    page = open_page(
        part="difference", against="sentence", text="the old cat slept", other="the cat slept"
    )
    assert "Without a counterpart, left out: old" in words_on(page)
    assert list(trace(page, 0)["x"]) == ["[CLS]", "the", "cat", "slept", "[SEP]"]


@pytest.mark.parametrize(
    ("other", "message"),
    [(" ", "a difference needs two"), ("xylophones hum", "no word in common")],
)
def test_an_impossible_comparison_is_explained(other: str, message: str) -> None:
    page = open_page(part="difference", against="sentence", text="the cat slept", other=other)
    assert not page.exception
    assert message in words_on(page)
    assert not specs(page)


def test_flow_of_a_long_text_has_no_difference() -> None:
    page = open_page(part="difference", against="model", kind="flow", text=LONG)
    assert not page.exception
    assert "Flow takes too long" in words_on(page)


# -- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wanted",
    [
        {"part": "layers", "kind": "rollout", "layer": "2", "head": "5"},
        {"part": "profile", "measure": "cls", "published": "1", "layer": "0", "head": "1"},
        {"part": "similarity", "layer": "4", "head": "3", "words": "1"},
        {"part": "difference", "against": "model", "kind": "norm", "layer": "1", "head": "0"},
        {
            "part": "difference",
            "other": "a dog sat",
            "kind": "norm",
            "layer": "1",
            "head": "0",
        },
    ],
)
def test_a_link_restores_the_view(wanted: dict[str, str]) -> None:
    view = {"text": "a cat sat", "left": "minilm", "right": "scratch@0", **wanted}
    page = open_page(**view)
    assert not page.exception
    assert address(page) == view


def test_unknown_values_in_a_link_give_a_notice() -> None:
    page = open_page(part="sideways", kind="mean")
    assert not page.exception
    assert "part = sideways is not known here. The page shows layers" in words_on(page)


def test_the_sentence_of_explore_is_used() -> None:
    page = AppTest.from_file(str(ROUTER), default_timeout=60)
    page.query_params["text"] = "the cat slept"
    page.run()
    page.query_params.clear()
    page.switch_page("layers/page.py").run()
    assert page.text_input(key="text").value == "the cat slept"
    assert z(page, 0).shape == (5, 5)


# -- the residual stream -------------------------------------------------------------------------


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_each_model_has_its_own_stream_on_a_common_scale(quantity: str) -> None:
    page = open_page(part="stream", stream=quantity)
    assert not page.exception
    tops = set()
    for index, model in enumerate(("scratch", "minilm")):
        stream = loaded_models.loaded_model(model).residual_stream(DEFAULT_TEXT)
        np.testing.assert_allclose(z(page, index), getattr(stream, QUANTITIES[quantity]), rtol=1e-6)
        tops.add(trace(page, index)["zmax"])
    assert len(tops) == 1
    assert address(page).get("stream", "entering") == quantity
    assert "is post-norm" in words_on(page)


def test_the_stream_of_a_word_is_the_mean_over_its_pieces() -> None:
    page = open_page(part="stream", words="1", special="hide", text="Unbelievably warm.")
    stream = loaded_models.loaded_model("minilm").residual_stream("Unbelievably warm.").layer_input
    pieces = stream.shape[1] - 4  # without [CLS], warm, the full stop and [SEP]
    assert pieces > 1
    expected = np.stack([stream[:, 1 : 1 + pieces].mean(1), *stream[:, 1 + pieces : -1].T], axis=1)
    np.testing.assert_allclose(z(page, 1), expected, rtol=1e-6)


def test_a_model_without_a_stream_gives_a_notice_and_the_other_is_drawn(monkeypatch) -> None:
    unknown = dataclasses.replace(loaded_models.loaded_model("minilm"), layers=())
    known = loaded_models.loaded_model
    monkeypatch.setattr(
        loaded_models, "loaded_model", lambda name: unknown if name == "minilm" else known(name)
    )
    captures.residual_stream.cached.cache.clear()
    page = open_page(part="stream")
    captures.residual_stream.cached.cache.clear()
    assert not page.exception
    assert "parts of the layers of minilm" in words_on(page)
    assert len(specs(page)) == 1  # of one side


def test_special_tokens_alone_have_no_stream_if_hidden() -> None:
    page = open_page(part="stream", special="hide", text="\u200b")
    assert not page.exception
    assert "all tokens are special tokens, which are hidden" in words_on(page)
    assert not specs(page)
