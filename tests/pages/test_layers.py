"""The Layers page in AppTest."""

from functools import partial

import numpy as np
import pytest

from model.analysis.depth import MAX_FLOW_TOKENS, by_layer
from model.analysis.logit_lens import logit_lens
from pages.layers.quantities import QUANTITIES
from pages.layers.url import Layers
from tests.model import decoder_checkpoints
from tests.pages import visit
from tests.pages.figures import array, specs, tables, trace, view, weights, words_on, z
from tests.pages.visit import Visit
from viz.style.theme import SIDE_RGB
from web.cache import captures, loaded_models
from web.view_state.parameters import DEFAULT_TEXT, OTHER_TEXT

HEAD = {"part": "difference", "kind": "head", "layer": "3", "head": "1"}

open_page = partial(visit.open_page, "layers")


def truth(model: str, kind: str, text: str = DEFAULT_TEXT) -> np.ndarray:
    captured = captures.capture(model, text, None)
    return by_layer(loaded_models.loaded_model(model), captured, kind)


def maps(page: Visit, side: str) -> np.ndarray:
    """The maps of all layers of a side, (L, U, U), with four decimals."""
    return view(page)[1][side][:, 0]


def test_each_side_has_its_own_maps_and_a_sentence_for_each_kind() -> None:
    page = open_page(layer="11")  # the models have six layers
    said = set()
    for kind in Layers.kind.options:
        page.selectbox(key="layer_kind_box").set_value(kind).run()
        assert len(page.latex) == 1 and page.address.get("kind", "mean") == kind
        for side, model in (("left", "scratch"), ("right", "minilm")):
            expected = weights(model)[:, 1] if kind == "head" else truth(model, kind)
            np.testing.assert_allclose(maps(page, side), expected, atol=0.5001e-4)
        said.add(next(each.value for each in page.markdown if "**" in each.value))
    assert len(said) == len(Layers.kind.options) and all("minilm" in each for each in said)


def test_the_sentence_of_a_layer_has_its_share_of_attention_to_special_tokens() -> None:
    # (L,)
    attention, added = (truth("minilm", k)[..., [0, -1]].sum(-1).mean(-1) for k in ("mean", "norm"))
    begin = "At L3, 52% of minilm's attention goes to [CLS] and [SEP] (the most: 62%, at L4)"
    other = "In scratch, 30% goes to [CLS] and [SEP] (the most: 65%, at L5)."
    assert f"{attention[3]:.0%}" == "52%" and [*attention.argsort()[[0, -1]]] == [0, 4]
    page = open_page()
    assert f"**{begin}.** {other}" in words_on(page)
    assert "goes to [CLS] and [SEP] (the most of all layers)." in words_on(open_page(layer="4"))
    assert view(page)[0]["subjects"][1]["notes"] == [f"{share:.0%}" for share in attention]
    assert f"at L3 of minilm, [CLS] and [SEP] supply {added[3]:.0%} of what" in words_on(page)
    assert f"{added[3]:.0%} of what tokens pass on " in words_on(open_page(kind="norm"))
    of_words = truth("minilm", "rollout")[3, 1:-1]  # (T - 2, T)
    rest = of_words[:, [0, -1]].sum(-1).mean()
    said = f"It says that {rest:.0%} of a word's vector comes from [CLS] and [SEP]."
    assert said in words_on(open_page(kind="rollout"))


def test_the_first_token_of_a_decoder_gets_attention_from_the_others_only(mistral) -> None:
    shares = truth(mistral, "mean", "It was.")[:, 1:, 0].mean(-1)  # (L,)
    notes = view(open_page(left=mistral, text="It was."))[0]["subjects"][0]["notes"]
    assert notes == [f"{share:.0%}" for share in shares]


def test_flow_of_a_long_text_gives_a_message() -> None:
    message = f"Flow takes too long for more than {MAX_FLOW_TOKENS} tokens"
    for link in ({"kind": "flow"}, {**HEAD, "kind": "flow", "against": "model"}):
        page = open_page(**link, text="the dog saw the cat and " * 8)  # 50 tokens
        assert message in words_on(page) and not specs(page)


def test_an_empty_sentence_gives_a_hint_on_every_part() -> None:
    for part in Layers.part.options:
        page = open_page(part=part, text=" ")
        assert "Type a sentence" in words_on(page) and page.address["part"] == part


def test_the_difference_of_two_models_is_right_minus_left_in_the_hues_of_the_models() -> None:
    page = open_page(**HEAD, against="model", left="minilm", right="scratch")
    ours, theirs = (weights(model)[3, 1] for model in ("minilm", "scratch"))
    drawn = trace(page, 0)
    np.testing.assert_allclose(array(drawn["z"]), theirs - ours, atol=1e-6)
    assert drawn["colorscale"][0][1] == "rgba({}, {}, {}, 0.7)".format(*SIDE_RGB["right"])
    assert drawn["colorbar"]["ticktext"][0].endswith("<br>more in<br>minilm")
    assert drawn["colorbar"]["ticktext"][-1].startswith("more in<br>scratch<br>")
    assert specs(page)[0]["layout"]["title"]["text"] == "L3·H1: scratch minus minilm"
    largest = tables(page)[0]
    assert largest["difference"].abs().is_monotonic_decreasing
    assert abs(largest["difference"][0]) == pytest.approx(
        np.abs(ours - theirs)[1:-1, 1:-1].max(), abs=1e-6
    )


def test_two_sentences_open_on_the_head_that_follows_animal_less() -> None:
    page = open_page(part="difference")
    tired, wide = (weights("minilm", text)[3, 1] for text in (DEFAULT_TEXT, OTHER_TEXT))
    np.testing.assert_allclose(z(page), wide - tired, atol=1e-6)
    words = {text for row in tables(page)[0].iloc[:, 0] for text in row.split(" → ")}
    assert words.isdisjoint({"[CLS]", "tired/wide", "[SEP]"})
    said = "it → animal changes most: 0.68 (“tired”), 0.28 (“wide”)"
    gains = "From “it”, [CLS] gains most: 0.10 to 0.33."
    assert said in words_on(page) and gains in words_on(page)
    drawn = trace(page, 0)
    assert "tired/wide" in drawn["x"] and (drawn["zmin"], drawn["zmid"]) == (-drawn["zmax"], 0)
    ends = [text.replace("<br>", " ") for text in drawn["colorbar"]["ticktext"]]
    assert "“tired”" in ends[0] and "“wide”" in ends[-1]
    page = open_page(**HEAD, text="the old cat slept", other="the cat slept")
    assert "Without a counterpart, left out: old" in words_on(page)
    assert list(trace(page, 0)["x"]) == ["[CLS]", "the", "cat", "slept", "[SEP]"]
    page = open_page(**HEAD, text="the cat slept", other="xylophones hum")
    assert "no word in common" in words_on(page) and not specs(page)


def test_a_link_restores_the_view() -> None:
    for wanted in (
        {"part": "layers", "kind": "rollout", "layer": "2", "head": "5"},
        {"part": "difference", "against": "model", "kind": "norm", "layer": "1", "head": "0"},
        {"part": "lens", "depth": "2", "at": "3", "layer": "3", "head": "1"},
        {"part": "difference", "other": "a dog sat", "kind": "norm", "layer": "1", "head": "0"},
    ):
        link = {"text": "a cat sat", "left": "minilm", "right": "scratch@0", **wanted}
        assert open_page(**link).address == link
    page = open_page(part="profile", kind="mean")  # a link of an earlier release
    assert "part = profile is not known here. The page shows Through the layers" in words_on(page)


def test_each_model_has_its_own_stream_on_a_common_scale() -> None:
    for quantity, shown in QUANTITIES.items():
        page = open_page(part="stream", stream=quantity)
        models = map(loaded_models.loaded_model, ("scratch", "minilm"))
        values = [getattr(m.residual_stream(DEFAULT_TEXT), shown.attribute) for m in models]
        np.testing.assert_allclose([z(page, 0), z(page, 1)], values, rtol=1e-6)  # (2, L, T)
        middle = np.median(max(values, key=np.max), axis=1)  # (L,)
        said = [f"{middle.max():.0%} of the token's own length"]
        if quantity == "entering":
            said = [f"median {middle.min():.1f})", f"({middle.max():.1f})"]
        assert all(text in words_on(page) for text in said)
        assert trace(page, 0)["zmax"] == trace(page, 1)["zmax"]
        assert page.address.get("stream", "attention_share") == quantity


TEXT = "the animal was too"


@pytest.fixture(scope="module")
def mistral(tmp_path_factory) -> str:
    return str(decoder_checkpoints.save("mistral", tmp_path_factory.mktemp("layers") / "mistral"))


def test_masked_cells_are_nan(mistral):
    page = open_page(left=mistral, text=TEXT, right=mistral, kind="norm", layer="2")
    allowed = np.stack(captures.capture(mistral, TEXT, None).allowed)
    expected = np.where(allowed, truth(mistral, "norm", TEXT), np.nan)
    np.testing.assert_allclose(maps(page, "left"), expected, atol=0.5001e-4)


def test_a_difference_is_drawn_only_where_both_masks_allow(mistral):
    link = {"part": "difference", "against": "model", "special": "hide", "kind": "mean"}
    page = open_page(left=mistral, text=TEXT, right="minilm", **link)
    shown = z(page, 0)
    later = ~np.tri(len(shown), dtype=bool)
    assert np.isnan(shown[later]).all() and np.isfinite(shown.diagonal()).all()


def test_a_decoders_lens_is_at_its_last_token_until_another_is_chosen(mistral):
    page = open_page(left=mistral, text=TEXT, right="minilm", part="lens")
    lens = logit_lens(loaded_models.loaded_model(mistral), TEXT)
    np.testing.assert_allclose(z(page, 0), lens.probabilities[:, -16:, 0], atol=1e-6)
    assert page.selectbox(key="lens_at_box").value == lens.ids.shape[1] - 1
    page.selectbox(key="lens_at_box").set_value(3).run()
    page.selectbox(key="lens_depth_box").set_value(1).run()
    assert {"at": "3", "depth": "1"}.items() <= page.address.items()


def test_a_masked_models_lens_is_at_its_mask():
    text = "The animal crossed the [MASK]."
    page = open_page(part="lens", left="minilm", right="scratch", text=text)
    lens = logit_lens(loaded_models.loaded_model("scratch"), text)
    np.testing.assert_allclose(z(page, 0), lens.probabilities[:, :, 0], atol=1e-6)
    assert page.selectbox(key="lens_at_box").value == 5


def test_the_lens_opens_on_a_model_with_a_language_head():
    page = open_page(part="lens", left="minilm", right="scratch-untrained")
    assert "Choose scratch, smollm2, bert-base-uncased or" in words_on(page)
    scratch = loaded_models.loaded_model("scratch")
    lens = logit_lens(scratch, DEFAULT_TEXT.replace("it ", "[MASK] "))
    best = scratch.piece(int(lens.ids[-1, 10, 0]))
    assert f"With “it” hidden, scratch predicts “{best}” (" in words_on(page)
    same = lens.ids[:, 10] == lens.ids[-1, 10, 0]  # (L + 1, N)
    likely = np.where(same, lens.probabilities[:, 10], 0).sum(axis=1)
    sure = f"largest probability after L{likely.argmax() - 1}: {likely.max():.0%}."
    assert sure in words_on(page)
    copied = (lens.ids[-1, :, 0] == scratch.tokenize(DEFAULT_TEXT).ids).sum() - (best == "it")
    assert f"Of the 15 others, which the model sees, it copies {copied} after" in words_on(page)
    np.testing.assert_allclose(z(page, 0), lens.probabilities[:, :, 0], atol=1e-6)
    page = open_page(part="lens", left="scratch", right="scratch@0")
    page.selectbox(key="lens_side").set_value("right").run()
    assert page.address["whose"] == "right"
