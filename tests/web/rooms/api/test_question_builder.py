"""Items and truth of the questions about a view."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest

from model import HeadlightError
from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.intervention import Intervention
from model.analysis.measures import profile
from model.calculator.practice.numeric import numeric_exercises
from web import settings
from web.cache.captures import intervention_outcome, next_tokens
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


def test_a_question_for_own_sentences_names_the_head_and_no_right_answer():
    request = {"prompt": "?", "kind": "sentence", "view": view(special="hide", words=1)}
    items, truth = build_question(request)
    head = {"model": "minilm", "side": "right", "layer": 3, "head": 1}
    assert (items, truth) == ({**head, "special": "show"}, {"right": []})
    scaled = {**request, "view": view(special="renormalise"), "reasons": True}
    assert build_question(scaled)[0] == {**head, "special": "renormalise", "reasons": True}
    mean, _ = build_question({**request, "view": view("/layers", kind="mean")})
    assert "head" not in mean and mean["layer"] == 3
    with pytest.raises(HeadlightError, match="shows no attention weights"):
        build_question({**request, "view": view("/layers", kind="rollout")})


def test_a_question_for_a_measure_has_the_value_of_the_views_sentence_for_reference(captures):
    values = profile(captures["minilm"])["entropy"][3]  # (H,)
    link = view(special="hide", words=1)
    request = {"prompt": "?", "kind": "sentence", "measure": "entropy", "view": link}
    items, truth = build_question(request)
    assert items == {
        **{"model": "minilm", "side": "right", "layer": 3, "head": 1},
        "measure": "entropy",
    }
    reference = {"text": TEXT, "value": round(float(values[1]), 4)}
    assert truth == {"right": [], "reference": reference}
    mean = build_question({**request, "view": view("/layers", kind="mean")})[1]["reference"]
    assert mean["value"] == round(float(values.mean()), 4)
    without_repeats = {**request, "view": view(text="A cat sat."), "measure": "same"}
    assert build_question(without_repeats)[1] == {"right": []}
    for unknown in ("induction", "weights", ["entropy"]):  # of decoders, of none, no text
        with pytest.raises(HeadlightError, match="minilm does not have this measure"):
            build_question({**request, "measure": unknown})


def test_the_measures_of_a_view_are_those_of_each_models_heads():
    about = describe_view(view("/layers", part="profile", measure="distance", right="smollm2"))
    assert about["measure"] == "distance"
    for side, model in (("left", "scratch"), ("right", "smollm2")):
        known = list(profile(loaded_model(model).attend(TEXT)))
        assert about["sides"][side]["measures"] == known
    assert describe_view(view())["measure"] == ""


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


def test_a_sketch_is_compared_with_the_whole_row(captures):
    request = {"prompt": "?", "kind": "sketch", "query": 5, "view": view()}
    items, truth = build_question(request)
    np.testing.assert_allclose(truth["weights"], captures["minilm"].weights[3, 1, 5], atol=1e-6)
    assert truth["right"] == [] and "weights" not in items
    with pytest.raises(HeadlightError, match="does not sum to 1"):
        build_question({**request, "view": view(special="hide")})
    _, truth = build_question({**request, "view": view(special="renormalise")})
    assert sum(truth["weights"]) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("mask", "name", "rows"),
    [
        ("causal", "causal", ["10000", "11000", "11100", "11110", "11111"]),
        ("window&reach=1", "window", ["11000", "11100", "01110", "00111", "00011"]),
        (
            "window&reach=1&causal=1",
            "window, causal",
            ["10000", "11000", "01100", "00110", "00011"],
        ),
        ("padding&pads=1&inverted=1", "padding, inverted", ["000001"] * 6),
    ],
)
def test_the_mask_of_the_masks_part_is_sketched(mask, name, rows):
    link = f"/decoder?part=masks&text=the+cat+sat&mask={mask}"
    assert describe_view(link) == {"sketch": {"kind": "mask", "name": name}}
    items, truth = build_question({"prompt": "?", "kind": "mask", "view": link})
    assert items["tokens"][:5] == ["[CLS]", "the", "cat", "sat", "[SEP]"]
    assert items["model"] == "scratch" and truth == {"right": [rows]}


def test_the_alignment_of_a_translation_is_the_largest_weight_of_the_shown_head():
    link = "/decoder?part=translate&text=the+blue+flower+is+not+small&layer=1&head=0"
    assert describe_view(link) == {"sketch": {"kind": "alignment", "name": ""}}
    items, truth = build_question({"prompt": "?", "kind": "alignment", "view": link})
    assert items["tokens"] == ["the", "blue", "flower", "is", "not", "small", "</s>"]
    assert items["targets"] == ["la", "fleur", "bleue", "n'", "est", "pas", "petite", "</s>"]
    # la-the, fleur-flower, bleue-blue, n'-not, est-is, pas-not, petite-small
    assert truth["right"] == [[0, 2, 1, 4, 3, 4, 5, 6]]
    assert (items["layer"], items["head"]) == (1, 0) and "weights" not in items
    np.testing.assert_allclose(np.sum(truth["weights"], axis=1), 1, atol=1e-5)
    other = build_question({"prompt": "?", "kind": "alignment", "view": f"{link[:-1]}1"})[1]
    assert other["right"] == [[0, 2, 1, 3, 3, 4, 5, 6]]
    items, mean = build_question({"prompt": "?", "kind": "alignment", "view": f"{link}&mean=1"})
    assert "head" not in items and mean["weights"] != truth["weights"]


@pytest.mark.parametrize(
    ("kind", "link", "error"),
    [
        ("mask", "/decoder?part=translate", "no mask and no translation"),
        ("mask", "/?text=A+cat", "no mask and no translation"),
        ("alignment", "/decoder?part=translate&stack=decoder", "no mask and no translation"),
        (
            "mask",
            "/decoder?part=masks&text=" + "a+" * 11,
            "can have 12 tokens, and this view has 13",
        ),
        ("mask", "/decoder?part=masks&text=a&mask=drawn&cells=2.8A&pads=0", "another sentence"),
        ("alignment", "/decoder?part=translate&text=zzz", "zzz"),
    ],
)
def test_a_view_without_a_small_mask_or_alignment_is_refused(kind, link, error):
    with pytest.raises(HeadlightError, match=error):
        build_question({"prompt": "?", "kind": kind, "view": link})


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


def test_head_and_layer_questions_are_about_two_tokens(captures):
    links = captures["minilm"].weights[:, :, 6, 2]  # (6, 12)
    items, truth = build_question(
        {"prompt": "?", "kind": "head", "query": 6, "key": 2, "view": view("/layers")}
    )
    assert (items["layers"], items["heads"]) == links.shape
    np.testing.assert_allclose(truth["weights"], links, atol=1e-6)
    assert truth["right"] == [list(np.unravel_index(links.argmax(), links.shape))]
    items, truth = build_question(
        {"prompt": "?", "kind": "layer", "query": 6, "key": 2, "view": view("/layers")}
    )
    np.testing.assert_allclose(truth["weights"], links.mean(axis=1), atol=1e-6)
    assert truth["right"] == [int(links.mean(axis=1).argmax())]
    off = truth["test"].partition("off=")[2]
    assert read_pairs(off) == [(truth["right"][0], head) for head in range(12)]


def test_a_number_question_is_a_cell_of_an_exercise_or_a_given_value():
    # 1 / (1 + e^(1 / (2 √2))): the scores of the lesson's first exercise are 1 / √2 and 0.5 / √2.
    link = "/calculator?mode=practice&level=1&seed=1&exercise=0&ask=weights&decimals=3"
    items, truth = build_question(
        {"prompt": "?", "kind": "number", "query": 0, "key": 1, "view": link}
    )
    assert truth["value"] == pytest.approx(1 / (1 + np.exp(1 / (2 * np.sqrt(2)))))
    assert truth["tolerance"] == pytest.approx(1e-3, abs=1e-8)
    assert items["given"].keys() == {"Q", "K"}
    other = link.replace("seed=1", "seed=7").replace("ask=weights", "ask=context")
    items, truth = build_question(
        {"prompt": "?", "kind": "number", "query": 1, "key": 0, "view": other}
    )
    assert truth["value"] == float(numeric_exercises(7, 1)[0].true("context")[1, 0])
    assert items["given"]["V"] == numeric_exercises(7, 1)[0].v.tolist()
    own = build_question(
        {"prompt": "?", "kind": "number", "value": 2, "tolerance": 0.5, "view": "/decoder"}
    )
    assert own == ({"tolerance": 0.5}, {"value": 2.0, "tolerance": 0.5})


def test_the_items_do_not_contain_the_truth():
    questions = (
        {"kind": "token", "query": 5, "view": view()},
        {"kind": "head", "query": 6, "key": 2, "view": view()},
        {"kind": "layer", "query": 6, "key": 2, "view": view()},
        {"kind": "choice", "options": ["a", " b "], "right": [1], "view": "/"},
    )
    for question in questions:
        items, _truth = build_question({"prompt": "?", **question})
        assert not {"weights", "right", "value", "test"} & items.keys()
    assert items == {"options": ["a", "b"]}


def test_a_view_is_described_by_its_sides_or_its_exercise():
    described = describe_view(view("/heads", side="left"))
    assert described["side"] == "left"
    assert {side: shown["model"] for side, shown in described["sides"].items()} == {
        "left": "scratch",
        "right": "minilm",
    }
    assert describe_view(view(picked="4.6"))["picked"] == 4
    assert describe_view(view())["picked"] is None
    assert describe_view("/about") == {}
    assert describe_view("/calculator?mode=practice&level=3&seed=4&ask=context") == {
        "practice": {"asked": "context", "rows": 4, "columns": 3}
    }


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"kind": "token", "query": 2, "view": view(), "prompt": " "}, "Type a question"),
        ({"kind": "spell"}, "kind of question does not exist"),
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
        ({"kind": "number", "view": "/"}, "Enter the right value"),
        ({"kind": "number", "value": float("inf"), "tolerance": 1, "view": "/"}, "finite"),
        ({"kind": "number", "value": 1, "tolerance": -1, "view": "/"}, "0 or more"),
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


def test_the_link_selects_the_head_whose_weights_change_most():
    """Switching a head off does not change the weights of its own layer."""
    truth = build_question(
        {"prompt": "?", "kind": "token", "query": 2, "view": view(layer=2, head=8)}
    )[1]
    link = dict(parse_qsl(urlsplit(truth["test"]).query))
    assert read_pairs(link["off"]) == [(2, 8)]
    place = int(link["layer"]), int(link["head"])
    assert place[0] > 2
    change = Intervention(frozenset({(2, 8)}))
    runs = (intervention_outcome("minilm", TEXT, None, each) for each in (Intervention(), change))
    distances = jensen_shannon_of_pairs(*(run.capture.weights for run in runs))
    assert distances[place] == distances.max() > 0
    # No layer follows the last one, so no weights change.
    truth = build_question(
        {"prompt": "?", "kind": "token", "query": 2, "view": view(layer=5, head=8)}
    )[1]
    assert "layer=5&head=8" in truth["test"]
