"""The Explore page in AppTest."""

import time
from functools import partial
from urllib.parse import parse_qsl

import numpy as np
import pytest

from model import load_model
from model.analysis.distances import jensen_shannon
from model.capture import tokens
from model.capture.tokens import MAX_CHARACTERS
from model.catalogue import encoder_files
from model.catalogue.names import checkpoint_names
from tests.pages import visit
from tests.pages.figures import figures, payloads, tables, words_on, z
from tests.pages.visit import Visit
from web.cache import captures
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.glossary import terms

RED = "red blue green red blue"

open_page = partial(visit.open_page, "")


def weights(model: str, text: str = DEFAULT_TEXT, pair: str | None = None) -> np.ndarray:
    return captures.capture(model, text, pair).weights


def rows_of_tokens(page: Visit) -> list[dict]:
    """The payloads of the rows of tokens."""
    return [row for data in payloads(page).values() for row in data.get("rows", ())]


def expect_heads(page: Visit, left: np.ndarray, right: np.ndarray) -> None:
    assert not page.exception
    np.testing.assert_array_equal(z(page, 0), left)
    np.testing.assert_array_equal(z(page, 1), right)


def test_a_first_visit_shows_both_models_with_true_weights() -> None:
    page = open_page()
    assert page.text_input(key="text").value == DEFAULT_TEXT
    assert rows_of_tokens(page)[0]["count"] == "16 of 512 tokens"
    expect_heads(page, weights("scratch")[3, 1], weights("minilm")[3, 1])
    shown = words_on(page)
    assert "Attention is not an explanation" in shown and "Untrained" not in shown
    assert all(term.name in shown for term in terms())
    assert "masked-language head" not in shown and "similar" in [b.key for b in page.button]
    # With a default, the browser drops an equal value that the server has set (L0, H0).
    for key, value in {"layer": "L3", "head": "H1"}.items():
        box = page.selectbox(key=key).proto
        assert not box.HasField("default") and box.raw_value == value


def test_the_head_pickers_rerun_the_details_alone_and_change_both_sides() -> None:
    page = open_page()
    assert "Each small square" not in words_on(page)
    page.selectbox(key="layer").set_value(5).run()
    page.selectbox(key="head").set_value(11).run()
    assert page.fragments == 1
    expect_heads(page, weights("scratch")[5, 11], weights("minilm")[5, 11])
    assert (page.address["layer"], page.address["head"]) == ("5", "11")
    assert "Each small square" in words_on(page)  # the text of the finding no longer applies


def test_unlinked_sides_begin_at_the_shared_head_and_linking_them_shortens_the_link() -> None:
    page = open_page(layer="2", head="7")
    page.toggle(key="linked").set_value(False).run()
    assert [page.selectbox(key=f"right_{name}").value for name in ("layer", "head")] == [2, 7]
    page.selectbox(key="right_head").set_value(4).run()
    expect_heads(page, weights("scratch")[2, 7], weights("minilm")[2, 4])
    at = {"linked": "0", "right_layer": "2", "right_head": "4"}
    assert at.items() <= page.address.items()
    page.toggle(key="linked").set_value(True).run()
    expect_heads(page, weights("scratch")[2, 7], weights("minilm")[2, 7])
    assert not at.keys() & page.address.keys()


def test_a_typed_sentence_reruns_only_what_depends_on_it() -> None:
    page = open_page(picked="2")
    page.text_input(key="text").set_value("hello there").run()
    assert page.fragments == 1
    expect_heads(
        page, weights("scratch", "hello there")[3, 1], weights("minilm", "hello there")[3, 1]
    )
    assert page.address["text"] == "hello there" and "picked" not in page.address
    assert [link for link in page.get("page_link") if "hello" in link.proto.query_string]
    assert page.selectbox(key="left").value == "scratch"  # the rest stays on screen
    page.selectbox(key="head").set_value(4).run()  # the inner fragment has the new sentence, too
    assert page.fragments == 1
    expect_heads(
        page, weights("scratch", "hello there")[3, 4], weights("minilm", "hello there")[3, 4]
    )
    page.text_input(key="text").set_value("   ").run()
    assert page.fragments == 0 and not page.error and not figures(page)
    assert any("Type a sentence" in info.value for info in page.info)
    page.text_input(key="text").set_value("a" * (MAX_CHARACTERS + 5)).run()
    assert page.fragments == 0 and "The last 5 were removed" in words_on(page)
    assert page.text_input(key="text").value == "a" * MAX_CHARACTERS


def test_any_text_is_shown_literally() -> None:
    page = open_page()
    for text in (
        "🙂 👩‍👩‍👧 🏳️‍🌈",
        "الحيوان لم يعبر الشارع",
        "tab\tnull\x00bell\x07\u200b\u202e",
        "<script>alert(1)</script><img src=x onerror=alert(2)>",
        "{} {0} {name} %s %d %(x)s ${y} :red[no] **bold** `code` $maths$ :smile:",
        "\u200b",
        "a" * 5_000,
    ):
        page.text_input(key="text").set_value(text).run()
        assert page.text_input(key="text").value == text
        expect_heads(page, weights("scratch", text)[3, 1], weights("minilm", text)[3, 1])


def test_words_beyond_the_memory_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_WEIGHTS", 72 * 9**2)  # each side has 72 heads
    page = open_page(text="Nine of these words are too many for so little memory.")
    limit = "The 72 heads of scratch are shown on at most 9 tokens. Without the last 4 words"
    assert limit in words_on(page)
    assert rows_of_tokens(page)[0]["count"] == "9 of 9 tokens"


def test_the_second_sentence_opens_with_a_button_or_an_example_and_closing_deletes_it() -> None:
    page = open_page(picked="3")
    assert "pair" not in [box.key for box in page.text_input]
    page.button(key="second").click().run()
    page.text_input(key="pair").set_value("It was warm.").run()
    assert page.address["pair"] == "It was warm." and "picked" not in page.address
    pair = weights("minilm", DEFAULT_TEXT, "It was warm.")[3, 1]
    np.testing.assert_array_equal(z(page, 1), pair)
    page.text_input(key="pair").set_value("").run()
    assert page.text_input(key="pair").value == ""  # its box stays open without text
    page.text_input(key="pair").set_value("It was cold.").run()
    page.button(key="second").click().run()
    assert "pair" not in [box.key for box in page.text_input] and "pair" not in page.address
    page.button_group(key="example").set_value("pair").run()
    assert page.address["text"] == "The cat sat on the mat."
    assert page.text_input(key="pair").value == page.address["pair"] == "It was warm there."


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
    wanted |= {"range": "data", "special": "renormalise", "words": "1", "picked": "1.3"}
    page = open_page(**wanted)
    assert page.address == wanted
    drawn = z(page, 1)
    np.testing.assert_allclose(drawn.sum(axis=1), 1, atol=1e-5)
    assert drawn.shape == (12, 12)  # 15 tokens, of which 3 are special
    page = open_page(view="lines", overlaid="0-2.1-8")
    assert not figures(page)
    assert page.multiselect(key="overlaid").value == [(0, 2), (1, 8)]


def test_unknown_values_in_a_link_give_notices_and_the_defaults() -> None:
    plain = open_page().address
    wrong = {"layer": "-1", "head": "two", "scale": "purple", "words": "yes", "picked": "a.b"}
    page = open_page(**wrong, overlaid="3")
    for name in (*wrong, "overlaid"):
        assert f"The link's {name} = " in words_on(page)
    assert page.address == plain
    page = open_page(layer="40", head="3")
    assert page.selectbox(key="layer").value == 5
    assert any("L40" in toast.value for toast in page.toast)


def test_a_decoder_is_named_as_one_and_its_masked_cells_are_not_zero() -> None:
    page = open_page(text=RED, pair="It was warm.", left="smollm2", layer="17", head="5")
    words = words_on(page)
    token, probability = captures.next_tokens("smollm2", RED)[0]
    for sentence in (
        "**Decoder**: a token attends to itself and to earlier tokens. 30 × 9 heads, 134.5 M "
        "parameters. Its file holds quantised weights (Q4_1).",
        "smollm2 is a decoder, which reads no pairs: it gets only the first sentence.",
        "H3 to H5 have their own queries and share keys and values.",
        f"Next token by smollm2: **{token.strip()}** {probability:.4f} · ",
    ):
        assert sentence in words
    drawn = z(page, 0)
    np.testing.assert_array_equal(np.isnan(drawn), np.triu(np.ones((5, 5), dtype=bool), k=1))
    np.testing.assert_array_equal(np.tril(np.nan_to_num(drawn)), weights("smollm2", RED)[17, 5])
    page = open_page(text=RED, left="smollm2", layer="17", head="5", picked="0.1")
    # The two picked tokens attend only to each other; all five tokens attend to them.
    given, received = tables(page)[:2]
    assert list(given["token"]) == ["red₁", "blue₁"] and len(received) == 5
    page.session_state["table_left"] = True
    page.run()
    table = next(table for table in tables(page) if table.shape == (5, 5))
    np.testing.assert_array_equal(table.isna(), np.isnan(drawn))
    (words,) = [data["words"] for data in payloads(page).values() if "rows" in data]
    assert words == [[[], [0]], *([[i], [i + 1]] for i in range(5)), [[], [6]]]


def test_picked_tokens_are_framed_and_ranked_with_their_summed_weights() -> None:
    page = open_page(picked="2.10")  # animal, it
    for chart in figures(page):
        shapes = chart.spec["layout"]["shapes"]
        assert [shape["type"] for shape in shapes] == ["path", *["rect"] * 4]
    minilm = weights("minilm")[3, 1]
    given, received = tables(page)[2:4]
    for table, sums in (
        (given, minilm[[2, 10]].sum(axis=0)),
        (received, minilm[:, [2, 10]].sum(axis=1)),
    ):
        assert table["sum of 2 weights"].is_monotonic_decreasing
        assert table["sum of 2 weights"].iloc[0] == pytest.approx(sums.max())
        assert (
            table["token"].iloc[0].rstrip("₁₂")
            == (captures.capture("minilm", DEFAULT_TEXT, None).tokens[sums.argmax()])
        )
    assert "animal, it attend to (sums of 2 rows)" in words_on(page)
    assert "Attend to animal, it (sums of 2 columns)" in words_on(page)
    assert "sums" not in words_on(open_page(picked="2"))


def test_both_sides_share_their_colour_range() -> None:
    page = open_page(range="data")
    largest = max(z(page, 0).max(), z(page, 1).max())
    for chart in figures(page):
        drawn = chart.spec["data"][0]
        assert (drawn["zmin"], drawn["zmax"]) == (0, pytest.approx(largest))


def test_the_picker_leads_to_untrained_weights_and_to_all_checkpoints() -> None:
    page = open_page()
    names = ["scratch", "scratch-untrained", "scratch-minilm", "minilm", "minilm-sentiment"]
    names += ["bert-base-uncased", "smollm2"]
    assert page.selectbox(key="left").options == [*names, "scratch@0 and later checkpoints"]
    page.selectbox(key="left").set_value("scratch@0").run()
    assert page.address["left"] == "scratch@0"
    assert page.selectbox(key="left").options[7:10] == ["scratch@0", "scratch@400", "scratch@800"]
    page.selectbox(key="left").set_value("scratch-untrained").run()
    np.testing.assert_array_equal(z(page, 0), weights("scratch-untrained")[3, 1])
    assert "Untrained" in words_on(page)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("no such model !", "or a hub id"), ("EMPTY", "no config.json"), ("scratch@123", "step 123")],
)
def test_a_model_that_cannot_be_loaded_gives_one_message_and_the_page_is_drawn(
    name: str, sentence: str, tmp_path: object
) -> None:
    page = open_page(right=str(tmp_path) if name == "EMPTY" else name)
    assert sentence in words_on(page) and "minilm is shown instead" in words_on(page)
    expect_heads(page, weights("scratch")[3, 1], weights("minilm")[3, 1])


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
    begun = time.monotonic()
    button = page.button(key="download_right")
    assert button.label.replace("\\", "").startswith("Download nobody")
    button.click().run()
    assert not page.exception and "cannot reach the model hub" in words_on(page)
    assert time.monotonic() - begun < 10  # the hub's retries would take 23 s for each file
    np.testing.assert_array_equal(z(page, 1), weights("minilm")[3, 1])


def test_one_click_finds_the_head_of_the_other_model_that_attends_most_alike() -> None:
    page = open_page(layer="1", head="10")
    theirs = weights("minilm")
    distances = jensen_shannon(weights("scratch")[1, 10:11], theirs.reshape(72, 16, 16))[0]
    assert divmod(int(distances.argmin()), 12) == (0, 2)
    page.button(key="similar").click().run()
    at = {"layer": "1", "head": "10", "right_layer": "0", "right_head": "2"}
    assert at.items() <= page.address.items()
    assert f"Difference: {distances.min():.2f} (0: equal" in words_on(page)
    page.selectbox(key="right_head").set_value(3).run()
    assert "Difference:" not in words_on(page)
    page = open_page(layer="0", head="2")
    page.session_state["clicked_side"] = "right"  # the search begins there
    page.run().button(key="similar").click().run()
    assert at.items() <= page.address.items()
    page = open_page(left="scratch-minilm", right="scratch-minilm")
    assert "similar" not in [button.key for button in page.button]
    page.selectbox(key="right").set_value("minilm").run()  # the same weights in transformers
    shown = next(c.value for c in page.caption if "Largest difference" in c.value)
    assert float(shown.rsplit(" ", 1)[1]) < 1e-5


MASKED = "She put the book on the [MASK]."


def sliders(page: Visit) -> list[dict]:
    """The payloads of the training sliders."""
    return [data for data in payloads(page).values() if "stops" in data]


def test_the_training_slider_opens_on_request_and_shows_every_checkpoint() -> None:
    page = open_page()
    assert not sliders(page)  # it is not sent before it is opened
    page.button(key="fold_training").click().run()
    (slider,) = sliders(page)
    checkpoints = encoder_files.history().checkpoints
    assert slider["stops"] == [f"{checkpoint.step:,}" for checkpoint in checkpoints]
    assert slider["current"] == len(checkpoints) - 1
    right, previous, following = slider["curves"]
    assert right["values"] == [checkpoint.top1 for checkpoint in checkpoints]
    assert previous["heads"] == [checkpoint.previous for checkpoint in checkpoints]
    assert following["heads"] == [checkpoint.next for checkpoint in checkpoints]
    for curve in slider["curves"]:  # the axis ends at 0 and 1
        values = np.array(curve.get("values") or curve["heads"])
        assert values.min() >= 0 and values.max() <= 1
    assert "trained from scratch" in words_on(page)
    page.selectbox(key="left").set_value("minilm").run()
    assert not sliders(page)  # it has no checkpoints


def test_the_url_contains_the_slider_if_its_state_is_not_the_default() -> None:
    page = open_page(training="1")
    assert page.address["training"] == "1" and len(sliders(page)) == 1
    page.button(key="fold_training").click().run()
    assert "training" not in page.address and not sliders(page)
    moment = {"left": checkpoint_names()[2]}  # a link to a checkpoint opens the slider
    page = open_page(**moment)
    assert "training" not in page.address and len(sliders(page)) == 1
    page.button(key="fold_training").click().run()
    assert page.address["training"] == "0" and not sliders(page)
    assert not sliders(open_page(**moment, training="0"))
    assert "training = x is not known here" in words_on(open_page(training="x"))
    assert "training" not in open_page(left="minilm", training="1").address


def test_a_link_to_checkpoints_shows_their_weights_side_by_side() -> None:
    checkpoints = encoder_files.history().checkpoints
    name = f"scratch@{checkpoints[2].step}"
    page = open_page(left=name, right=f"scratch@0{checkpoints[1].step}", layer="1", head="2")
    assert (page.address["left"], page.address["right"]) == (name, checkpoint_names()[1])
    left, right = sliders(page)
    assert [(each["side"], each["current"]) for each in (left, right)] == [
        ("left", 2),
        ("right", 1),
    ]
    assert left["hue"] != right["hue"]
    expected = load_model(name).attend(page.text_input(key="text").value).weights[1, 2]
    np.testing.assert_array_equal(z(page, 0), expected)
    assert f"after {checkpoints[2].step:,} training steps" in words_on(page)
    page = open_page(left="scratch@0", right=f"scratch@{checkpoints[-1].step}")
    assert [slider["current"] for slider in sliders(page)] == [0, len(checkpoints) - 1]


def test_each_masked_word_is_predicted_with_probabilities_on_each_side() -> None:
    page = open_page(text=MASKED)
    (table,) = tables(page)
    expected = load_model("scratch").predict(MASKED, top_k=10)[0]
    assert table["token"].tolist() == [token for token, _ in expected]
    np.testing.assert_allclose(table["probability"], [p for _, p in expected], atol=1e-6)
    assert "minilm has no masked-language head" in words_on(page)
    two = "The [MASK] sat on the [MASK]."
    page = open_page(text=two, right="scratch@0")
    expected = [each for name in ("scratch", "scratch@0") for each in load_model(name).predict(two)]
    found = [table["token"].tolist() for table in tables(page)]
    assert found == [[token for token, _ in one] for one in expected]
    page.text_input(key="text").set_value("It was late.").run()
    assert not tables(page)
