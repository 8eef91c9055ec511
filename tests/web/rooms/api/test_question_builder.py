"""Items and truth of the questions about a view."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest

from model import HeadlightError
from web import settings
from web.cache.captures import next_tokens
from web.cache.loaded_models import loaded_model
from web.rooms.api.question_builder import build_question, describe_view
from web.view_state.parameters import read_pairs

TEXT = "The cat <b>sat</b> because it was tired."


def view(path="/", **parameters):
    defaults = {"text": TEXT, "left": "scratch", "right": "minilm", "layer": 3, "head": 1}
    return f"{path}?{urlencode({**defaults, **parameters})}"


@pytest.fixture(scope="module")
def captures():
    return {name: loaded_model(name).attend(TEXT) for name in ("scratch", "minilm")}


def test_a_token_question_is_about_the_selected_head(captures):
    weights = captures["minilm"].weights[3, 1, 5]
    items, truth = build_question({"prompt": "?", "kind": "token", "query": 5, "view": view()})
    assert items["tokens"][3] == "<₁"  # not escaped
    assert len(items["tokens"]) == len(captures["minilm"].tokens)
    assert (items["model"], items["layer"], items["head"]) == ("minilm", 3, 1)
    np.testing.assert_allclose(truth["weights"], weights, atol=1e-6)
    assert truth["right"] == [int(weights.argmax())]


def test_each_side_has_its_own_model_and_head(captures):
    apart = view(linked=0, right_layer=4, right_head=7)
    left, right = (
        build_question({"prompt": "?", "kind": "token", "query": 2, "view": apart, "side": side})[
            1
        ]["weights"]
        for side in ("left", "right")
    )
    np.testing.assert_allclose(left, captures["scratch"].weights[3, 1, 2], atol=1e-6)
    np.testing.assert_allclose(right, captures["minilm"].weights[4, 7, 2], atol=1e-6)
    # The link of the Heads page contains the side.
    own = build_question(
        {"prompt": "?", "kind": "token", "query": 2, "view": view("/heads", side="left")}
    )
    assert own[0]["model"] == "scratch"
    # As on the page, a head that the model does not have becomes its last one.
    clamped = build_question(
        {
            "prompt": "?",
            "kind": "token",
            "query": 2,
            "view": view("/layers", kind="head", layer=40, head=9),
        }
    )
    assert (clamped[0]["layer"], clamped[0]["head"]) == (5, 9)


def test_a_question_about_the_next_token_has_the_models_probabilities():
    text = "When Mary and John went to the store, John gave a drink to"
    link = f"/decoder?{urlencode({'part': 'generate', 'model': 'smollm2', 'text': text})}"
    assert describe_view(link) == {"next": True}
    items, truth = build_question({"prompt": "?", "kind": "next", "view": link})
    assert items["options"] == sorted(items["options"]) and len(items["options"]) == 5
    assert items["options"][truth["right"][0]] == "Mary"
    model = loaded_model("smollm2")
    probabilities = dict(next_tokens("smollm2", text))
    for option, weight in zip(items["options"], truth["weights"], strict=True):
        assert probabilities[f" {option}"] == pytest.approx(weight, abs=1e-6)
        assert model.tokenizer.token_to_id(f"Ġ{option}") is not None


@pytest.mark.parametrize(
    ("link", "error"),
    [
        ("/decoder?part=translate&phrase=a+cat", "continues no text"),
        ("/decoder?part=generate&talk=1", "continues no text"),
        ("/?text=A+cat", "continues no text"),
        ("/decoder?part=generate&model=minilm&text=A+cat", "minilm predicts no next token"),
    ],
)
def test_only_a_text_that_a_decoder_continues_has_a_next_token(link, error):
    with pytest.raises(HeadlightError, match=error):
        build_question({"prompt": "?", "kind": "next", "view": link})


@pytest.mark.parametrize("special", ["hide", "renormalise"])
def test_a_question_is_about_the_rows_that_the_page_shows(captures, special):
    """The weights of the special tokens are not on the page, so no answer can name them."""
    capture = captures["minilm"]
    row = capture.weights[3, 1, 9, 1:-1]  # without [CLS] and [SEP]
    shown = row / row.sum() if special == "renormalise" else row
    link = view(special=special)
    items, truth = build_question({"prompt": "?", "kind": "token", "query": 8, "view": link})
    assert items["tokens"][0] == "the" and items["special"] == special
    np.testing.assert_allclose(truth["weights"], shown, atol=1e-6)
    assert truth["right"] == [int(row.argmax())]
    assert dict(parse_qsl(urlsplit(truth["test"]).query))["special"] == special
    assert describe_view(link)["sides"]["right"]["tokens"] == items["tokens"]


def test_a_question_about_merged_words_and_about_the_mean_over_heads(captures):
    capture = captures["minilm"]
    long = "Unbelievably so."
    whole = loaded_model("minilm").attend(long)
    parts = [i for i, word in enumerate(whole.word_ids) if word == 0]
    assert len(parts) > 1
    _, truth = build_question(
        {"prompt": "?", "kind": "head", "query": 0, "key": 1, "view": view(text=long, words=1)}
    )
    summed = whole.weights[:, :, 0, parts].sum(axis=-1)
    np.testing.assert_allclose(truth["weights"], summed, atol=2e-6)

    link = view("/layers", kind="mean", layer=2)
    items, truth = build_question({"prompt": "?", "kind": "token", "query": 4, "view": link})
    np.testing.assert_allclose(truth["weights"], capture.weights[2, :, 4].mean(axis=0), atol=1e-6)
    assert "head" not in items and describe_view(link)["sides"]["right"]["mean"]
    with pytest.raises(HeadlightError, match="no attention weights"):
        build_question(
            {"prompt": "?", "kind": "token", "query": 4, "view": view("/layers", kind="rollout")}
        )


def test_a_head_question_is_about_two_tokens(captures):
    links = captures["minilm"].weights[:, :, 6, 2]  # (6, 12)
    items, truth = build_question(
        {"prompt": "?", "kind": "head", "query": 6, "key": 2, "view": view("/layers")}
    )
    assert (items["layers"], items["heads"]) == links.shape
    np.testing.assert_allclose(truth["weights"], links, atol=1e-6)
    assert truth["right"] == [list(np.unravel_index(links.argmax(), links.shape))]
    assert read_pairs(truth["test"].partition("off=")[2]) == [tuple(truth["right"][0])]


def test_a_number_question_is_the_weight_between_two_tokens(captures):
    request = {"prompt": "?", "kind": "number", "query": 6, "key": 2}
    items, truth = build_question({**request, "view": view()})
    assert (items["query"], items["key"], items["layer"], items["head"]) == (6, 2, 3, 1)
    weights = captures["minilm"].weights[3, :, 6, 2]  # (12,)
    assert truth["value"] == pytest.approx(weights[1], abs=1e-6)
    assert truth["tolerance"] == items["tolerance"] == 0.05
    assert read_pairs(truth["test"].partition("off=")[2]) == [(3, 1)]
    items, truth = build_question({**request, "view": view("/layers", kind="mean")})
    assert truth["value"] == pytest.approx(weights.mean(), abs=1e-6)
    assert "head" not in items
    off = truth["test"].partition("off=")[2]
    assert read_pairs(off) == [(3, head) for head in range(12)]


def test_the_items_do_not_contain_the_truth():
    questions = (
        {"kind": "token", "query": 5, "view": view()},
        {"kind": "head", "query": 6, "key": 2, "view": view()},
        {"kind": "number", "query": 6, "key": 2, "view": view()},
        {"kind": "choice", "options": ["a", " b "], "right": [1], "view": "/"},
    )
    for question in questions:
        items, _truth = build_question({"prompt": "?", **question})
        assert not {"weights", "right", "value", "test"} & items.keys()
    assert items == {"options": ["a", "b"]}


def test_a_view_is_described_by_its_sides():
    described = describe_view(view("/heads", side="left"))
    assert described["side"] == "left"
    assert {side: shown["model"] for side, shown in described["sides"].items()} == {
        "left": "scratch",
        "right": "minilm",
    }
    assert describe_view(view(picked="4.6"))["picked"] == 4
    assert describe_view(view())["picked"] is None
    assert describe_view("/about") == {}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"kind": "token", "query": 99, "view": view()}, "query must be a whole number"),
        ({"kind": "token", "query": True, "view": view()}, "query must be a whole number"),
        ({"kind": "token", "query": 0, "view": "/decoder"}, "shows no sentence"),
        ({"kind": "token", "query": 0, "view": "https://elsewhere.example/"}, "link to a page"),
        ({"kind": "token", "query": 0, "view": view(text="a " * 200)}, "offer 128 tokens"),
        ({"kind": "token", "query": 0, "view": view(text=" ")}, "text"),
        (
            {"kind": "head", "query": 1, "key": 2, "view": view(right="smollm2")},
            "the mask hides later tokens",
        ),
        ({"kind": "number", "query": 1, "key": 99, "view": view()}, "key must be a whole number"),
        ({"kind": "number", "view": "/calculator?mode=practice"}, "shows no sentence"),
        ({"kind": "choice", "options": ["a"], "view": "/"}, "Enter 2 to 8"),
        ({"kind": "choice", "options": ["a", " "], "view": "/"}, "needs a text"),
        ({"kind": "choice", "options": ["a", "b"], "right": [2], "view": "/"}, "from 0 to 1"),
    ],
)
def test_an_impossible_question_is_refused_in_words(question, words):
    with pytest.raises(HeadlightError, match=words):
        build_question({"prompt": "?", **question})


def test_a_question_cannot_load_a_model_outside_the_catalogue(monkeypatch):
    monkeypatch.setattr(settings, "_settings", settings.Settings(any_model=False))
    with pytest.raises(HeadlightError, match="only the models of its list"):
        build_question({"prompt": "?", "kind": "token", "query": 0, "view": view(right="/etc")})
