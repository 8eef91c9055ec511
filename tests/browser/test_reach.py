"""Dark theme, phones and keyboard navigation."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def luminance(colour: str) -> float:
    red, green, blue = (float(x) for x in colour.strip("rgba()").split(",")[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def colour(locator, name: str) -> float:
    return luminance(locator.evaluate("(e, name) => getComputedStyle(e)[name]", name))


def test_figures_have_light_text_in_the_dark_theme(visit, base):
    explore = visit(base, color_scheme="dark").open()
    assert colour(explore.page.get_by_test_id("stApp"), "backgroundColor") < 0.15
    values = explore.chart("left").locator(".heatmap-label text")
    for text in (explore.title("left"), explore.rows("left").first, values.first):
        assert colour(text, "fill") > 0.5
    assert colour(explore.pieces().first, "color") > 0.5


def test_a_phone_stacks_the_sides_and_does_not_scroll_sideways(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}).open()
    assert explore.sideways() <= 0
    left, right = (explore.overview(side).bounding_box() for side in ("left", "right"))
    assert left["x"] == right["x"]
    assert left["y"] + left["height"] < right["y"]
    assert right["width"] > 300
    assert left["y"] + left["height"] < 844  # the first overview is on the first screen


def test_cells_too_small_for_a_number_have_none(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}).open()
    numbers = explore.chart("left").locator(".heatmap-label")
    expect(numbers.first).to_be_hidden()
    assert not any(numbers.nth(i).is_visible() for i in range(0, numbers.count(), 17))


def test_the_form_takes_three_lines_on_a_phone(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}).open()
    parts = explore.page.locator(".st-key-sentence_form > *").all()
    tops = [part.bounding_box()["y"] for part in parts]
    assert len(parts) == 8
    # Tops within a line differ by less, because Copy link is smaller and centred.
    assert sum(after - before > 20 for before, after in pairwise(sorted(tops))) == 2
    strip = explore.part("you_are_here")
    expect(strip.get_by_text("You are here")).to_be_in_viewport(ratio=1)
    expect(strip.get_by_role("link", name="Output")).to_be_in_viewport(ratio=1)
    # The finding comes first, and all heads of both sides are on the first screen.
    finding = explore.part("finding_text").bounding_box()
    assert finding["y"] + finding["height"] < explore.overview("left").bounding_box()["y"] < 420
    right = explore.overview("right").bounding_box()
    assert right["y"] + right["height"] < 844


def test_on_a_phone_the_edge_of_the_tokens_fades_until_the_last_one(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}).open()
    row = explore.part("chips").locator(".chips")
    faded = 48  # pixels
    assert f"{faded}px" in row.evaluate("e => getComputedStyle(e).maskImage")
    edge = row.bounding_box()["x"] + row.bounding_box()["width"] - faded
    last = row.locator(".count")
    assert last.bounding_box()["x"] > edge
    row.evaluate("e => { e.scrollLeft = e.scrollWidth; }")
    assert last.bounding_box()["x"] + last.bounding_box()["width"] <= edge + 1


def test_the_menu_closes_on_a_phone_when_a_page_is_chosen(visit, base):
    explore = visit(base, viewport={"width": 390, "height": 844}, has_touch=True).open()
    menu = explore.page.get_by_test_id("stSidebar")
    button = explore.page.get_by_test_id("stExpandSidebarButton")
    assert button.evaluate("e => getComputedStyle(e, '::after').content") == '"Menu"'
    box, other = button.bounding_box(), explore.page.get_by_role("button", name="Start here")
    assert min(box["width"], box["height"]) >= 44
    assert box["x"] + box["width"] <= other.bounding_box()["x"]
    button.tap()
    menu.get_by_role("link", name="About").tap()
    expect(explore.page.get_by_role("heading", name="About Headlight")).to_be_visible()
    expect(menu).to_have_attribute("data-collapsed", "true")
    expect(explore.page).to_have_title("About · Headlight")


def test_chips_and_toolbars_are_one_tab_stop_with_arrow_keys(explore):
    explore.open()
    explore.chips().nth(0).focus()
    for key, number in (("ArrowRight", 1), ("ArrowLeft", 0), ("ArrowLeft", 15), ("Home", 0)):
        explore.page.keyboard.press(key)
        assert explore.focused()["text"] == explore.chips().nth(number).text_content()
    tabbed = [explore.chips().nth(i).get_attribute("tabindex") for i in range(16)]
    assert tabbed == ["0", *["-1"] * 15]
    bar = explore.chart("left").locator(".modebar-btn")
    expect(explore.chart("left").locator('.modebar-btn[tabindex="0"]')).to_have_count(1)
    bar.first.focus()
    explore.page.keyboard.press("End")
    names = [bar.nth(i).get_attribute("aria-label") for i in range(bar.count())]
    assert explore.focused()["name"] == names[-1]
    explore.page.keyboard.press("ArrowLeft")
    assert explore.focused()["name"] == names[-2]


def test_tab_reaches_the_sentence_the_chips_and_both_overviews(explore):
    explore.open()
    reached = []
    while len(reached) < 120 and "All heads of minilm" not in str(reached[-1:]):
        explore.page.keyboard.press("Tab")
        reached.append(explore.focused()["name"] or explore.focused()["text"])
    order = [
        next(i for i, name in enumerate(reached) if expected in name)
        for expected in ("Sentence", "[CLS]", "All heads of scratch", "of minilm")
    ]
    assert order == sorted(order)


def test_enter_and_space_toggle_a_chip_and_keep_the_focus(explore):
    explore.open()
    chip = explore.chips().nth(2)
    chip.focus()
    explore.page.keyboard.press("Enter")
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(explore.tables()).to_have_count(4)
    explore.page.keyboard.press("Space")
    expect(explore.tables()).to_have_count(0)
    expect(chip).to_have_attribute("aria-pressed", "false")


def test_both_download_buttons_work_with_the_keyboard(explore):
    explore.open()
    for label, kind in (
        ("Download the figure as PNG", "png"),
        ("Download the numbers as CSV", "csv"),
    ):
        button = explore.chart("left").get_by_role("button", name=label)
        button.focus()
        file, _ = explore.download(lambda: explore.page.keyboard.press("Enter"))
        assert file.suggested_filename.endswith(f".{kind}")
