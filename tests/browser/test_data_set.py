"""The part "Data set" in a browser: a file, progress, stop, resume, the ends of a head."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.explore_page import ExplorePage
from tests.browser.test_heads_page import HEADER, ROW, HeadsPage

pytestmark = pytest.mark.browser

ROWS = [f"{i},The dog number {i} saw {'a very ' * (i % 7)}old cat." for i in range(600)]
CSV = "\n".join(["id,said", *ROWS]).encode()


@pytest.fixture
def heads(visit, base) -> HeadsPage:
    return visit(base, HeadsPage).open(None, part="data", right="minilm", measure="distance")


def choose(heads: HeadsPage, name: str, content: bytes) -> None:
    expect(button(heads, "Choose a file")).to_be_visible()  # the component is drawn
    heads.part("data_file").locator("input").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )


def button(heads: HeadsPage, name: str):
    return heads.page.get_by_role("button", name=name, exact=True)


def test_a_survey_of_a_file_stops_resumes_and_leads_to_its_texts(heads):
    choose(heads, "dogs.csv", CSV)
    expect(heads.page.get_by_text("has no text in the column “text”")).to_be_visible()
    heads.page.get_by_label("Its column of texts").fill("said")
    heads.page.get_by_label("Its column of texts").press("Enter")
    heads.at_rest()
    choose(heads, "dogs.csv", CSV)
    expect(heads.page.get_by_text("600 texts of dogs.csv")).to_be_visible()
    button(heads, "Compute").click()
    expect(heads.page.get_by_text(re.compile(r" of 600 texts · \d+ \w+ left"))).to_be_visible()
    button(heads, "Stop").click()
    expect(button(heads, "Resume")).to_be_visible()
    finished = heads.page.get_by_text(re.compile("of 600 texts are finished"))
    expect(finished).not_to_have_text(re.compile("^600 "))
    heads.drawn("quantiles")  # of the texts so far
    button(heads, "Resume").click()
    expect(finished).to_have_text(re.compile("^600 "), timeout=120_000)
    heads.at_rest()

    heads.part("survey_table").locator(".dvn-scroller").click(
        position={"x": 60, "y": HEADER + 2.5 * ROW}
    )
    rows = heads.part("survey_table").locator("table [role=row]")
    expect(rows.nth(3)).to_have_attribute("aria-selected", "true")
    head = rows.nth(3).locator("[role=gridcell]").first.text_content()
    expect(heads.page.get_by_text(f"Largest values of {head}")).to_be_visible()
    _file, table = heads.download(button(heads, "Download as CSV").click)
    assert table.count(b"\n") == 1 + 600 * 72
    link = heads.page.get_by_role("link", name=re.compile(r"^\d+\.\d+ · The dog")).first
    text = link.text_content().partition(" · ")[2]
    link.click()
    explore = heads.on(ExplorePage)
    explore.drawn()
    expect(explore.title("right")).to_have_text([f"minilm · {head}"])
    explore.address_says(text=text)


def test_a_file_that_is_not_a_text_is_refused_and_a_large_one_is_read_in_part(heads):
    choose(heads, "a.txt", bytes([255]) * 100)
    expect(heads.page.get_by_text("a.txt cannot be read as a text")).to_be_visible()
    choose(heads, "b.txt", b"One sentence.\n" * 200_000)
    expect(heads.page.get_by_text("2,000 texts of b.txt")).to_be_visible()
    expect(heads.page.get_by_text("only its beginning is read")).to_be_visible()
    heads.page.get_by_label("Sentences, one on each line").fill("It rained.")
    heads.page.get_by_label("Sentences, one on each line").press("Control+Enter")
    expect(heads.page.get_by_text("texts of b.txt")).to_have_count(0)
    button(heads, "Compute").click()
    expect(heads.page.get_by_text("1 of 1 texts are finished.")).to_be_visible()
