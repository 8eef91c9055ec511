"""The Explore page: heads, models, long and hostile texts, the training, saved files."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from model import AttentionCapture
from model.capture.tokens import MAX_CHARACTERS
from model.catalogue import encoder_files
from tests.components.explore import DEFAULT, HINT, IT, LONG, SIDES, model, said, truth
from tests.model import checkpoints
from tests.pages.test_view_code import run
from viz import provenance
from viz.canvas import FIRST_SIDE
from web.subject import Subject
from web.widgets.head_comparison import most_similar
from web.widgets.head_picker import head_name

pytestmark = pytest.mark.browser

OVERVIEW_BYTES = 72 * FIRST_SIDE**2 * 2


def test_a_click_on_a_token_or_a_head_updates_everything_that_shows_it(visit, base):
    explore = visit(base, viewport={"width": 1440, "height": 900}).open()
    explore.chips().nth(IT).click()
    expect(explore.said()).to_have_text(said("minilm", 3, 1, IT))
    explore.address_says(picked=f"{IT}")
    explore.page.keyboard.press("Escape")
    explore.address_says(picked=None)
    left, right = (Subject(side, model, DEFAULT) for side, model in SIDES.items())
    like, distance = most_similar(right, (4, 9), left)
    explore.click_head("right", 4, 9)
    explore.shows(4, 9, ("right",))
    explore.shows(*like, ("left",))  # the most similar head
    similar = f" Most similar in scratch: {head_name(*like)}. Their weights differ by "
    similar += f"{distance:.2f} (0: equal; 1: nothing in common)."
    expect(explore.said()).to_have_text(said("minilm", 4, 9) + similar)
    view = {"linked": "0", "right_layer": "4", "right_head": "9"}
    explore.address_says(**view, layer=str(like[0]), head=str(like[1]))
    expect(explore.part("actions")).to_contain_text("minilm · L4·H9")
    box = explore.heatmap("right").bounding_box()
    assert box["y"] + box["height"] <= 900  # on the first screen
    explore.at_rest()
    explore.draws("right", truth("minilm"), 4, 9)
    explore.click_head("left", 0, 8, modifiers=["Control"])  # this side only
    explore.shows(0, 8, ("left",))
    expect(explore.said()).to_have_text(
        said("scratch", 0, 8) + HINT
    )  # nothing on the other side's head
    explore.address_says(**view, layer="0", head="8")
    explore.display("Same place on both sides")
    explore.shows(0, 8)
    explore.click_head("right", 2, 7)
    explore.shows(2, 7)
    explore.address_says(same="1", linked=None, layer="2", head="7")
    explore.at_rest()
    explore.draws("left", truth("scratch"), 2, 7)
    explore.display("Lines")
    explore.address_says(view="lines")
    expect(explore.column("right").locator("canvas.lines")).to_be_visible()
    expect(explore.heatmap("right")).to_be_hidden()


def test_a_head_of_a_long_sentence_is_requested_once_and_no_overview_twice(explore):
    explore.open(text=LONG)
    assert max(explore.received) > OVERVIEW_BYTES
    sizes: list[tuple[str, int]] = []
    explore.page.on("response", lambda x: sizes.append((x.request.method, len(x.body()))))
    explore.sent.clear()
    capture = truth("minilm", LONG)
    largest = f"{capture.weights[2, 3].max():.4f}"
    for _ in range(2):  # the second time from the browser's cache
        explore.hover_head("right", 2, 3)
        expect(explore.panel("right")).to_have_accessible_name(
            re.compile(f"^minilm · L2·H3\\. .* {largest}\\.$")
        )
        explore.page.mouse.move(5, 5)
        explore.shows(3, 1)
    assert sizes == [("GET", 2 * len(capture.tokens) ** 2)]
    assert explore.sent == []

    explore.received.clear()  # a click does not send the overviews again
    explore.click_head("right", 2, 7)
    explore.shows(2, 7, ("right",))
    explore.address_says(right_layer="2", right_head="7")  # the server has answered
    explore.at_rest()
    assert 0 < max(explore.received) < 60_000


NASTY = [
    "<script>window.hacked=1</script>",
    '<img src=x onerror="window.hacked=1">',
    ":red[x] **b** `c` $d$",
    "{} {0} %s %{z}",
    "&lt;b&gt; &amp;",
    "الحيوان متعب",
    "a 🙂 b",
    "bell\x07 \u202eturned \x7f end",
]
MARKUP = "<img src=x onerror=window.hacked=1>"


def test_hostile_text_is_shown_as_text_and_never_as_markup(explore):
    text = " ".join(NASTY)
    explore.open(text=text, pair=MARKUP)
    expect(explore.chips()).to_have_count(len(truth("minilm", text, MARKUP).tokens))
    expect(explore.sentence()).to_have_value(text)
    for text in (NASTY[2], MARKUP):
        explore.type(text)
        expect(explore.chips()).to_have_text(truth("minilm", text, MARKUP).tokens)
        expect(explore.heatmap("right")).to_have_attribute("data-sentence", f"{text} | {MARKUP}")
    for typed in ("<i onfocus=window.hacked=1 autofocus tabindex=0>", ":red[x]/<b>"):
        explore.choose("left", typed)
        expect(explore.alerts().filter(has_text=typed)).to_be_visible()

    explore.open(layer="-1", scale=MARKUP, picked="a.b")
    expect(explore.page.get_by_text("is not known here")).to_have_count(3)
    explore.shows(3, 1)
    explore.at_rest()
    assert explore.page.evaluate("window.hacked") is None
    assert explore.page.locator("img[src='x']").count() == 0


def test_a_very_long_pasted_text_is_cut_with_a_notice(explore):
    text = " ".join(f"слово{i}" for i in range(10_000))
    explore.open()
    explore.type(text)
    expect(explore.page.get_by_text("512 tokens (at most 512)")).to_be_visible()
    cut = text[:MAX_CHARACTERS]
    left_out = truth("minilm", cut).left_out[0].split()
    notice = explore.page.get_by_text("Left out:").first
    expect(notice).to_contain_text(" ".join(left_out[:5]))
    explore.page.wait_for_function("() => location.search.length > 5_000")
    assert len(explore.page.url) < 16_000  # servers reject a longer URL
    explore.page.reload()
    explore.drawn()
    expect(explore.page.get_by_text("512 tokens (at most 512)")).to_be_visible()
    explore.hover_head("right", 2, 6)
    largest = f"{truth('minilm', cut).weights[2, 6].max():.4f}"
    expect(explore.panel("right")).to_have_accessible_name(re.compile(f"L2·H6.* {largest}"))


TEXT = "the animal was it"


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, str]:
    """Folders of a tiny BERT, whose name contains markup, and of a tiny RoBERTa."""
    root = tmp_path_factory.mktemp("models")
    bert = checkpoints.save("bert", root / "<b>tiny :red[bert] $x$ _y_")
    return {"bert": str(bert), "roberta": str(checkpoints.save("roberta", root / "roberta"))}


def test_a_typed_model_is_shown_on_its_side_and_an_unknown_one_changes_nothing(explore, folders):
    explore.open(text=TEXT)
    explore.choose("left", folders["bert"])
    name = Path(folders["bert"]).name  # only the URL contains the parent folders
    expect(explore.title("left")).to_have_text([f"{name} · L1·H1"])
    expect(explore.title("right")).to_have_text(["minilm · L3·H1"])
    expect(explore.page.get_by_text("has no L3·H1; L1·H1 is shown.")).to_be_visible()
    explore.address_says(left=folders["bert"], right="minilm")
    weights = model(folders["bert"]).attend(TEXT).weights
    explore.hover_head("left", 1, 2, size=(2, 3))
    hovered = re.compile(f"^{re.escape(name)} · L1·H2.* {weights[1, 2].max():.4f}")
    expect(explore.panel("left")).to_have_accessible_name(hovered)
    explore.choose("right", "no such model !")
    errors = explore.page.get_by_test_id("stAlertContentError")
    expect(errors).to_have_count(1)
    expect(errors).to_contain_text("no such model !")
    expect(explore.page.get_by_text("minilm is shown instead.")).to_be_visible()
    expect(explore.title("right")).to_have_text(["minilm · L3·H1"])


def test_typing_in_a_picker_filters_and_appends(explore):
    explore.open()
    box, keyboard = explore.picker("left"), explore.page.keyboard
    box.click()
    keyboard.type("scratch-m")
    expect(explore.page.get_by_role("option", name="scratch-minilm")).to_be_visible()
    keyboard.press("Enter")
    explore.address_says(left="scratch-minilm")
    explore.at_rest()
    explore.choose("left", "scratch")
    expect(explore.title("left")).to_have_text(["scratch · L3·H1"])
    box.press("End")
    keyboard.type("@000400")  # appended; an alias
    keyboard.press("Enter")
    expect(explore.title("left")).to_have_text(["scratch@400 · L3·H1"])
    explore.address_says(left="scratch@400")
    expect(box).to_have_value("scratch@400")


def test_another_tokenizer_has_its_own_chips_and_picks_match_by_characters(explore, folders):
    explore.open(text=TEXT, left="minilm", right=folders["roberta"], layer="1", head="2")
    assert explore.chips("left").all_text_contents()[2] == "animal"
    right = explore.chips("right").all_text_contents()
    assert "animal" not in right
    explore.chips("left").nth(2).click()
    pressed = explore.chips("right").and_(explore.page.locator('[aria-pressed="true"]'))
    expect(pressed).to_have_count(len("animal"))
    assert "".join(pressed.all_text_contents()) == "animal"


STEPS = [each.step for each in encoder_files.history().checkpoints]


def test_the_training_slider_and_its_curve_select_a_checkpoint_everywhere(explore):
    explore.open()
    explore.page.get_by_role("button", name="Watch scratch learn").click()
    for step in STEPS[:2]:  # it plays
        expect(explore.said()).to_contain_text(f"In scratch@{step},")
    slider, heads = (each.bounding_box() for each in (explore.training(), explore.overview("left")))
    assert slider["y"] < heads["y"] < 600
    explore.training().focus()
    explore.page.keyboard.press("End")
    explore.page.keyboard.press("ArrowLeft")
    explore.page.keyboard.press("ArrowLeft")
    for index in (len(STEPS) - 3, 1):
        if index == 1:
            explore.part("training_left").locator("rect.stop").nth(1).click()
        name = f"scratch@{STEPS[index]}"
        explore.address_says(left=name, right="minilm")
        expect(explore.training()).to_have_value(str(index))
        expect(explore.title("left")).to_contain_text([f"{name} · L3·H1"])
        expect(explore.picker("left")).to_have_value(name)
        explore.at_rest()
        explore.draws("left", truth(name), 3, 1)


def test_saved_files_have_the_screens_numbers_and_state_their_origin(explore, tmp_path):
    text = "Él put the <b>book</b> on the table."
    capture = truth("minilm", text)
    explore.open(text=text)
    explore.page.get_by_role("button", name="Export").click()
    file, data = explore.download(explore.button("Download for a paper").click)
    assert file.suggested_filename.startswith("headlight_minilm_L3-H1_")
    (tmp_path / "head.pdf").write_bytes(data)
    found = provenance(tmp_path / "head.pdf")
    assert found.items() >= {**capture.origin, "text": text, "layer": 3, "head": 1}.items()
    np.testing.assert_array_equal(np.asarray(run(found["code"]).data[0].z), capture.weights[3, 1])
    _, data = explore.download(explore.page.get_by_role("button", name="NPZ").click)
    again = AttentionCapture.from_npz(data)
    assert (again.model, again.text, again.tokens) == ("minilm", text, capture.tokens)
    np.testing.assert_array_equal(again.weights, capture.weights)
    _, page = explore.download(explore.button("Interactive page").click)
    (tmp_path / "view.html").write_bytes(page)
    explore.page.goto((tmp_path / "view.html").as_uri())
    expect(explore.title("right")).to_have_text("minilm · L3·H1")
    explore.page.goto(found["link"])
    expect(explore.title("right")).to_have_text("minilm · L3·H1")
    expect(explore.sentence()).to_have_value(text)
