"""Printed worksheet: standalone, escaped names, and answers only on request."""

import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.viz.cards.test_steps import (
    ALLOWED,
    HV,
    SITUATIONS,
    H,
    K,
    cards_of,
    mistaken,
    names_of,
    one_head,
    projected,
)
from viz.cards.card import Scale
from viz.cards.matrices import Names, Window
from viz.cards.worksheet import worksheet, written


class Page(HTMLParser):
    """The tables of a page with their numbers and names, and all its text."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.tags, self.text, self.within = [], [], "", None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "table":
            self.tables.append({"columns": [], "rows": [], "cells": []})
        elif tag == "tr":
            self.tables[-1]["cells"].append([])
        elif tag in ("th", "td", "style"):
            self.within = "" if dict(attributes).get("class") != "more" else None

    def handle_data(self, data):
        self.text += data
        if self.within is not None:
            self.within += data

    def handle_endtag(self, tag):
        if tag not in ("th", "td") or self.within is None:
            return
        table = self.tables[-1]
        first = len(table["cells"]) == 1
        if tag == "td":
            table["cells"][-1].append(self.within)
        else:
            table["columns" if first else "rows"].append(self.within)
        self.within = None


def page_of(steps, answers=True, decimals=6, **named):
    named = {"title": "T", "subtitle": "S"} | named
    return worksheet(steps, decimals=decimals, answers=answers, **named)


def matrices_of(html, steps):
    """(name, rows of cells, row names, column names) of every matrix, in reading order."""
    names = [
        item
        for card in steps.cards
        for line in card.lines
        for item in line.items
        if item in steps.matrices
    ]
    tables = Page(html).tables
    return [
        (name, table["cells"][1:], table["rows"], table["columns"][1:])
        for name, table in zip(names, tables, strict=True)
    ]


def as_written(matrix, decimals):
    return [[written(value.item(), decimals) for value in row] for row in matrix.values]


@pytest.fixture(params=SITUATIONS)
def steps(request):
    return SITUATIONS[request.param]()


# -- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [2, 6])
def test_cells_with_answers_are_formatted_like_the_page(steps, decimals):
    html = page_of(steps, True, decimals)
    for name, cells, rows, columns in matrices_of(html, steps):
        matrix = steps.matrices[name]
        assert cells == as_written(matrix, decimals), name
        assert (rows, columns) == (list(matrix.rows), list(matrix.columns))
    assert f"rounded to {decimals} decimals" in html


def test_a_sheet_without_answers_contains_only_given_numbers(steps):
    given = {"Q", "K", "K_T", "V", "allowed"}
    if "X" in steps.matrices:
        given = {"X", "W_Q", "W_K", "W_V", "W_O", "allowed"}
    html = page_of(steps, answers=False)
    found = matrices_of(html, steps)
    assert {name for name, *_ in found} >= {"Q", "K_T", "V", "weights"}
    for name, cells, rows, columns in found:
        matrix = steps.matrices[name]
        if name in given:
            assert cells == as_written(matrix, 6), name
        else:
            assert cells == [[""] * len(matrix.columns)] * len(matrix.rows), name
        assert (rows, columns) == (list(matrix.rows), list(matrix.columns))


def test_a_sheet_without_answers_contains_no_result_anywhere(steps):
    text = Page(page_of(steps, answers=False)).text
    with_answers = Page(page_of(steps, answers=True)).text
    given = {"Q", "K", "K_T", "V", "allowed", "X", "W_Q", "W_K", "W_V", "W_O"}
    if "X" in steps.matrices:
        given -= {"Q", "K", "K_T", "V"}
    lines = [line for card in steps.cards for line in card.lines]
    unseen = {part for line in lines for part in line.parts if part not in line.items}
    checked = 0
    for name, matrix in steps.matrices.items():
        if name in given | unseen:
            continue
        for value in matrix.values.ravel():
            if value not in (0, 1, 2):  # formulas and names contain these numbers
                assert written(value.item(), 6) not in text, name
                assert written(value.item(), 6) in with_answers or name == "K"
                checked += 1
    assert checked > 50


def test_masked_cells_count_as_answers():
    steps = cards_of(one_head(allowed=ALLOWED))
    cells = {name: cells for name, cells, *_ in matrices_of(page_of(steps), steps)}
    assert cells["masked_scores"][0][1] == "−∞"
    assert cells["weights"][0][1] == "0.000000"
    assert cells["allowed"] == [["✓" if x else "✗" for x in row] for row in ALLOWED]
    empty = {name: cells for name, cells, *_ in matrices_of(page_of(steps, False), steps)}
    assert empty["masked_scores"] == empty["weights"] == [[""] * 4] * 3
    assert empty["allowed"] == cells["allowed"]


def test_findings_of_a_mistake_are_printed_with_answers_only():
    arrays = one_head()
    steps = mistaken(cards_of(arrays), arrays, names_of(arrays), "times")
    card = steps.cards[-1]
    assert (card.notes, card.findings) == ((), ("so",))
    marked = '<div class="notes">so</div>'
    assert marked in page_of(steps, answers=True)
    assert marked not in page_of(steps, answers=False)
    assert "How well query and key match" in page_of(steps, answers=False)


def test_a_note_on_overflow_does_not_reveal_a_score():
    """The reader has to compute the score of 864.2."""
    arrays = one_head(divisor=1.0)
    arrays["scaled_scores"][1, 2] = arrays["masked_scores"][1, 2] = 864.2
    arrays["maxima"][1] = 864.2
    steps = cards_of(arrays, scale=Scale(1.0, False, 1.0))
    solved, blank = (Page(page_of(steps, answers=answers)).text for answers in (True, False))
    assert "the largest score is 864.2, and e^864.2 is larger than any 64-bit number." in solved
    assert "864.2" not in blank and "larger than any" not in blank
    for text in (solved, blank):  # true for any scores
        assert "prevents an overflow." in text


def test_a_sheet_without_answers_has_a_line_for_a_name():
    def say(text):
        return f"¡{text}"

    steps = cards_of(one_head())
    assert '<div class="who">¡Name</div>' in page_of(steps, False, translate=say)
    assert '<div class="who">' not in page_of(steps, True, translate=say)
    assert "¡Numbers are rounded to 6 decimals." in page_of(steps, translate=say)


# -- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", [True, False])
def test_the_page_needs_no_network_and_no_script(steps, answers):
    html = page_of(steps, answers)
    assert html.startswith("<!doctype html>")
    without_xmlns = html.replace('xmlns="http://www.w3.org/1998/Math/MathML"', "")
    assert "MathML" in html
    assert not re.search(r"https?:|//|@import|url\(|javascript:", without_xmlns, re.IGNORECASE)
    for tag, attributes in Page(html).tags:
        assert tag not in ("script", "link", "img", "iframe", "object", "embed", "base", "form")
        assert not {"src", "href", "srcset", "action", "style"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]


MARKUP = ("<script>alert(1)</script>", "\"'`", "&amp;<b>", "</table><img src=x onerror=alert(1)>")


@pytest.mark.parametrize("answers", [True, False])
def test_token_names_are_escaped(answers):
    arrays = one_head()
    steps = cards_of(arrays, Names(MARKUP[:3], MARKUP))
    html = page_of(steps, answers, title=MARKUP[0], subtitle=MARKUP[3])
    assert "<script" not in html and "<img" not in html and "<b>" not in html
    page = Page(html)
    assert {"script", "img", "b"}.isdisjoint(tag for tag, _ in page.tags)
    assert MARKUP[0] in page.text and MARKUP[3] in page.text  # heading and subtitle, as text
    for name, _, rows, columns in matrices_of(html, steps):
        if name == "raw_scores":
            assert (rows, columns) == (list(MARKUP[:3]), list(MARKUP))


def test_notes_and_titles_are_escaped():
    html = page_of(cards_of(one_head(), translate=lambda text: "<i>" + text))
    assert "<i>" not in html
    assert "&lt;i&gt;Scale" in html


def test_cards_have_numbers_formulas_and_operators():
    steps = cards_of(one_head())
    html = page_of(steps)
    headings = re.findall(r"<h2>(.*?)</h2>", html)
    assert headings == [f"{i} · {card.title}" for i, card in enumerate(steps.cards, 1)]
    assert html.count('<div class="formula"><math') == len(steps.cards)
    assert "<span>÷ 1.4142 =</span>" in html


def test_a_window_counts_omitted_rows_and_columns():
    """Of 7 queries 4 are drawn, of 9 keys 4, of 6 dimensions 3, of 5 dimensions of V 3."""
    arrays = one_head((7, 9, 6, 5), math.sqrt(6))
    steps = cards_of(arrays, window=Window(2, 4, 3))
    found = {name: rest for name, *rest in matrices_of(page_of(steps), steps)}
    left_out = {  # rows, columns
        "Q": (3, 3),
        "K_T": (3, 5),
        "raw_scores": (3, 5),
        "V": (5, 2),
        "context": (3, 2),
    }
    for name, (more_rows, more_columns) in left_out.items():
        cells, rows, columns = found[name]
        assert (rows[-1], columns[-1]) == (f"… {more_rows}", f"… {more_columns}"), name
        matrix = steps.matrices[name]
        (top, bottom), (left, right) = matrix.shown_rows, matrix.shown_columns
        expected = [row[left:right] for row in as_written(matrix, 6)[top:bottom]]
        assert [row for row in cells if row] == expected
        assert rows[:-1] == list(matrix.rows[top:bottom])
        assert columns[:-1] == list(matrix.columns[left:right])
    assert found["row_sums"][2] == [""]  # the only column, so nothing is omitted


def test_a_page_without_steps_contains_the_subtitle():
    for answers in (True, False):
        page = Page(worksheet(None, title="Head", subtitle="Why", decimals=3, answers=answers))
        assert page.tables == []
        assert "section" not in [tag for tag, _ in page.tags]
        assert "Head" in page.text and "Why\nNumbers are rounded to 3 decimals." in page.text


def test_q_k_and_v_of_several_heads_are_empty_without_answers():
    arrays = projected()
    steps = cards_of(arrays, names_of(arrays, 1, H))
    empty = {name: cells for name, cells, *_ in matrices_of(page_of(steps, False), steps)}
    assert empty["Q"] == [[""] * K] * 5
    assert empty["V"] == [[""] * HV] * 5
    assert empty["W_V"] == as_written(steps.matrices["W_V"], 6)


# -- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1.23456, 4, "1.2346"),
        (1.23454, 4, "1.2345"),
        (2.0, 3, "2.000"),
        (-0.7071, 2, "−0.71"),
        (-0.0, 2, "0.00"),
        (-0.004, 2, "0.00"),
        (-0.006, 2, "−0.01"),
        (1e-9, 6, "0.000000"),
        (9_999_999.4, 2, "9999999.40"),
        (-123456.789, 2, "−123456.79"),
        (math.inf, 4, "∞"),
        (-math.inf, 4, "−∞"),
        (math.nan, 4, "nan"),
        (True, 2, "✓"),
        (False, 2, "✗"),
        (np.float64(-0.5).item(), 3, "−0.500"),
    ],
)
def test_numbers_are_formatted_like_the_page(value, decimals, text):
    assert written(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "starts"), [(1e7, "1.00e"), (-2.5e8, "−2.50e"), (1e300, "1.00e")]
)
def test_large_numbers_have_an_exponent(value, starts):
    text = written(value, 2)
    assert text.startswith(starts)
    assert float(text.replace("−", "-")) == value


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(0.125, 2, "0.13"), (-0.125, 2, "−0.13"), (2.5e8, 2, "2.50e+8"), (1e7, 4, "1.0000e+7")],
)
def test_ties_and_exponents_are_formatted_like_the_page(value, decimals, text):
    """Expected values from toFixed and toExponential, as in spell.js."""
    assert written(value, decimals) == text
