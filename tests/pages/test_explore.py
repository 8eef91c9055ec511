"""The Explore page in AppTest."""

import io
from functools import partial
from unittest.mock import patch
from urllib.parse import parse_qsl

import numpy as np
import pytest
import streamlit as st

from model import load_model
from model.capture import tokens
from model.capture.tokens import MAX_CHARACTERS
from model.catalogue import encoder_files
from pages.explore import selection as selection_of_page
from pages.explore.url import PARAMETERS
from tests.pages import visit
from tests.pages.figures import payloads, shown, tables, view, weights, words_on
from tests.pages.visit import Visit
from viz.style.labels import percent
from viz.style.theme import SIDE_RGB
from web.cache import captures, uploaded_captures
from web.subject import SIDES, Subject
from web.view_state.parameters import DEFAULT_TEXT

RED = "red blue green red blue"

open_page = partial(visit.open_page, "")


def counts(page: Visit) -> list[str]:
    return [subject["tokens"]["count"] for subject in view(page)[0]["subjects"]]


def selection(page: Visit) -> dict:
    return payloads(page)["state_capture"]["selection"]


def expect_heads(page: Visit, left: np.ndarray, right: np.ndarray) -> None:
    assert not page.exception
    np.testing.assert_allclose(shown(page, "left"), left, atol=0.5001e-4)
    np.testing.assert_allclose(shown(page, "right"), right, atol=0.5001e-4)


def test_a_first_visit_shows_both_models_with_true_weights() -> None:
    page = open_page()
    assert page.text_input(key="text").value == DEFAULT_TEXT
    counted = "16 tokens (at most 512); the model adds special tokens around the text: "
    assert counts(page) == [f"{counted}[CLS], [SEP]"] * 2
    expect_heads(page, weights("scratch")[3, 1], weights("minilm")[3, 1])
    for side, name in (("left", "scratch"), ("right", "minilm")):
        np.testing.assert_allclose(view(page)[1][side], weights(name), atol=0.5001e-4)


def test_a_typed_sentence_reruns_only_what_depends_on_it() -> None:
    page = open_page(picked="2")
    page.text_input(key="text").set_value("hello there").run()
    assert page.fragments == 1
    expect_heads(page, *(weights(name, "hello there")[3, 1] for name in ("scratch", "minilm")))
    assert page.address["text"] == "hello there" and "picked" not in page.address
    assert [link for link in page.get("page_link") if "hello" in link.proto.query_string]
    page.text_input(key="text").set_value("   ").run()
    assert page.fragments == 0 and not page.error and "state_capture" not in payloads(page)
    page.text_input(key="text").set_value("a" * (MAX_CHARACTERS + 5)).run()
    assert page.fragments == 0 and page.text_input(key="text").value == "a" * MAX_CHARACTERS


def test_words_beyond_the_memory_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_WEIGHTS", 72 * 9**2)  # each side has 72 heads
    page = open_page(text="Nine of these words are too many for so little memory.")
    limit = "Too long: scratch is shown on at most 9 tokens. Left out:"
    assert limit in words_on(page)
    assert counts(page)[0].startswith("9 tokens (at most 9);")


def test_the_second_sentence_opens_with_a_button_and_closing_deletes_it() -> None:
    page = open_page(picked="3")
    page.button(key="second").click().run()
    page.text_input(key="pair").set_value("It was warm.").run()
    assert page.address["pair"] == "It was warm." and "picked" not in page.address
    pair = weights("minilm", DEFAULT_TEXT, "It was warm.")[3, 1]
    np.testing.assert_allclose(shown(page, "right"), pair, atol=0.5001e-4)
    page.text_input(key="pair").set_value("").run()
    assert page.text_input(key="pair").value == ""  # its box stays open without text
    page.text_input(key="pair").set_value("It was cold.").run()
    page.button(key="second").click().run()
    assert "pair" not in [box.key for box in page.text_input] and "pair" not in page.address


def test_a_link_to_another_page_keeps_the_language() -> None:
    unspoken, spoken = (
        [dict(parse_qsl(link.proto.query_string)) for link in page.get("page_link")]
        for page in (open_page(), open_page(lang="en"))
    )
    assert all("lang" not in link for link in unspoken)
    assert spoken == [{**link, "lang": "en"} for link in unspoken] != []


def test_a_link_restores_every_part_of_the_view() -> None:
    wanted = {"text": "She put the book on the [MASK].", "pair": "It was heavy."}
    wanted |= {"left": "minilm", "right": "scratch-minilm", "layer": "4", "head": "6"}
    wanted |= {"linked": "0", "right_layer": "1", "right_head": "2", "scale": "sqrt"}
    wanted |= {"special": "renormalise", "words": "1", "picked": "1.3"}
    page = open_page(**wanted)
    assert page.address == wanted
    assert shown(page, "right").shape == (12, 12)  # 15 tokens, of which 3 are special
    assert (selection(page)["picked"], selection(page)["right"]) == ([1, 3], [1, 2])
    page = open_page(view="lines", overlaid="0-2.1-8", same="1")
    wanted = {"view": "lines", "overlaid": [[0, 2], [1, 8]], "same": True, "linked": True}
    assert wanted.items() <= selection(page).items()


def test_unknown_values_in_a_link_give_notices_and_the_defaults() -> None:
    wrong = {"layer": "-1", "head": "two", "words": "yes", "picked": "a.b", "overlaid": "3"}
    page = open_page(**wrong, right="scratch@123")
    assert all(f"The link's {name} = " in words_on(page) for name in wrong)
    assert "step 123" in words_on(page) and "minilm is shown instead" in words_on(page)
    assert page.address == {**open_page().address, "right": "scratch@123"}
    page = open_page(layer="40", head="3")  # the last layer is shown
    np.testing.assert_allclose(shown(page, "right"), weights("minilm")[5, 3], atol=0.5001e-4)


def test_a_message_with_values_that_no_view_has_changes_nothing() -> None:
    page = open_page(layer="4", head="6", picked="2", right="smollm2")  # 30 x 9 heads
    sides = [Subject(side, page.session_state[side], DEFAULT_TEXT) for side in SIDES]
    before = dict(page.address)

    def select(**fields: object) -> list[object]:
        with patch.object(st, "session_state", page.session_state):
            selection_of_page._select(fields, *sides)
            return [field.value for field in PARAMETERS.values()]

    unchanged = select()

    wrong: dict[str, tuple[object, ...]] = {
        "left": ([4], [-1, 0], [30, 0], [0, 12], ["3", "1"], [1.5, 2], {"layer": 1}, None),
        "picked": ([-1], "2", [[1]], 7, {"a": 1}),
        "overlaid": ([[40, 1]], [3, 1], ["ab"], "1-2", 5),
        "linked": ("yes", None, [1]),
        "view": ("pie", 3, ["lines"]),
        "side": ("middle", None),
        "file": ("minilm", ["file:"], None),
    }
    for name, values in wrong.items():
        for value in values:
            assert select(**{name: value}) == unchanged, (name, value)
    right = {"layer": "29", "head": "1", "picked": "2.5", "view": "lines", "side": "left"}
    select(left=[29, 1], picked=[5, 2, 16], view="lines", side="left")  # of 16 tokens
    assert page.run().address == {**before, **right}


def test_a_decoder_is_named_as_one_and_its_masked_cells_are_not_zero() -> None:
    page = open_page(text=RED, pair="It was warm.", left="smollm2", layer="17", head="5")
    token, probability = captures.next_tokens("smollm2", RED)[0]
    about = "30 layers (L) × 9 heads (H), 134.5 M parameters. Its file rounds the numbers of its "
    assert about in view(page)[0]["subjects"][0]["about"]
    for sentence in (
        "H3 to H5 have their own queries and share keys and values.",
        f"Next token by smollm2: **{token.strip()}** {percent(probability)} · ",
    ):
        assert sentence in words_on(page)
    drawn = shown(page, "left")
    np.testing.assert_array_equal(np.isnan(drawn), np.triu(np.ones((5, 5), dtype=bool), k=1))
    theirs = weights("smollm2", RED)[17, 5]
    np.testing.assert_allclose(np.nan_to_num(drawn), theirs, atol=0.5001e-4)


@pytest.mark.parametrize(
    ("left", "right", "colours"),
    [("minilm", "scratch", ("right", "left")), ("scratch@0", "scratch", ("left", "left"))],
)
def test_a_model_keeps_its_colour_on_either_side(left: str, right: str, colours) -> None:
    header, _cells = view(open_page(left=left, right=right))
    assert [each["rgb"] for each in header["subjects"]] == [[*SIDE_RGB[c]] for c in colours]


def test_a_download_needs_a_click_and_without_a_network_the_model_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("the network was asked for")

    with monkeypatch.context() as without_network:
        without_network.setattr("socket.socket.connect", refuse)
        page = open_page(right="nobody/knows-this-one")
    assert "not on this machine" in words_on(page)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    page.button(key="download_right").click().run()
    assert not page.exception and "cannot reach the model hub" in words_on(page)
    np.testing.assert_allclose(shown(page, "right"), weights("minilm")[3, 1], atol=0.5001e-4)


def sliders(page: Visit) -> list[dict]:
    return [data for data in payloads(page).values() if "stops" in data]


def test_the_training_plays_on_request_from_the_first_checkpoint() -> None:
    page = open_page()
    assert not sliders(page)  # it is not sent before it is opened
    page.button(key="fold_training").click().run()
    assert page.address["training"] == "1"
    (slider,) = sliders(page)
    checkpoints = encoder_files.history().checkpoints
    assert slider["stops"] == [f"{checkpoint.step:,}" for checkpoint in checkpoints]
    assert slider["current"] == 0 and slider["plays"] and page.address["left"] == "scratch@0"
    right, previous, following = slider["curves"]
    assert right["values"] == [checkpoint.top1 for checkpoint in checkpoints]
    assert previous["values"] == [checkpoint.previous[3][1] for checkpoint in checkpoints]
    assert following["values"] == [checkpoint.next[3][1] for checkpoint in checkpoints]
    assert not sliders(open_page(left="minilm", training="1"))  # it has no checkpoints


def test_a_link_restores_a_checkpoint_and_its_slider() -> None:
    step = encoder_files.history().checkpoints[2].step
    at = {"left": "minilm", "layer": "1", "head": "2"}
    page = open_page(**at, right=f"scratch@0{step}", training="1")
    (slider,) = sliders(page)
    assert slider["current"] == 2 and "training_right" in payloads(page) and not slider["plays"]
    assert page.address["right"] == f"scratch@{step}"
    expect_heads(page, weights("minilm")[1, 2], weights(f"scratch@{step}")[1, 2])
    page.button(key="fold_training").click().run()
    assert "training" not in page.address and not sliders(page)


def test_each_masked_word_is_predicted_with_probabilities_on_each_side() -> None:
    text = "The [MASK] sat on the [MASK]."
    page = open_page(text=text, right="scratch@0")
    models = [load_model(name) for name in ("scratch", "scratch@0")]
    expected = [each for model in models for each in model.predict(text)]
    for table, one in zip(tables(page), expected, strict=True):
        assert table["token"].tolist() == [token for token, _ in one]
        np.testing.assert_allclose(table["probability"], [p for _, p in one], atol=1e-6)


def test_a_dropped_file_is_shown_beside_a_model_until_it_is_gone() -> None:
    recorded = np.float32([[[[0.25, 0.75, 0], [0, 1, 0], [0.5, 0, 0.5]]]] * 2)  # 2 layers, 1 head
    file = io.BytesIO()
    np.savez(file, weights=recorded, tokens=np.array(["the", "animal", "ran"]))
    name = uploaded_captures.add(file.getvalue(), "mine.npz")
    page = open_page(right=name, layer="1", head="0")
    np.testing.assert_allclose(view(page)[1]["right"], recorded)
    # Its units stand below the equal ones of the model.
    assert {(1, 0), (2, 1)} <= {
        tuple(map(sum, pair)) for pair in view(page)[0]["groups"] if all(pair)
    }
    assert page.address["right"] == name
    assert "2 layers (L) × 1 heads (H), from a file" in str(view(page)[0])
    page = open_page(right=name.replace("mine", "gone"))
    assert "gone.npz is not on this server any more" in words_on(page)
    np.testing.assert_allclose(shown(page, "right"), weights("minilm")[3, 1], atol=0.5001e-4)


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("Der Hund schläft, weil er müde ist.", True),
        ("我们去公园。", True),
        ("Tokenization is rare.", False),
        ("The animal didn't cross the street because it was too tired.", False),
    ],
)
def test_a_text_in_many_pieces_is_explained_and_english_is_offered(text: str, is_cut: bool) -> None:
    page = open_page(text=text)
    assert ("These models read English." in words_on(page)) is is_cut
    if is_cut:
        next(each for each in page.button if each.label == "Use an English example").click().run()
        assert page.text_input(key="text").value.startswith("The animal")
        assert "These models read English." not in words_on(page)
