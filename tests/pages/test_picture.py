"""The Model page in AppTest."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import product
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from model import load_model
from model.analysis.logit_lens import logit_lens
from pages.urls import BY_PATH, DECODER_PARTS
from tests.model import general_checkpoints
from tests.pages import visit
from tests.pages.figures import words_on
from tests.pages.visit import Visit
from viz.style.labels import percent
from web.cache import captures, generated_texts
from web.view_state.parameters import DEFAULT_TEXT

MINILM = {"left": "minilm", "layer": "3", "head": "1"}
SMOLLM2 = {"left": "smollm2", "layer": "4"}
IT, ANIMAL = 10, 2

open_page = partial(visit.open_page, "model")


def picture(page: Visit) -> dict:
    assert not page.exception
    (found,) = [node for node in page.get("bidi_component") if node.key == "picture"]
    (data,) = json.loads(found.proto.json)
    return data


def every(boxes: list[dict]) -> Iterator[dict]:
    for box in boxes:
        yield box
        yield from every(box["items"])


def of_kind(page: Visit, kind: str) -> list[dict]:
    return [box for box in every(picture(page)["boxes"]) if box["kind"] == kind]


def numbers(box: dict) -> list[str]:
    return [text for _, text in box["values"]]


def test_the_whole_picture_shows_every_head_of_every_layer_in_areas_of_its_parameters():
    page = open_page(**MINILM)
    weights = captures.capture("minilm", DEFAULT_TEXT, None).weights
    layers = of_kind(page, "layer")
    for layer, expected in zip(layers, weights, strict=True):
        shades = [head["shade"] for head in layer["items"][0]["items"]]
        assert shades == pytest.approx(expected[:, IT].max(axis=1), abs=5e-4)
    assert [box["name"] for box in of_kind(page, "token") if box.get("current")] == ["it"]
    assert layers[3]["items"][0]["items"][1]["values"] == [["it → animal", "0.68"]]
    boxes = picture(page)["boxes"]
    layer_size = 1_774_464  # 4 (D D + D) + 2 D F + F + D + 4 D; D 384, F 1536
    table, positions, first = boxes[1], boxes[2], boxes[3]
    areas = [box["area"] * layer_size for box in (table, positions, first, *first["items"])]
    assert areas == pytest.approx([30_522 * 384, 512 * 384, layer_size, 591_360, 1_181_568])
    said = (
        "22.7 M parameters, 52% are in the token table, 31% in the feed-forward networks, and 16%"
    )
    assert said in words_on(page)
    assert f"would be {30_522 * 384 / layer_size:.1f} times as tall" in table["note"]
    address = {"left": "scratch", "text": "It was [MASK]."}
    notes = [of_kind(open_page(**address, token=at), "output")[0]["note"] for at in ("1", "3")]
    assert "sees “it” and can copy it" in notes[0] and "can copy" not in notes[1]


def test_a_layer_shows_the_vectors_of_the_selected_token():
    page = open_page(zoom="layer", **MINILM)
    kinds = [box["kind"] for box in picture(page)["boxes"]]
    parts = ["attention", "numbers branch", "numbers branch", "add", "norm", "feed", "add", "norm"]
    assert kinds == ["tokens", "vector", *parts]
    vectors = captures.layer_vectors("minilm", DEFAULT_TEXT, None, 3, IT)
    shown = [box for box in every(picture(page)["boxes"]) if box["kind"] in (*kinds[3:9], "bar")]
    drawn = {box["values"][-1][0]: box for box in shown if box["cells"]}
    names = {"z": "contexts", "a": "attention", "x + a": "attention_sum", "x′": "second_input"}
    names |= {"h": "hidden", "f": "feed_forward", "x′ + f": "feed_forward_sum"}
    for sign, name in {**names, "y": "layer_output"}.items():
        box, vector = drawn[f"{sign} ="], getattr(vectors, name)
        length, numbers = (text for _, text in box["values"][-2:])
        assert length == f"{np.linalg.norm(vector):.1f}"
        first = [float(text) for text in numbers.replace("−", "-").split()[:-1]]
        assert first == pytest.approx(vector[:4].tolist(), abs=0.006)
        assert box["cells"][0]["columns"] == len(vector)
    stream = captures.residual_stream("minilm", DEFAULT_TEXT, None)
    assert drawn["y ="]["values"][0] == ["‖y‖", f"{stream.layer_output[3, IT]:.1f}"]


def test_a_pre_norm_decoder_has_its_norms_before_its_parts():
    page = open_page(left="smollm2", zoom="layer", layer="17")
    kinds = [box["kind"] for box in picture(page)["boxes"]]
    branch = "norm branch"
    attended = [branch, "attention", "numbers branch", "numbers branch", "add"]
    assert kinds == ["tokens", "vector", *attended, branch, "feed", "add"]
    (feed,) = of_kind(page, "feed")
    assert len(feed["items"]) == 3  # the gate, the inner vector, the output


def test_norms_of_outputs_are_drawn_between_each_part_and_its_sum(tmp_path):
    folder = str(general_checkpoints.save("olmo2", tmp_path / "olmo2"))
    page = open_page(left=folder, text="the animal was it", zoom="layer")
    kinds = [box["kind"] for box in picture(page)["boxes"]]
    parts = ["attention", "norm branch", "add", "feed", "norm branch", "add"]
    assert kinds == ["tokens", "vector", *parts]


def test_a_head_shows_the_score_and_the_weight_of_every_key():
    page = open_page(zoom="head", **MINILM)
    steps = captures.capture("minilm", DEFAULT_TEXT, None).head(3, 1)
    keys = of_kind(page, "key")
    assert [numbers(key) for key in keys] == [
        [f"{score:.2f}".replace("-", "−"), f"{weight:.4f}"]
        for score, weight in zip(steps.scaled_scores[IT], steps.weights[IT], strict=True)
    ]
    assert [key["name"] for key in keys if key.get("current")] == ["animal"]
    assert f"look=%7Cpair.{IT}.{ANIMAL}" in of_kind(page, "strip")[0]["link"]
    most = np.abs(steps.context[IT]).max()
    assert f"at most {most:.2f} from 0" in of_kind(page, "strip")[1]["note"]
    # Only the strongest keys of a long text are drawn.
    lengths = np.linalg.norm(steps.v, axis=-1)  # (T, d_head) -> (T,)
    share = f"its value v has {lengths[0] / lengths.mean():.0%} of the mean length"
    said = f"“[CLS]” gets {steps.weights[IT, 0]:.2f} but passes on little: {share}"
    assert lengths.argmin() == 0 and said in words_on(page)
    page = open_page(zoom="head", left="scratch", layer="1", head="11", token="8")
    assert "passes on little" not in words_on(page)  # half the mean length, and a weight of 0.006
    page = open_page(**MINILM, zoom="head", text="the dog chased a cat " * 12)
    (keys,) = of_kind(page, "keys")
    assert len(of_kind(page, "key")) == 32 and "of 62" in keys["note"]


def test_the_products_add_up_to_the_score():
    page = open_page(zoom="score", key=str(ANIMAL), token=str(IT), **MINILM)
    steps = captures.capture("minilm", DEFAULT_TEXT, None).head(3, 1)
    products = of_kind(page, "product")
    assert [numbers(each)[1] for each in products] == [
        f"{q * k:z.3f}".replace("-", "−") for q, k in zip(steps.q[IT], steps.k[ANIMAL], strict=True)
    ]
    found = [float(numbers(step)[0].replace("−", "-")) for step in of_kind(page, "step")]
    weight = f"{steps.weights[IT, ANIMAL]:.2f}"
    assert f"“it” gives {weight} of its attention to “animal”" in words_on(page)
    raw = float(steps.q[IT] @ steps.k[ANIMAL])
    assert found == pytest.approx([raw, raw / np.sqrt(32), steps.weights[IT, ANIMAL]], abs=6e-5)


def test_the_output_of_a_decoder_is_its_prediction_at_the_selected_token():
    page = open_page(left="smollm2", text="The capital of France is")
    lens = logit_lens(load_model("smollm2"), "The capital of France is", positions=[4])
    found = [numbers(box)[0] for box in of_kind(page, "prediction")]
    assert found == [percent(float(p)) for p in lens.probabilities[-1, 0, :5] if p >= 0.005]
    stream = captures.residual_stream("smollm2", "The capital of France is", None)
    lengths = [f"{length:.1f}" for length in stream.layer_output[:, 4]]
    assert [numbers(layer)[0] for layer in of_kind(page, "layer")] == lengths


def test_an_encoder_decoder_shows_both_stacks():
    view = {"left": "phrases", "text": "the blue flower", "token": "1"}
    page = open_page(**view)
    translation = generated_texts.translation("phrases", "the blue flower", ())
    assert [len(layer["items"]) for layer in of_kind(page, "layer")] == [2, 2, 3, 3]
    best = of_kind(page, "prediction")[0]
    assert numbers(best) == [percent(translation.steps[1].top_k[0][1])]
    inner = open_page(**view, zoom="layer", stack="cross", layer="1")
    assert len(of_kind(inner, "attention")) == 2 and len(of_kind(inner, "norm")) == 3
    shown = open_page(**view, zoom="head", stack="cross")
    weights = translation.cross.weights[1, 1, 1]
    assert [numbers(key)[1] for key in of_kind(shown, "key")] == [f"{w:.4f}" for w in weights]


def without_link(boxes: list[dict]) -> Iterator[str]:
    for box in boxes:
        if not box.get("link") and box["kind"] != "columns":  # the names of columns
            yield from without_link(box["items"]) if box["items"] else [box["name"]]


def test_every_box_has_a_link_and_every_link_opens_a_known_view():
    stacks = [{"left": "phrases", "stack": stack} for stack in ("cross", "encoder", "decoder")]
    views = product(("whole", "layer", "head", "score"), (MINILM, SMOLLM2, *stacks))
    for zoom, address in views:
        data = picture(open_page(zoom=zoom, **address))
        boxes = [*data["boxes"], *data["path"]]
        assert list(without_link(boxes)) == [], (zoom, address)
        for link in filter(None, (box.get("link") for box in every(boxes))):
            url = urlsplit(link)
            view = dict(parse_qsl(url.query))
            known = DECODER_PARTS[view["part"]] if url.path == "/decoder" else BY_PATH[url.path]
            extra = {"stack", "source"} if url.path == "/model" else set()
            assert view.keys() <= known.keys() | extra, link
            for name in view.keys() & known.keys():
                known[name].parse(view[name])  # raises for an unknown value


def test_another_model_begins_with_the_whole_and_a_translator_with_a_text_of_its_own():
    page = open_page(zoom="head", **MINILM)
    page.selectbox(key="pictured_box_minilm").select("phrases").run()
    assert picture(page)["zoom"] == "whole"
    assert page.text_input(key="pictured_text").value == "the blue flower is not small"
    page.text_input(key="pictured_text").set_value("the quantum flower").run()
    assert "quantum" in page.error[0].value
