"""Part Generate of the Decoder page in a browser."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser


class GeneratePage(Visitor):
    """Part Generate of one visitor's Decoder page."""

    path = "/decoder"

    def text(self) -> Locator:
        return self.part("g_live_text").get_by_test_id("stText")

    def summary(self) -> Locator:
        return self.page.locator(".writing .summary")

    def slider(self) -> Locator:
        return self.page.get_by_role("slider", name="Step", exact=True)

    def longer_than(self, text: str) -> str:
        """Wait until the text continues ``text``, and return it."""
        self.page.wait_for_function(
            "([part, text]) => {"
            " const now = (document.querySelector(part)?.textContent ?? '').replace('▌', '');"
            " return now.length > text.length && now.startsWith(text); }",
            arg=[".st-key-g_live_text [data-testid=stText]", text],
        )
        return (self.text().text_content() or "").rstrip("▌")


@pytest.fixture
def writer(visit, base) -> GeneratePage:
    """A visitor who has not opened the page yet."""
    return visit(base, GeneratePage, viewport={"width": 1440, "height": 900})


def test_tokens_appear_one_at_a_time_and_stop_keeps_them(writer):
    beginning = "Once upon a time"
    writer.go(part="generate", text=beginning, tokens="200")
    first = writer.longer_than(beginning)
    second = writer.longer_than(first)
    # Streamlit's own button would leave a page of grey parts.
    expect(writer.page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    expect(writer.page.get_by_test_id("stStatusWidget")).to_be_visible()
    writer.page.get_by_role("button", name="Stop writing").click()
    writer.page.get_by_role("button", name="Write 200 more").wait_for()
    stopped = writer.text().text_content()
    assert stopped.startswith(second)
    count = int(writer.address()["until"])
    assert 2 <= count < 200
    expect(writer.page.locator(".cell.written")).to_have_count(count)


def test_a_text_of_usual_length_is_shown_without_a_scroll_bar_of_its_own(visit, base):
    writer = visit(base, GeneratePage, viewport={"width": 1000, "height": 900})
    writer.go(part="generate", text="Once upon a time", tokens="30")
    expect(writer.page.locator(".cell.written")).to_have_count(30)
    sizes = writer.page.locator(".ribbon").evaluate("r => [r.scrollHeight, r.clientHeight]")
    assert sizes[0] == sizes[1] > 384


@pytest.mark.parametrize("width", [1440, 390])
def test_the_numbers_above_and_below_the_tokens_have_names_beside_them(visit, base, width):
    writer = visit(base, GeneratePage, viewport={"width": width, "height": 900})
    writer.go(part="generate", tokens="6")
    first = writer.page.locator(".cell.written").first
    expect(first).to_be_visible()
    for name, numbers in (
        ("attention", writer.page.locator(".cell .weight").first),
        ("probability", first.locator(".own")),
        ("alternatives", first.locator(".other").first),
    ):
        label = writer.page.locator(".legend").get_by_text(name, exact=True).bounding_box()
        number = numbers.bounding_box()
        middles = [box["y"] + box["height"] / 2 for box in (label, number)]
        assert abs(middles[0] - middles[1]) < 6, name
        assert 0 <= number["x"] - label["x"] - label["width"] < 40, name


def test_the_list_of_all_steps_ends_at_a_whole_row_and_has_a_visible_scroll_bar(writer):
    writer.go(part="generate", tokens="20")
    rows = writer.page.locator(".list .token")
    expect(rows).to_have_count(20)
    shown, whole, bar = writer.page.locator(".list").evaluate(
        """list => {
          const { top, bottom } = list.getBoundingClientRect();
          const rows = [...list.querySelectorAll(".token")].map((row) =>
            row.getBoundingClientRect());
          const shown = rows.filter((row) => row.top < bottom);
          const style = getComputedStyle(list, "::-webkit-scrollbar-thumb");
          return [shown.length, shown.every((row) => row.bottom <= bottom),
                  style.backgroundColor];
        }"""
    )
    assert 5 < shown < 20 and whole
    assert bar not in ("rgba(0, 0, 0, 0)", "transparent")


def test_stepping_sends_no_request_and_another_token_can_be_forced(writer):
    writer.go(part="generate", tokens="6")
    expect(writer.summary()).to_contain_text("the mean over the steps")
    writer.at_rest()
    fifth = writer.page.locator(".cell.written").nth(4)
    writes = (fifth.locator(".word").text_content() or "").strip()
    other = (fifth.locator(".other").first.text_content() or "").split()[0]
    messages = len(writer.sent)
    writer.slider().focus()
    for _ in range(2):
        writer.page.keyboard.press("ArrowLeft")
    expect(writer.summary()).to_contain_text(f"Writes “{writes}”")
    writer.address_says(step="4")
    assert len(writer.sent) == messages
    fifth.locator(".other").first.click()
    expect(writer.summary()).to_contain_text(f"Writes “{other}”")
    writer.at_rest()
    assert writer.address()["forced"].startswith("4~")
    writer.address_says(step="4")
    expect(writer.page.get_by_text(f"Forced: “ {other}” at token 5.")).to_be_visible()
    expect(fifth.locator(".own")).to_have_text(re.compile(r"^(<\.01|\.\d\d)$"))
    expect(fifth.locator(".own + .forced")).to_have_text("forced")
    expect(writer.page.locator(".forced")).to_have_count(1)


def test_the_lesson_on_sampling_works(writer):
    writer.go(lesson="generation.2", part="generate", text="The capital of France is", tokens="4")
    expect(writer.text()).to_contain_text("Paris")
    writer.at_rest()
    writer.page.get_by_test_id("stPopoverButton").filter(has_text="Greedy").click()
    ask = writer.page.get_by_test_id("stPopoverBody")
    ask.get_by_role("radio", name="Sampling").click()
    slider = ask.get_by_role("slider", name="Temperature")
    slider.focus()
    for _tenth in range(10):
        writer.page.keyboard.press("ArrowRight")
    writer.address_says(lesson="generation.2", how="sample", temperature="2")
    expect(writer.page.locator(".lesson")).to_contain_text("Step 2 of 3")
    expect(writer.text()).not_to_contain_text("Paris")  # temperature 2, seed 0
