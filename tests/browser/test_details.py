"""The selected head: heatmap, picked tokens, lines, and exported files."""

import io
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect
from pypdf import PdfReader

from model import AttentionCapture
from tests.browser.explore_page import DEFAULT, RECORD_TEXT, SIDES, four, truth
from tests.web.widgets.test_view_code import run
from viz import distinct, provenance

pytestmark = pytest.mark.browser

ANIMAL, IT = 2, 10  # positions in the default sentence

# Number of painted pixels between the two columns of tokens.
INKED = """canvas => canvas.getContext("2d")
  .getImageData(canvas.width * 0.35, 0, canvas.width * 0.3, canvas.height)
  .data.filter((value, index) => index % 4 === 3 && value > 0).length"""


# -- heatmap -------------------------------------------------------------------------------------


def test_hovering_over_a_cell_shows_both_tokens_and_the_weight_with_six_decimals(explore):
    explore.open()
    for side, name in zip(SIDES, ("scratch", "minilm"), strict=True):
        capture = truth(name)
        names = distinct(capture.tokens)
        for query, key in ((IT, ANIMAL), (1, 7)):
            explore.point_at(side, query, key, len(names))
            weight = format(float(capture.weights[3, 1, query, key]), ".6f")
            hover_text = explore.chart(side).locator(".hovertext")
            expect(hover_text).to_have_text(f"{names[query]} → {names[key]}{weight}")


def test_a_click_on_a_cell_picks_the_token_of_its_row(explore):
    explore.open()
    explore.point_at("right", IT, ANIMAL, 16)
    explore.page.mouse.down()
    explore.page.mouse.up()
    expect(explore.chips().nth(IT)).to_have_attribute("aria-pressed", "true")
    expect(explore.chips().nth(ANIMAL)).to_have_attribute("aria-pressed", "false")
    explore.address_says(picked=str(IT))


def test_a_click_counts_for_any_time_the_button_is_down(explore):
    # Plotly reads the pointer every 50 ms, and drops its state while the button is down.
    explore.open()
    for token, held in ((IT, 40), (ANIMAL, 60), (7, 80)):
        explore.point_at("right", token, 3, 16)
        explore.page.mouse.down()
        explore.page.wait_for_timeout(held)
        explore.page.mouse.up()
        expect(explore.chips().nth(token)).to_have_attribute("aria-pressed", "true")


def test_a_drag_over_cells_zooms_and_picks_nothing(explore):
    explore.open()
    explore.point_at("right", ANIMAL, 2, 16)
    explore.page.mouse.down()
    explore.page.wait_for_timeout(60)
    box = explore.chart("right").locator(".nsewdrag").bounding_box()
    explore.page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.8 * box["height"], steps=4)
    explore.page.mouse.up()
    expect(explore.rows("right")).not_to_have_count(16)
    assert explore.chips().and_(explore.page.locator('[aria-pressed="true"]')).count() == 0


def test_repeated_words_have_a_row_and_a_chip_each(explore):
    explore.open()
    rows = explore.rows("right")
    expect(rows).to_have_count(16)
    one, other = (rows.get_by_text(name).bounding_box() for name in ("the₁", "the₂"))
    assert one["y"] < other["y"]  # the first row is the upper one
    assert explore.pieces().all_text_contents().count("the") == 2


# -- picked tokens -------------------------------------------------------------------------------


def test_tokens_are_ranked_by_the_summed_weights_of_the_picked_chips(explore):
    explore.open()
    explore.chips().nth(ANIMAL).click()
    expect(explore.page.get_by_text("animal attends to")).to_have_count(2)
    explore.chips().nth(IT).click()
    expect(explore.page.get_by_text("animal, it attend to (sums of 2 rows)")).to_have_count(2)
    expect(explore.page.get_by_text("Attend to animal, it (sums of 2 columns)")).to_have_count(2)
    explore.address_says(picked=f"{ANIMAL}.{IT}")
    capture = truth("minilm")
    given = capture.weights[3, 1][[ANIMAL, IT]].sum(axis=0)
    received = capture.weights[3, 1][:, [ANIMAL, IT]].sum(axis=1)
    names = distinct(capture.tokens)
    for table, summed in ((2, given), (3, received)):  # tables 0 and 1 belong to the left model
        first = explore.tables().nth(table).locator("td")
        expect(first.first).to_have_text(names[summed.argmax()])
        expect(first.nth(1)).to_have_text(str(summed.max()))  # the shortest digits of a float32


def test_a_second_click_on_a_chip_unpicks_it(explore):
    explore.open(picked=str(IT))
    expect(explore.tables()).to_have_count(4)
    explore.chips().nth(IT).click()
    expect(explore.tables()).to_have_count(0)
    expect(explore.chips().nth(IT)).to_have_attribute("aria-pressed", "false")


# -- lines ---------------------------------------------------------------------------------------


def test_heads_clicked_with_shift_are_drawn_over_the_selected_head_in_other_colours(explore):
    explore.open()
    explore.display("Lines")
    expect(explore.legend("right")).to_have_text(["L3·H1"])
    explore.click_head("right", 1, 8, modifiers=["Shift"])
    expect(explore.legend("right")).to_have_text(["L3·H1", "L1·H8"])
    explore.click_head("left", 0, 2, modifiers=["Shift"])
    for side in SIDES:
        expect(explore.legend(side)).to_have_text(["L3·H1", "L1·H8", "L0·H2"])
    explore.address_says(view="lines", overlaid="1-8.0-2")
    explore.click_head("right", 1, 8, modifiers=["Shift"])  # removes it again
    expect(explore.legend("right")).to_have_text(["L3·H1", "L0·H2"])


def test_twelve_overlaid_heads_have_twelve_colours(explore):
    explore.open(view="lines", overlaid=".".join(f"0-{head}" for head in range(11)))
    expect(explore.legend("right")).to_have_count(12)
    colours = explore.legend("right").evaluate_all(
        "items => items.map((item) => item.style.getPropertyValue('--colour'))"
    )
    assert len(set(colours)) == 12


def test_hovering_over_a_token_shows_only_its_lines_and_their_weights(explore):
    explore.page.add_init_script(RECORD_TEXT)
    explore.open(view="lines")
    canvas = explore.lines("right")
    before = canvas.evaluate(INKED)
    box = canvas.bounding_box()
    row = (box["height"] - 8) / 16
    canvas.hover(position={"x": 20, "y": 4 + (IT + 0.5) * row})
    assert 0 < canvas.evaluate(INKED) < before / 4  # the lines of one token out of sixteen
    weights = truth("minilm").weights[3, 1, IT]
    names = distinct(truth("minilm").tokens)
    wanted = [f"{name}  {four(w)}" for name, w in zip(names, weights, strict=True)]
    written = canvas.evaluate("canvas => canvas.written.slice(-16)")  # the keys, after the queries
    assert written == wanted
    explore.page.mouse.move(5, 5)
    assert canvas.evaluate(INKED) == before


def test_a_click_on_a_token_of_the_lines_picks_it(explore):
    explore.open(view="lines")
    box = explore.lines("right").bounding_box()
    row = (box["height"] - 8) / 16
    explore.lines("right").click(position={"x": 20, "y": 4 + (ANIMAL + 0.5) * row})
    expect(explore.chips().nth(ANIMAL)).to_have_attribute("aria-pressed", "true")


# -- files ---------------------------------------------------------------------------------------


def toolbar(explore, side, label):
    explore.chart(side).locator(".js-plotly-plot").hover()
    return explore.chart(side).get_by_role("button", name=label)


def test_a_heatmap_is_saved_for_a_paper_with_the_screens_numbers_and_its_origin(explore, tmp_path):
    """Plotly would draw it into an SVG as a bitmap, so the toolbar has no button for one."""
    text = "She put the book on the table."
    explore.open(text=text)
    assert toolbar(explore, "right", "Download the figure as SVG").count() == 0
    explore.page.get_by_role("button", name="Export minilm").click()
    choose(explore, "SVG")
    width = explore.page.get_by_label("Width in mm")
    width.fill("120")
    width.press("Enter")
    explore.at_rest()
    file, data = explore.download(paper_button(explore).click)
    assert file.suggested_filename == "headlight_minilm_L3-H1_she-put-the-book-on-the-table.svg"
    drawing = ElementTree.fromstring(data)
    assert drawing.get("width") == "120.000mm"
    titles = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}title")]
    cells = [title.rpartition(": ")[2] for title in titles if " → " in title]
    weights = np.reshape(np.array(cells, np.float32), (10, 10))
    np.testing.assert_array_equal(weights, truth("minilm", text).weights[3, 1])
    (tmp_path / "head.svg").write_bytes(data)
    found = provenance(tmp_path / "head.svg")
    assert found.items() >= truth("minilm", text).origin.items()
    assert (found["model"], found["text"], found["layer"], found["head"]) == ("minilm", text, 3, 1)
    np.testing.assert_array_equal(np.asarray(run(found["code"]).data[0].z), weights)
    explore.page.goto(found["link"])
    expect(explore.title("right")).to_have_text("minilm · L3·H1")
    expect(explore.sentence()).to_have_value(text)


def test_the_lines_and_all_heads_are_saved_for_a_paper(explore, tmp_path):
    explore.open(view="lines", overlaid="1-8")
    explore.page.get_by_role("button", name="Export minilm").click()
    path = tmp_path / "figure.pdf"
    for kind, name in (("lines", "L3-H1-lines"), ("heads", "heads")):
        file, data = explore.download(paper_button(explore).click)
        assert file.suggested_filename.startswith(f"headlight_minilm_{name}_the-animal")
        path.write_bytes(data)
        assert provenance(path)["figure"] == kind
        assert DEFAULT in PdfReader(path).pages[0].extract_text().replace("\n", " ")
        choose(explore, "All heads")


def choose(explore, option):
    """Choose an option of the export menu."""
    menu = explore.page.get_by_test_id("stPopoverBody")
    menu.get_by_test_id("stButtonGroup").get_by_text(option, exact=True).click()
    explore.at_rest()


def paper_button(explore):
    return explore.page.get_by_role("button", name="Download for a paper")


def test_the_toolbar_saves_a_png_that_states_its_origin(explore, tmp_path):
    text = "Él put the book on the table."
    explore.open(text=text)
    file, data = explore.download(toolbar(explore, "right", "Download the figure as PNG").click)
    assert file.suggested_filename == "headlight_minilm_L3-H1_l-put-the-book-on-the-table.png"
    (tmp_path / "head.png").write_bytes(data)
    found = provenance(tmp_path / "head.png")
    assert found.items() >= truth("minilm", text).origin.items()
    assert (found["text"], found["link"]) == (text, explore.page.url)
    Image.open(io.BytesIO(data)).verify()  # with the checksum of every part


def test_the_csv_contains_every_weight_of_the_head_exactly(explore):
    explore.open()
    csv = toolbar(explore, "right", "Download the numbers as CSV")
    file, data = explore.download(csv.click)
    assert file.suggested_filename.startswith("headlight_minilm_L3-H1_the-animal")
    table = pd.read_csv(io.BytesIO(data), index_col=0)
    capture = truth("minilm")
    assert list(table.index) == list(table.columns) == distinct(capture.tokens)
    np.testing.assert_array_equal(table.to_numpy(np.float32), capture.weights[3, 1])


def test_the_npz_contains_the_whole_capture(explore):
    explore.open()
    explore.page.get_by_role("button", name="Export minilm").click()
    _, data = explore.download(explore.page.get_by_role("button", name="NPZ").click)
    capture = truth("minilm")
    again = AttentionCapture.from_npz(data)
    assert (again.model, again.text, again.tokens) == ("minilm", DEFAULT, capture.tokens)
    np.testing.assert_array_equal(again.weights, capture.weights)
    with np.load(io.BytesIO(data), allow_pickle=False) as plain:
        np.testing.assert_array_equal(plain["weights"], capture.weights)
        np.testing.assert_array_equal(plain["q"], np.stack(capture.q))


def test_the_export_menu_offers_the_figures_files_and_stays_open(explore):
    explore.open()
    explore.page.get_by_role("button", name="Export minilm").click()
    file, data = explore.download(paper_button(explore).click)
    assert file.suggested_filename.endswith(".pdf") and data.startswith(b"%PDF")
    for kind in ("CSV", "HTML"):
        button = explore.page.get_by_role("button", name=kind, exact=True).last
        file, data = explore.download(button.click)
        assert file.suggested_filename.startswith("headlight_minilm_L3-H1_the-animal")
        assert file.suggested_filename.endswith(f".{kind.lower()}")
        assert data
