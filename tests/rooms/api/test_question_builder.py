"""Items and truth of the questions about a view."""

from urllib.parse import urlencode

import numpy as np
import pytest

from app import site
from model import HeadlightError
from rooms.api.question_builder import build_question, describe_view
from web import settings
from web.cache.loaded_models import loaded_model
from web.view_state.parameters import DEFAULT_TEXT

SITE = site()
TEXT = "The cat <b>sat</b> because it was tired."


def view(path="/", **parameters):
    defaults = {"text": TEXT, "left": "scratch", "right": "minilm", "layer": 3, "head": 1}
    return f"{path}?{urlencode({**defaults, **parameters})}"


def ask(kind, view, **more):
    """The items and the truth of a question."""
    asked = build_question(SITE, {"prompt": "?", "kind": kind, "view": view, **more})
    items, truth = asked.items, asked.truth
    assert not {"weights", "right", "value"} & items.keys()
    return items, truth


@pytest.fixture(scope="module")
def captures():
    return {name: loaded_model(name).attend(TEXT) for name in ("scratch", "minilm")}


def test_a_token_question_is_about_the_selected_head(captures):
    items, truth = ask("token", view(), query=5)
    weights = captures["minilm"].weights[3, 1, 5]
    assert items["tokens"][3] == "<₁"  # not escaped
    assert len(items["tokens"]) == len(captures["minilm"].tokens)
    assert (items["model"], items["layer"], items["head"]) == ("minilm", 3, 1)
    np.testing.assert_allclose(truth["weights"], weights, atol=1e-6)
    assert truth["right"] == [int(weights.argmax())]
    _, truth = ask("token", view(linked=0, right_layer=4, right_head=7), query=2)
    np.testing.assert_allclose(truth["weights"], captures["minilm"].weights[4, 7, 2], atol=1e-6)
    # The link of the Heads page contains the side.
    assert ask("token", view("/heads", side="left"), query=2)[0]["model"] == "scratch"
    # As on the page, the last head replaces one that the model does not have.
    clamped, _ = ask("token", view("/layers", kind="head", layer=40, head=9), query=2)
    assert (clamped["layer"], clamped["head"]) == (5, 9)


@pytest.mark.parametrize("special", ["hide", "renormalise"])
def test_a_question_is_about_the_rows_that_the_page_shows(captures, special):
    """The weights of the special tokens are not on the page, so no answer can name them."""
    row = captures["minilm"].weights[3, 1, 9, 1:-1]  # without [CLS] and [SEP]
    items, truth = ask("token", view(special=special), query=8)
    assert items["tokens"][0] == "the" and items["special"] == special
    shown = row / row.sum() if special == "renormalise" else row
    np.testing.assert_allclose(truth["weights"], shown, atol=1e-6)
    assert truth["right"] == [int(row.argmax())]
    assert describe_view(SITE, view(special=special))["tokens"] == items["tokens"]


def test_a_question_about_merged_words():
    long = "Unbelievably so."
    whole = loaded_model("minilm").attend(long)
    parts = [i for i, word in enumerate(whole.word_ids) if word == 0]
    assert len(parts) > 1
    _, truth = ask("head", view(text=long, words=1), query=0, key=1)
    summed = whole.weights[:, :, 0, parts].sum(axis=-1)
    np.testing.assert_allclose(truth["weights"], summed, atol=2e-6)


def test_head_and_number_questions_are_about_two_tokens(captures):
    links = captures["minilm"].weights[:, :, 6, 2]  # (6, 12)
    items, truth = ask("head", view("/layers"), query=6, key=2)
    assert (items["layers"], items["heads"]) == links.shape
    np.testing.assert_allclose(truth["weights"], links, atol=1e-6)
    assert truth["right"] == [list(np.unravel_index(links.argmax(), links.shape))]

    items, truth = ask("number", view(), query=6, key=2)
    assert (items["query"], items["key"], items["layer"], items["head"]) == (6, 2, 3, 1)
    assert truth["value"] == pytest.approx(links[3, 1], abs=1e-6)
    assert truth["tolerance"] == items["tolerance"] == 0.05


def test_a_choice_has_its_options():
    found = ask("choice", view(), options=["a", " b "], right=[1])
    assert found == ({"options": ["a", "b"]}, {"right": [1]})


def test_a_suggested_link_is_strong_and_between_words():
    described = describe_view(SITE, view("/heads", side="left", layer=4))
    assert (described["layer"], described["head"]) == (4, 1) and "<₁" in described["tokens"]
    for picked, link in (("", [10, 2]), (6, [6, 8]), (0, [10, 2])):  # it → animal, cross → street
        found = describe_view(SITE, view(text=DEFAULT_TEXT, picked=picked))["link"]
        assert found == link  # nothing is asked about [CLS], which is selected at last
    assert describe_view(SITE, view(text="Tired."))["link"] is None
    assert describe_view(SITE, "/about") == {}


@pytest.mark.parametrize(
    ("kind", "link", "more", "words"),
    [
        ("token", view(), {"query": 99}, "query must be a whole number"),
        ("token", view(), {"query": True}, "query must be a whole number"),
        ("token", "/decoder", {"query": 0}, "shows no sentence"),
        ("token", view(text="a " * 200), {"query": 0}, "offer 128 tokens"),
        ("head", view(right="smollm2"), {"query": 1, "key": 2}, "the mask hides later tokens"),
        ("choice", "/", {"options": ["a", " "]}, "needs a text"),
        ("choice", "/", {"options": ["a", "b"], "right": [2]}, "from 0 to 1"),
    ],
)
def test_an_impossible_question_is_refused_in_words(kind, link, more, words):
    with pytest.raises(HeadlightError, match=words):
        ask(kind, link, **more)


def test_a_question_cannot_load_a_model_outside_the_catalogue(monkeypatch):
    monkeypatch.setattr(settings, "_settings", settings.Settings(any_model=False))
    with pytest.raises(HeadlightError, match="only the models of its list"):
        ask("token", view(right="/etc"), query=0)
