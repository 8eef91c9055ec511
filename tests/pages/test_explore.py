"""The Explore page in AppTest."""

import base64
import json
import time
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import AttentionCapture
from model.analysis.distances import jensen_shannon
from model.capture import tokens
from model.capture.tokens import MAX_CHARACTERS
from model.catalogue import encoder_files
from pages.explore.url import PARAMETERS
from tests.pages.conftest import ROUTER
from tests.pages.figures import figures
from web.cache import captures
from web.view_state.address import PageUrl
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.glossary import terms


def open_page(**address: str) -> AppTest:
    page = AppTest.from_file(str(ROUTER), default_timeout=60)
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


def heatmap(page: AppTest, index: int) -> np.ndarray:
    """The values of a heatmap: (T, T) in float32."""
    z = figures(page)[index].spec["data"][0]["z"]
    shape = [int(n) for n in z["shape"].split(",")]
    return np.frombuffer(base64.b64decode(z["bdata"]), dtype="<f4").reshape(shape)


def address(page: AppTest) -> dict[str, str]:
    return {
        name: values if isinstance(values, str) else values[0]
        for name, values in page.query_params.items()
    }


def words_on(page: AppTest) -> str:
    kinds = (page.markdown, page.caption, page.warning, page.error, page.info, page.toast)
    return "\n".join(str(element.value) for elements in kinds for element in elements)


def chips(page: AppTest) -> list[dict]:
    """The payloads of the rows of tokens."""
    payloads = (component.proto.json for component in page.get("bidi_component"))
    found = [
        json.loads(data)[0] for data in payloads if data
    ]  # the payload of other components is bytes
    return [row for data in found for row in data.get("rows", ()) if "chips" in row]


def test_a_first_visit_shows_both_models_with_true_weights() -> None:
    page = open_page()
    assert not page.exception
    assert page.text_input(key="text").value == DEFAULT_TEXT
    assert chips(page)[0]["count"] == "16 of 512 tokens"
    for index, name in enumerate(("scratch", "minilm")):
        captured = captures.capture(name, DEFAULT_TEXT, None).weights[3, 1]
        np.testing.assert_array_equal(heatmap(page, index), captured)


def test_the_untrained_encoder_is_called_untrained() -> None:
    assert "Untrained" in words_on(open_page(left="scratch-untrained"))
    assert "Untrained" not in words_on(open_page())


def test_the_caution_about_explanations_is_on_the_page() -> None:
    assert "Attention is not an explanation" in words_on(open_page())


def test_the_layer_and_head_pickers_change_both_sides() -> None:
    page = open_page()
    page.selectbox(key="layer").set_value(5)
    page.selectbox(key="head").set_value(11).run()
    for index, name in enumerate(("scratch", "minilm")):
        captured = captures.capture(name, DEFAULT_TEXT, None).weights[5, 11]
        np.testing.assert_array_equal(heatmap(page, index), captured)
    assert address(page)["layer"] == "5"
    assert address(page)["head"] == "11"


def test_unlinked_sides_change_separately_and_start_with_the_shared_head() -> None:
    page = open_page(layer="2", head="7")
    page.toggle(key="linked").set_value(False).run()
    assert page.selectbox(key="right_layer").value == 2
    assert page.selectbox(key="right_head").value == 7
    page.selectbox(key="right_head").set_value(4).run()
    minilm = captures.capture("minilm", DEFAULT_TEXT, None)
    scratch = captures.capture("scratch", DEFAULT_TEXT, None)
    np.testing.assert_array_equal(heatmap(page, 0), scratch.weights[2, 7])
    np.testing.assert_array_equal(heatmap(page, 1), minilm.weights[2, 4])


def test_linking_the_sides_removes_the_right_head_from_the_url() -> None:
    page = open_page(linked="0", right_layer="1", right_head="2")
    assert (address(page)["right_layer"], address(page)["right_head"]) == ("1", "2")
    page.session_state["linked"] = True
    page.run()
    assert not page.exception
    assert not {"linked", "right_layer", "right_head"} & {*address(page)}


def test_a_stale_url_is_not_a_step_back() -> None:
    page = open_page(text="hello there")
    old = dict(page.query_params)
    page.text_input(key="text").set_value("The cat sat on the mat.").run()
    for _ in range(2):  # two actions before the browser has the new URL
        page.query_params.clear()
        page.query_params.update(old)
        page.run()
        assert page.session_state["text"] == "The cat sat on the mat."
    page.query_params["text"] = ["The cat sat on the mat."]
    page.run()  # the browser has the new URL
    page.query_params.update(old)
    page.run()  # a link on the page
    assert page.session_state["text"] == "hello there"


def test_a_sentence_typed_again_over_an_unacknowledged_one_stays():
    """The browser still has the previous URL, whose text equals the newly typed text."""
    page = open_page(text="hello there")
    old = dict(page.query_params)
    page.text_input(key="text").set_value("The cat sat on the mat.").run()
    page.query_params.clear()
    page.query_params.update(old)
    page.text_input(key="text").set_value("hello there").run()
    assert address(page)["text"] == "hello there"
    assert chips(page)[0]["chips"][1]["label"] == "hello"


def test_a_step_back_restores_its_url_whatever_was_typed_before(monkeypatch):
    page = open_page(text="hello there", layer="2")
    monkeypatch.setattr("web.view_state.address.stepped", lambda: True)
    page.query_params["text"] = "Birds sing"
    page.text_input(key="text").set_value("The cat sat on the mat.").run()
    assert page.text_input(key="text").value == address(page)["text"] == "Birds sing"


def test_a_link_to_another_page_keeps_the_language() -> None:
    spoken = {}
    for parameters in ({}, {"lang": "en"}):
        links = open_page(**parameters).get("page_link")
        spoken[parameters.get("lang")] = [
            dict(parse_qsl(link.proto.query_string)) for link in links
        ]
    assert all("lang" not in link for link in spoken[None])
    assert spoken["en"] == [{**link, "lang": "en"} for link in spoken[None]] != []


def test_a_link_restores_every_part_of_the_view() -> None:
    wanted = {
        "text": "She put the book on the [MASK].",
        "pair": "It was heavy.",
        "left": "minilm",
        "right": "scratch-minilm",
        "layer": "4",
        "head": "6",
        "linked": "0",
        "right_layer": "1",
        "right_head": "2",
        "scale": "sqrt",
        "range": "data",
        "special": "renormalise",
        "words": "1",
        "picked": "1.3",
    }
    page = open_page(**wanted)
    assert not page.exception
    assert address(page) == wanted
    drawn = heatmap(page, 1)
    np.testing.assert_allclose(drawn.sum(axis=1), 1, atol=1e-5)
    assert drawn.shape == (12, 12)  # 15 tokens, of which 3 are special


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layer", "99999999"),
        ("layer", "-1"),
        ("head", "two"),
        ("scale", "purple"),
        ("words", "yes"),
        ("picked", "a.b"),
        ("overlaid", "3"),
    ],
)
def test_an_unknown_value_in_a_link_gives_a_notice_and_the_default(name: str, value: str) -> None:
    page = open_page(**{name: value})
    assert not page.exception
    assert any(name in warning.value for warning in page.warning)
    assert page.session_state[name] == PARAMETERS[name].default


def test_a_link_to_a_missing_head_gives_a_notice_and_the_nearest_head() -> None:
    page = open_page(layer="40", head="3")
    assert not page.exception
    assert page.selectbox(key="layer").value == 5
    assert any("L40" in toast.value for toast in page.toast)


def test_text_typed_before_the_end_of_the_first_run_is_kept() -> None:
    page = open_page(left="minilm")
    # The browser then sends the new text with the old URL, because no URL was written yet.
    page.session_state["page_url"] = PageUrl(reported={"left": "minilm"})
    page.query_params.clear()
    page.query_params["left"] = "minilm"
    page.text_input(key="text").set_value("Typed at once").run()
    assert page.text_input(key="text").value == "Typed at once"
    assert page.session_state["text"] == "Typed at once"


def test_blank_text_gives_a_hint_and_no_error() -> None:
    page = open_page()
    page.text_input(key="text").set_value("   ").run()
    assert not page.exception
    assert not page.error
    assert any("Type a sentence" in info.value for info in page.info)
    assert page.selectbox(key="left").value == "scratch"


@pytest.mark.parametrize(
    "text",
    [
        "🙂 👩‍👩‍👧 🏳️‍🌈",
        "الحيوان لم يعبر الشارع",
        "动物没有过马路，因为它太累了。",
        "tab\tnull\x00bell\x07\u200b\u202e",
        "<script>alert(1)</script><img src=x onerror=alert(2)>",
        "{} {0} {name} %s %d %(x)s ${y}",
        ":red[no colour] **no bold** `no code` $no^maths$ :smile:",
        "\u200b",
        "a" * 5_000,
    ],
)
def test_any_text_is_shown_literally(text: str) -> None:
    page = open_page()
    page.text_input(key="text").set_value(text).run()
    assert not page.exception
    assert page.text_input(key="text").value == text
    captured = captures.capture("minilm", text, None).weights[3, 1]
    np.testing.assert_array_equal(heatmap(page, 1), captured)


def test_a_text_of_a_hundred_thousand_characters_is_cut_with_a_notice() -> None:
    text = " ".join(f"word{i}" for i in range(12_000))
    page = open_page()
    page.text_input(key="text").set_value(text).run()
    assert not page.exception
    assert chips(page)[0]["count"] == "512 of 512 tokens"
    read = text[:MAX_CHARACTERS]
    assert page.text_input(key="text").value == read
    left_out = captures.capture("minilm", read, None).left_out[0].split()
    assert any(f"{len(text) - len(read):,}" in warning.value for warning in page.warning)
    assert any(
        f"last {len(left_out)} words" in w.value and left_out[0] in w.value for w in page.warning
    )


def test_a_text_cut_by_the_memory_limit_gives_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_WEIGHTS", 72 * 9**2)  # each side has 72 heads
    page = open_page(text="Nine of these words are too many for so little memory.")
    assert (
        "The 72 heads of scratch are shown on at most 9 tokens. Without the last 4 words"
        in words_on(page)
    )
    assert chips(page)[0]["count"] == "9 of 9 tokens"


RED, BLUE = "red blue green red blue", 4


def test_a_decoder_is_named_as_one_and_its_masked_cells_are_not_zero() -> None:
    text = {"text": RED, "pair": "It was warm.", "left": "smollm2", "layer": "17", "head": "5"}
    page = open_page(**text, picked="0.1")
    assert not page.exception
    words = words_on(page)
    for sentence in (
        "**Decoder**: a token attends to itself and to earlier tokens. 30 × 9 heads, 134.5 M "
        "parameters. Its file holds quantised weights (Q4_1).",
        "smollm2 is a decoder, which reads no pairs: it gets only the first sentence.",
        "H3 to H5 have their own queries and share keys and values.",
    ):
        assert sentence in words
    capture = captures.capture("smollm2", RED, None)
    drawn = heatmap(page, 0)
    np.testing.assert_array_equal(np.isnan(drawn), np.triu(np.ones((5, 5), dtype=bool), k=1))
    np.testing.assert_array_equal(np.tril(np.nan_to_num(drawn)), capture.weights[17, 5])
    # The two picked tokens attend only to each other; all five tokens attend to them.
    given, received = (table.value for table in page.dataframe[:2])
    assert list(given["token"]) == ["red₁", "blue₁"] and len(received) == 5
    page.session_state["table_left"] = True
    page.run()
    table = next(t.value for t in page.dataframe if t.value.shape == (5, 5))
    np.testing.assert_array_equal(table.isna(), np.isnan(drawn))


def test_a_decoder_predicts_the_next_token_and_is_aligned_with_bert() -> None:
    page = open_page(text=RED, left="smollm2")
    token, probability = captures.next_tokens("smollm2", RED)[0]
    assert f"Next token by smollm2: **{token.strip()}** {probability:.4f} · " in words_on(page)
    payloads = (component.proto.json for component in page.get("bidi_component"))
    (words,) = [json.loads(data)[0]["words"] for data in payloads if data and '"rows"' in data]
    assert words == [[[], [0]], *([[i], [i + 1]] for i in range(5)), [[], [6]]]


def test_merged_words_sum_over_key_pieces_and_average_over_query_pieces() -> None:
    text = "unbelievability chromatographing"
    page = open_page(text=text, words="1")
    capture = captures.capture("minilm", text, None)
    inner = range(1, len(capture.tokens) - 1)
    words = [
        [0],
        [i for i in inner if capture.word_ids[i] == 0],
        [i for i in inner if capture.word_ids[i] == 1],
        [len(capture.tokens) - 1],
    ]
    assert len(words[1]) > 1 and len(words[2]) > 1
    by_hand = [
        [capture.weights[3, 1][np.ix_(q, k)].sum(axis=1).mean() for k in words] for q in words
    ]
    np.testing.assert_allclose(heatmap(page, 1), by_hand, rtol=1e-5)


def test_rows_without_special_tokens_sum_to_less_than_1_unless_renormalised() -> None:
    capture = captures.capture("minilm", DEFAULT_TEXT, None)
    inner = capture.weights[3, 1][1:-1, 1:-1]
    hidden = heatmap(open_page(special="hide"), 1)
    np.testing.assert_array_equal(hidden, inner)
    renormalised = heatmap(open_page(special="renormalise"), 1)
    np.testing.assert_allclose(renormalised, inner / inner.sum(1, keepdims=True), rtol=1e-5)


def test_picked_tokens_are_ranked_with_their_summed_weights() -> None:
    page = open_page(picked="2.10")  # animal, it
    weights = captures.capture("minilm", DEFAULT_TEXT, None).weights[3, 1]
    given, received = (table.value for table in page.dataframe[2:4])
    assert given["sum of 2 weights"].is_monotonic_decreasing
    assert given["sum of 2 weights"].iloc[0] == pytest.approx(weights[[2, 10]].sum(axis=0).max())
    assert received["sum of 2 weights"].iloc[0] == pytest.approx(
        weights[:, [2, 10]].sum(axis=1).max()
    )
    assert received["token"].iloc[0] in {"it", "animal", "the₁", "[SEP]", "[CLS]"}


def test_both_sides_share_their_colour_range() -> None:
    page = open_page(range="data")
    specs = [chart.spec["data"][0] for chart in figures(page)]
    largest = max(heatmap(page, 0).max(), heatmap(page, 1).max())
    assert [spec["zmax"] for spec in specs] == [pytest.approx(largest)] * 2
    assert [spec["zmin"] for spec in specs] == [0, 0]


def test_lines_replace_the_heatmaps_and_show_several_heads() -> None:
    page = open_page(view="lines", overlaid="0-2.1-8")
    assert not page.exception
    assert not figures(page)
    assert page.multiselect(key="overlaid").value == [(0, 2), (1, 8)]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no such model !", "or a hub id"),
        ("nobody/knows-this-one", "not on this machine"),
        ("EMPTY", "no config.json"),
    ],
)
def test_a_model_that_cannot_be_loaded_gives_one_message_and_the_page_is_drawn(
    name: str, sentence: str, tmp_path: object
) -> None:
    page = open_page(right=str(tmp_path) if name == "EMPTY" else name)
    assert not page.exception
    assert sentence in words_on(page).replace("\\", "")
    assert "minilm is shown instead" in words_on(page).replace("\\", "")
    captured = captures.capture("minilm", DEFAULT_TEXT, None).weights[3, 1]
    np.testing.assert_array_equal(heatmap(page, 1), captured)


def test_nothing_is_downloaded_before_the_user_confirms(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr("socket.socket.connect", refuse)
    page = open_page(right="nobody/knows-this-one")
    assert not page.exception
    assert page.button(key="download_right").label.replace("\\", "").startswith("Download nobody")


def test_a_download_without_a_network_gives_a_message_and_keeps_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    page = open_page(right="nobody/knows-this-one")
    begun = time.monotonic()
    page.button(key="download_right").click().run()
    assert not page.exception
    assert "cannot reach the model hub" in words_on(page)
    assert time.monotonic() - begun < 10  # the hub's retries would take 23 s for each file
    assert len(figures(page)) == 2


def test_scratch_minilm_reports_equality_with_transformers() -> None:
    page = open_page(left="scratch-minilm", right="minilm")
    shown = next(c.value for c in page.caption if "Largest difference" in c.value)
    assert float(shown.rsplit(" ", 1)[1]) < 1e-5


def test_the_file_of_a_capture_contains_the_weights_on_screen() -> None:
    page = open_page()
    capture = captures.capture("minilm", DEFAULT_TEXT, None)
    again = AttentionCapture.from_npz(capture.to_npz())
    np.testing.assert_array_equal(heatmap(page, 1), again.weights[3, 1])


def test_examples_fill_both_boxes() -> None:
    page = open_page(picked="3")
    page.button_group(key="example").set_value("pair").run()
    assert not page.exception
    assert page.text_input(key="pair").value == "It was warm there."
    assert address(page)["pair"] == "It was warm there."
    assert "picked" not in address(page)


def test_a_button_opens_the_second_sentence_and_closing_deletes_it() -> None:
    page = open_page()
    assert "pair" not in [box.key for box in page.text_input]
    page.button(key="second").click().run()
    page.text_input(key="pair").set_value("It was warm.").run()
    assert address(page)["pair"] == "It was warm."
    page.text_input(key="pair").set_value("").run()
    assert page.text_input(key="pair").value == ""  # its box stays open without text
    page.text_input(key="pair").set_value("It was cold.").run()
    page.button(key="second").click().run()
    assert "pair" not in [box.key for box in page.text_input]
    assert "pair" not in address(page)
    assert open_page(pair="It was warm.").text_input(key="pair").value == "It was warm."


def test_a_hint_replaces_the_text_of_a_finding_in_its_place() -> None:
    page = open_page(layer="3", head="1")
    assert "Each small square" not in words_on(page)
    page.selectbox(key="head").set_value(2).run()
    assert "Each small square" in words_on(page)


def test_one_entry_of_the_picker_leads_to_all_checkpoints() -> None:
    page = open_page()
    options = page.selectbox(key="left").options
    assert options == [
        "scratch",
        "scratch-untrained",
        "scratch-minilm",
        "minilm",
        "minilm-sentiment",
        "bert-base-uncased",
        "smollm2",
        "scratch@0 and later checkpoints",
    ]
    page.selectbox(key="left").set_value("scratch@0").run()
    assert address(page)["left"] == "scratch@0"
    assert page.selectbox(key="left").options[7:10] == ["scratch@0", "scratch@400", "scratch@800"]


def test_each_term_is_explained_in_few_sentences_and_a_formula() -> None:
    shown = words_on(open_page())
    for term in terms():
        assert term.text.count(". ") <= 2 and term.text.endswith(".")
        assert term.formula
        assert term.name in shown


def test_picks_frame_the_heatmaps_of_both_sides() -> None:
    for chart in figures(open_page(picked="2.10")):
        shapes = chart.spec["layout"]["shapes"]
        assert [shape["type"] for shape in shapes] == ["path", *["rect"] * 4]


def test_a_sum_over_several_tokens_is_labelled_as_a_sum() -> None:
    several = words_on(open_page(picked="2.10")).replace("\\", "")
    assert "animal, it attend to (sums of 2 rows)" in several
    assert "Attend to animal, it (sums of 2 columns)" in several
    assert "sums" not in words_on(open_page(picked="2"))


def test_the_about_page_shows_the_training() -> None:
    page = open_page()
    page.switch_page("about/page.py").run()
    log, last = encoder_files.run_log(), encoder_files.history().checkpoints[-1]
    assert f"{last.top1:.1%} of the hidden tokens" in words_on(page)
    assert f": {encoder_files.history().tokens / 1e6:.0f} million tokens" in words_on(page)
    assert f"{encoder_files.history().passages:,} passages" in words_on(page)
    charts = [chart.spec["data"] for chart in figures(page)]
    drawn = next(chart for chart in charts if chart[0]["type"] == "scatter")
    assert drawn[0]["y"] == [line.valid_loss for line in log]
    assert drawn[1]["y"] == [line.top1 for line in log]


def test_the_head_pickers_have_no_default_value_in_the_browser() -> None:
    """With one, the browser drops an equal value that the server has set (L0, H0)."""
    page = open_page(layer="3", head="1")
    for key in ("layer", "head"):
        box = page.selectbox(key=key).proto
        assert not box.HasField("default") and box.raw_value in ("L3", "H1")


def test_one_click_finds_the_head_of_the_other_model_that_attends_most_alike() -> None:
    page = open_page(layer="1", head="10")
    ours, theirs = (
        captures.capture(name, DEFAULT_TEXT, None).weights for name in ("scratch", "minilm")
    )
    distances = jensen_shannon(ours[1, 10:11], theirs.reshape(-1, *theirs.shape[2:]))[0]
    assert divmod(int(distances.argmin()), 12) == (0, 2)
    page.button(key="similar").click().run()
    shown = {name: address(page)[name] for name in ("layer", "head", "right_layer", "right_head")}
    assert shown == {"layer": "1", "head": "10", "right_layer": "0", "right_head": "2"}
    assert f"Difference: {distances.min():.2f} (0: equal" in words_on(page)
    page.selectbox(key="right_head").set_value(3).run()
    assert "Difference:" not in words_on(page)


def test_the_search_begins_at_the_side_that_was_clicked_last() -> None:
    page = open_page(layer="0", head="2")
    page.session_state["clicked_side"] = "right"
    page.run().button(key="similar").click().run()
    at = address(page)
    assert (at["right_layer"], at["right_head"]) == ("0", "2")
    assert (at["layer"], at["head"]) == ("1", "10")


def test_one_model_on_both_sides_has_no_similar_head_to_find() -> None:
    page = open_page(left="minilm", right="minilm")
    assert "similar" not in [button.key for button in page.button]
