"""Whatever is typed or linked is text: never markup, never an error."""

import pytest
from playwright.sync_api import expect

from tests.browser.explore_page import four, truth
from viz import distinct

pytestmark = pytest.mark.browser

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


def chip_labels(text: str) -> list[str]:
    """The pieces as they stand; behind an unknown one, what was typed."""
    capture = truth("minilm", text)
    return [
        f"{token} {text[slice(*span)]}" if token == "[UNK]" else token
        for token, span in zip(capture.tokens, capture.offsets, strict=True)
    ]


def is_literal(explore, text: str) -> None:
    expect(explore.pieces()).to_have_text(chip_labels(text), use_inner_text=False)
    assert explore.pieces().all_text_contents() == chip_labels(text)
    explore.at_rest()
    assert explore.page.evaluate("window.hacked") is None
    assert explore.page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize("text", ["\n".join(NASTY[:4]), "\n".join(NASTY[4:])])
def test_what_is_typed_is_shown_as_it_stands(explore, text):
    explore.open()
    for line in text.split("\n"):
        explore.type(line)
        is_literal(explore, line)
        rows = distinct(truth("minilm", line).tokens)
        expect(explore.rows("right")).to_have_text(rows)


def test_what_a_link_says_is_shown_as_it_stands(explore):
    text = " ".join(NASTY)
    explore.open(text=text, pair=MARKUP)
    capture = truth("minilm", text, MARKUP)
    assert len(explore.pieces().all_text_contents()) == len(capture.tokens)
    explore.at_rest()
    assert explore.page.evaluate("window.hacked") is None
    assert explore.page.locator("img[src='x']").count() == 0
    expect(explore.sentence()).to_have_value(text)


def test_a_model_name_that_is_markup_is_said_as_it_stands(explore):
    explore.open(left=MARKUP, right=f"{MARKUP}/{MARKUP}")
    assert explore.page.locator("img[src='x']").count() == 0
    expect(explore.page.get_by_test_id("stAlert").filter(has_text=MARKUP).first).to_be_visible()
    explore.choose("left", f"x{MARKUP}")
    expect(
        explore.page.get_by_test_id("stAlert").filter(has_text=f"x{MARKUP}").first
    ).to_be_visible()
    assert explore.page.evaluate("window.hacked") is None


def test_an_address_with_unknown_values_is_answered_in_words(explore):
    explore.open(layer="-1", scale=MARKUP, picked="a.b")
    expect(explore.page.get_by_text("is not known here")).to_have_count(3)
    explore.shows(3, 1)
    assert explore.page.evaluate("window.hacked") is None


def test_a_hundred_thousand_pasted_characters_are_cut_in_words_and_survive_a_reload(explore):
    words = [f"word{i}" for i in range(11_500)]
    text = " ".join(words)
    assert len(text) > 100_000
    explore.open()
    explore.type(text)
    expect(explore.page.get_by_text("512 of 512 tokens")).to_be_visible()
    left_out = truth("minilm", text).left_out[0].split()
    said = explore.page.get_by_text(f"the last {len(left_out)} words were left out")
    expect(said.first).to_contain_text(" ".join(left_out[:5]))
    explore.at_rest()
    explore.page.reload()
    explore.drawn()
    expect(explore.page.get_by_text("512 of 512 tokens")).to_be_visible()


def test_512_tokens_fill_every_view(explore):
    text = "the dog saw a cat " * 102
    explore.open(text=text)
    expect(explore.page.get_by_text("512 of 512 tokens")).to_be_visible()
    explore.hover_head("right", 2, 6)
    lens = explore.lens("right")
    expect(lens.locator(".title")).to_have_text("minilm L2·H6")
    expect(lens.locator(".note")).to_have_text(
        "Thumbnail: the largest weight of each block of tokens."
    )
    largest = four(truth("minilm", text).weights[2, 6].max())
    expect(explore.said("right")).to_contain_text(largest)
    explore.click_head("right", 2, 6)
    explore.shows(2, 6)
    explore.page.get_by_role("radio", name="Lines").click()
    expect(explore.legend("right")).to_have_text(["L2·H6"])
    assert explore.lines("right").bounding_box()["height"] > 512 * 10
