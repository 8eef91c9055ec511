import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect

from model import load_model
from tests.components.explore import (
    ANIMAL,
    DEFAULT,
    HINT,
    IT,
    MARGIN,
    RECORD_TEXT,
    SIDES,
    View,
    pixels,
    said,
    step,
    truth,
)
from tests.model import general_checkpoints
from viz import distinct
from viz.style.theme import HEAD_COLOURS
from web.subject import Subject
from web.widgets.head_comparison import most_similar

pytestmark = pytest.mark.browser

SHORT = "A cat."
GROUND = 0.06  # opacity of a thumbnail without weights
RIGHT = {"side": "right", "paired": True}

# Presses a key seven times at once.
HOLD = """(canvas) => {
  for (let i = 0; i < 7; i++)
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
}"""

# As at the end of the first run after a lost connection.
RECONNECTED = """() => {
  const detail = { reconnected: true, began: performance.now(), messages: [] };
  window.dispatchEvent(new CustomEvent("headlight-run-end", { detail }));
  for (const { send } of detail.messages) send();
}"""


@pytest.fixture
def view(board) -> View:
    made = View(board)
    made.expect_selected("L3·H1", "L3·H1")
    return made


def like(side: str, layer: int, head: int) -> list[int]:
    """The most similar head of the other side, as the server finds it."""
    left, right = (Subject(each, model, DEFAULT) for each, model in SIDES.items())
    one, other = (left, right) if side == "left" else (right, left)
    return [*most_similar(one, (layer, head), other)[0]]


def test_a_click_on_a_token_replaces_the_selection_and_shift_adds(view):
    tokens = view.tokens()
    expect(tokens).to_have_text(list(truth("minilm").tokens))
    expect(view.page.locator(".count")).to_contain_text("16 tokens (at most 512)")
    similar = "the head of scratch most like minilm's L3·H1 is L5·H10 (distance 0.47; 0: equal"
    expect(view.part("left", ".links")).to_contain_text(similar)
    special = truth("minilm").weights[3, 1][:, [0, -1]].sum(axis=1).mean()
    left_out = f"leaves out special tokens, which get {special:.0%} of this head's attention"
    expect(view.part("right", ".links")).to_contain_text(left_out)
    tokens.nth(ANIMAL).click()
    view.expect_edit(picked=[ANIMAL])
    tokens.nth(IT).click()
    tokens.nth(3).click(modifiers=["Shift"])
    assert view.pressed() == [3, IT]
    view.page.keyboard.press("Shift+Enter")  # the focus stays
    assert view.pressed() == [IT]
    for key, place in (("ArrowRight", 4), ("Home", 0), ("ArrowLeft", 15)):
        view.page.keyboard.press(key)
        expect(tokens.nth(place)).to_be_focused()
    view.answer(picked=[IT], overlaid=[[1, 8]])
    view.page.keyboard.press("Escape")
    assert view.pressed() == []
    view.expect_edit(picked=[], overlaid=[])


def test_the_sentence_states_the_weight_of_the_selected_token(view):
    expect(view.said).to_have_text(said("minilm", 3, 1) + HINT)
    view.tokens().nth(IT).click()
    expect(view.said).to_have_text(said("minilm", 3, 1, IT))
    view.click("left", 5, 4)
    similar = " Most similar in minilm: L4·H1. Their weights differ by 0.29 "
    similar += "(0: equal; 1: nothing in common)."
    expect(view.said).to_have_text(said("scratch", 5, 4, IT) + similar)
    view.board.draw("?text=A+cat.", "view_capture", "state_capture")
    expect(view.said).to_have_text(said("minilm", 3, 1, text=SHORT) + HINT)


def test_two_tokenizations_are_aligned_by_words_and_masked_cells_have_no_number(
    board, tmp_path_factory
):
    """A decoder with an attention sink."""
    folder = str(general_checkpoints.save("gpt_oss", tmp_path_factory.mktemp("sinks")))
    text = "the animal"
    view = View(board, f"?left=minilm&right={folder}&text=the+animal&layer=1&head=2")
    capture = load_model(folder).attend(text).with_sink_key()
    ours, theirs = view.tokens(), view.tokens("right")
    expect(ours).to_have_text(["[CLS]", "the", "animal", "[SEP]"])
    expect(theirs).to_have_count(len(capture.tokens))
    word = max(i for i, token in enumerate(capture.tokens))
    theirs.nth(word).click()
    assert view.pressed() == [2] and word in view.pressed("right")
    one, other = ours.nth(2).bounding_box(), theirs.nth(view.pressed("right")[0]).bounding_box()
    assert abs(one["x"] - other["x"]) < 1 and one["y"] + one["height"] <= other["y"]
    expect(view.part("right", ".map")).to_have_attribute("data-head", "L1·H2")
    weights = np.where(capture.allowed[1], capture.weights[1, 2], np.nan)
    np.testing.assert_allclose(view.numbers("right"), weights, atol=5e-5)
    assert np.isnan(weights).any()
    ticks = view.part("right", ".xtick text").all_text_contents()
    assert "sink" in ticks


def test_each_thumbnail_shows_the_weights_of_its_head(board):
    view = View(board, "?text=A+cat.")
    for side, name in SIDES.items():
        expect(view.canvas(side)).to_have_attribute("data-selected", "L3·H1")
        weights = truth(name, SHORT).weights
        wide, high = step(view.canvas(side))
        image = pixels(view.canvas(side))
        for layer, head in ((0, 7), (5, 11)):
            for (query, key), weight in np.ndenumerate(weights[layer, head]):
                x = MARGIN["left"] + head * wide + (key + 0.5) / 5 * (wide - 2)
                y = MARGIN["top"] + layer * high + (query + 0.5) / 5 * (high - 2)
                *rgb, alpha = image[int(y), int(x)]
                assert alpha / 255 == pytest.approx(1 - (1 - GROUND) * (1 - weight), abs=0.02)
                if weight > 0.8:
                    hue = (240, 125, 20) if side == "left" else (55, 135, 245)
                    assert rgb == pytest.approx(hue, abs=8)


def test_the_pointer_previews_a_head_in_the_map_with_its_true_weights(view):
    for (side, name), (layer, head) in zip(SIDES.items(), ((4, 9), (5, 11)), strict=True):
        canvas, chart = view.canvas(side), view.part(side, ".map")
        canvas.hover(position=view.spot(side, layer, head))
        expect(chart).to_have_attribute("data-head", f"L{layer}·H{head}")
        expect(chart.locator(".gtitle")).to_have_text(f"{name} · L{layer}·H{head}")
        weights = truth(name).weights[layer, head]
        np.testing.assert_allclose(view.numbers(side), weights, atol=5.01e-5)
        names = distinct(truth(name).tokens)
        for axis in "xy":
            ticks = view.part(side, f".{axis}tick text").all_text_contents()
            assert sorted(ticks) == sorted(names)
        query, key = np.unravel_index(weights.argmax(), weights.shape)
        largest = f"The largest weight is {names[query]} to {names[key]}, {weights.max():.4f}."
        alt = view.part(side, ".panel").get_attribute("aria-label")
        assert alt == f"{name} · L{layer}·H{head}. {largest}"
        words = [i for i, token in enumerate(truth(name).tokens) if token.isalpha()]
        inner = np.sort(weights[np.ix_(words, words)], axis=None)[::-1]
        listed = view.part(side, ".links li b").all_text_contents()
        assert listed == [f"{weight:.2f}" for weight in inner[:9] if weight >= 0.01]
        view.page.mouse.move(5, 895)
        view.expect_selected("L3·H1", "L3·H1")
    assert view.edits() == []


def test_a_click_draws_the_most_similar_head_at_once_and_the_server_decides(view):
    for layer, head in ((1, 5), (2, 0), (4, 9)):
        view.click("right", layer, head)
        similar = like("right", layer, head)
        view.expect_selected("L{}·H{}".format(*similar), f"L{layer}·H{head}")
    view.expect_edit(left=similar, right=[4, 9], linked=False, **RIGHT)
    assert similar != [0, 5]
    view.answer(left=[0, 5], right=[4, 9], linked=False)
    view.expect_selected("L0·H5", "L4·H9")
    view.click("left", 2, 8, modifiers=["Control"])  # this side alone
    view.expect_selected("L2·H8", "L4·H9")
    alone = {"side": "left", "paired": False}
    view.expect_edit(left=[2, 8], right=[4, 9], linked=False, **alone)
    view.answer(left=[2, 8], right=[4, 9], linked=False, same=True)
    view.click("left", 1, 3)
    view.expect_selected("L1·H3", "L1·H3")


def test_an_answer_to_an_earlier_click_undoes_no_later_one_and_edits_are_retried(view):
    view.click("left", 4, 9)
    similar = like("left", 4, 9)
    first = {"left": [4, 9], "right": similar, "linked": False, "side": "left", "paired": True}
    view.expect_edit(**first)
    view.tokens().nth(IT).click()
    view.page.wait_for_function("host.events.length === 2")
    view.answer(acknowledged=1, left=[4, 9], right=[0, 2], linked=False)
    view.expect_selected("L4·H9", "L{}·H{}".format(*similar))  # the server has not the token
    assert view.pressed() == [IT]
    view.page.evaluate(RECONNECTED)
    view.expect_edit(picked=[IT])
    view.answer(left=[4, 9], right=[0, 2], linked=False, picked=[IT])
    view.page.evaluate(RECONNECTED)
    view.expect_selected("L4·H9", "L0·H2")
    assert len(view.edits()) == 3


def test_arrow_keys_move_the_selection_and_a_held_key_sends_one_edit(view):
    view.canvas("right").focus()
    view.page.keyboard.press("ArrowDown")
    view.expect_selected("L{}·H{}".format(*like("right", 4, 1)), "L4·H1")
    view.canvas("right").evaluate(HOLD)
    similar = like("right", 4, 8)
    view.expect_selected("L{}·H{}".format(*similar), "L4·H8")
    view.expect_edit(left=similar, right=[4, 8], linked=False, **RIGHT)
    assert len(view.edits()) <= 2


def point_at(view: View, side: str, row: int, column: int) -> tuple[float, float]:
    """Move the pointer over a cell of a map of 16 tokens; returns its place."""
    area = view.part(side, ".nsewdrag")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    x = box["x"] + (column + 0.5) / 16 * box["width"]
    y = box["y"] + (row + 0.5) / 16 * box["height"]
    view.page.mouse.move(x - 1, y - 1)
    view.page.mouse.move(x, y)
    return x, y


def numbered(view: View, size: int) -> np.ndarray:
    """Which cells of the right map have a number, (size, size)."""
    opacity = pixels(view.part("right", "canvas.numbers"))[..., 3]
    edges = [np.linspace(0, side, size + 1).round().astype(int) for side in opacity.shape]
    sums = np.add.reduceat(np.add.reduceat(opacity, edges[0][:-1]), edges[1][:-1], axis=1)
    return sums > 0


def test_a_cell_shows_its_weight_and_a_click_selects_the_token_of_its_row(view):
    weight = float(truth("minilm").weights[3, 1, IT, ANIMAL])
    place = point_at(view, "right", IT, ANIMAL)
    expect(view.part("right", ".hovertext")).to_have_text(f"it → animal{weight:.4f}")
    printed = truth("minilm").weights[3, 1] >= 0.01
    np.testing.assert_array_equal(numbered(view, 16), printed)
    view.page.mouse.click(*place)
    view.expect_edit(picked=[IT])
    frames = view.part("right", ".shapelayer path")
    expect(frames).to_have_count(4)  # the veil, a row, a column, and the sentence's link
    row, column = (frames.nth(i).bounding_box() for i in (1, 2))
    assert row["y"] <= place[1] <= row["y"] + row["height"] < row["y"] + 30
    assert column["width"] < 30 and column["height"] > 200
    groups = view.part("right", ".links p").all_text_contents()
    assert groups[:2] == ["From “it” (words only)", "To “it” (words only)"]
    words = [token.isalpha() for token in truth("minilm").tokens]  # neither special nor punctuation
    head = truth("minilm").weights[3, 1]
    for at, weights in enumerate((head[IT, words], head[words, IT])):
        listed = view.part("right", ".links ol").nth(at).locator("b").all_text_contents()
        assert listed == [f"{each:.2f}" for each in np.sort(weights)[:-6:-1] if each >= 0.01]


def test_a_drag_over_cells_zooms_and_selects_nothing(view):
    (left, top), (right, bottom) = (point_at(view, "right", each, each) for each in (2, 10))
    view.page.mouse.move(left - 6, top - 6)
    view.page.mouse.down()
    view.page.mouse.move(right + 6, bottom + 6, steps=4)
    view.page.mouse.up()
    expect(view.part("right", ".ytick text")).to_have_count(9)
    printed = truth("minilm").weights[3, 1, 2:11, 2:11] >= 0.01
    np.testing.assert_array_equal(numbered(view, 9), printed)
    assert view.edits() == []


def test_the_export_menu_saves_the_files_of_the_map(view):
    view.board.draw("", "origin_head", titles={"csv": "The numbers"}, about={"text": "of the menu"})
    button = view.board.part("origin_head").get_by_role("button", name="CSV")
    file, _ = view.board.download(button.click)
    assert file.startswith("headlight_minilm_L3-H1_the-animal") and file.endswith(".csv")


def test_the_toolbar_saves_the_shown_head(view):
    view.click("right", 5, 11)
    view.expect_selected("L{}·H{}".format(*like("right", 5, 11)), "L5·H11")
    view.part("right", ".map").hover()
    stem = "headlight_minilm_L5-H11_the-animal"
    for label, kind in (
        ("numbers as CSV", "csv"),
        ("figure as PNG", "png"),
        ("figure as an interactive page", "html"),
    ):
        button = view.part("right", ".panel").get_by_role("button", name=f"Download the {label}")
        with view.page.expect_download() as expected:
            button.click()
        assert expected.value.suggested_filename.startswith(stem)
        if kind == "csv":
            table = pd.read_csv(expected.value.path(), index_col=0)
            np.testing.assert_allclose(table, truth("minilm").weights[5, 11], atol=5.01e-5)
        elif kind == "html":
            largest = f"{truth('minilm').weights[5, 11].max():.2f}".removeprefix("0")
            page = expected.value.path().read_text("utf-8")
            assert '"texttemplate":"%{text}"' in page and f'"{largest}"' in page
        else:
            with Image.open(expected.value.path()) as image:
                assert image.width > 500 and "minilm" in str(image.info)
    expect(view.part("right", '.modebar-btn[tabindex="0"]')).to_have_count(1)  # one tab stop


def token_at(view: View, token: int, left: bool = True) -> dict[str, float]:
    box = view.part("right", "canvas.lines").bounding_box()
    return {
        "x": 20 if left else box["width"] - 20,
        "y": 4 + (token + 0.5) * (box["height"] - 8) / 16,
    }


def test_shift_draws_heads_as_lines_in_their_colours_and_a_token_isolates_its_own(board):
    board.page.evaluate(RECORD_TEXT)
    view = View(board)
    view.expect_selected("L3·H1", "L3·H1")
    view.click("right", 1, 8, modifiers=["Shift"])
    view.expect_edit(overlaid=[[1, 8]], view="lines")
    lines = view.part("right", "canvas.lines")
    expect(view.part("right", ".map")).to_be_hidden()
    view.page.mouse.move(5, 895)

    def inked() -> int:
        image = pixels(lines)
        width = image.shape[1]
        return int((image[:, int(0.4 * width) : int(0.6 * width), 3] > 0).sum())

    before, weights = inked(), truth("minilm").weights
    token = int(weights[3, 1].diagonal().argmax())
    assert weights[3, 1, token, token] > 0.3  # a level line in the middle of the picture
    image, y = pixels(lines), round(token_at(view, token)["y"])
    near = image[y - 3 : y + 4, image.shape[1] // 2].astype(int)
    first = [int(HEAD_COLOURS[0][i : i + 2], 16) for i in (1, 3, 5)]
    assert np.abs(near[:, :3] - first).sum(axis=1).min() < 12
    names = distinct(truth("minilm").tokens)
    for left, chosen in ((True, np.s_[IT]), (False, np.s_[:, IT])):
        lines.evaluate("canvas => { canvas.written = []; }")
        lines.hover(position=token_at(view, IT, left))
        assert 0 < inked() < before / 4
        pairs = zip(weights[3, 1][chosen], weights[1, 8][chosen], strict=True)
        numbers = [f"{one:.4f} {other:.4f}" for one, other in pairs]
        written = lines.evaluate("canvas => canvas.written.slice(-32)")
        ours, theirs = (written[16:], written[:16]) if left else (written[:16], written[16:])
        between = zip(names, numbers, strict=True)
        assert ours == [f"{n}  {w}" if left else f"{w}  {n}" for n, w in between]
        assert theirs == names
    lines.click(position=token_at(view, ANIMAL))
    assert view.pressed() == [ANIMAL]
    wide, high = step(view.canvas("right"))
    x, y = round(MARGIN["left"] + 8 * wide), round(MARGIN["top"] + 1.5 * high)
    second = [int(HEAD_COLOURS[1][i : i + 2], 16) for i in (1, 3, 5)]
    assert [*second, 255] in pixels(view.canvas("right"))[y, x - 4 : x + 2].tolist()


def test_on_a_phone_the_view_fits_and_a_tap_selects_a_head(phone):
    view = View(phone, "?picked=10")
    view.expect_selected("L3·H1", "L3·H1")
    assert phone.page.evaluate("document.documentElement.scrollWidth") == 390
    expect(view.said).to_contain_text("In minilm")  # which is first

    def tops() -> list[float]:
        boxes = [view.part(side, ".panel").bounding_box() for side in ("right", "left")]
        for box in boxes:
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
        return [box["y"] for box in boxes]

    before = tops()
    view.canvas("left").tap(position=view.spot("left", 1, 3))
    view.expect_selected("L1·H3", "L{}·H{}".format(*like("left", 1, 3)))
    view.answer(left=[1, 3], side="left", linked=False)
    assert tops()[1] - tops()[0] == before[1] - before[0]  # a tap moves nothing
    view.tokens().nth(ANIMAL).tap()
    assert view.pressed() == [ANIMAL]


def test_in_dark_colours_text_and_a_full_weight_are_readable(board):
    board.page.emulate_media(color_scheme="dark")
    view = View(board, "?text=A+cat.&picked=1")
    view.expect_selected("L3·H1", "L3·H1")
    expect(view.tokens().nth(0)).to_have_css("color", "rgb(242, 244, 251)")
    expect(view.part("left", ".gtitle")).to_have_css("fill", "rgb(242, 244, 251)")
    names = pixels(view.canvas("left"))[: MARGIN["top"]]
    assert names[names[..., 3] > 200][:, :3].min() > 200  # light letters
