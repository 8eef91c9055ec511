"""Printed set of exercises: given numbers, empty cells, answers on separate pages."""

import re

from viz import provenance
from viz.cards.practice_sheet import PrintedExercise, Table, practice_sheet

ANSWER = "0.4125"


def sheet(answers: bool) -> str:
    exercise = PrintedExercise(
        title="One <b>",
        story="Whom?",
        task="Work it out.",
        given=[Table("Q", [["1", "0.5"], ["-2", "3"]])],
        blanks=[Table("weights", [["", "", ""], ["", "", ""]], "Weights")],
        choices=["this", "that"],
        answers=[Table("weights", [[ANSWER, "1", "0"], ["0", "1", "0"]])] if answers else [],
        explanation="It was this." if answers else "",
    )
    return practice_sheet([exercise], title="Set", subtitle="Level 1", answers=answers)


def test_a_sheet_without_answers_contains_none() -> None:
    page = sheet(answers=False)
    assert ANSWER not in page
    assert "Answers" not in page and 'class="answers"' not in page
    assert re.findall("<td>(.*?)</td>", page) == ["1", "0.5", "-2", "3", *[""] * 6]
    assert re.findall("<li>(.*?)</li>", page) == ["this", "that"]


def test_answers_follow_on_separate_pages_and_names_are_escaped() -> None:
    page = sheet(answers=True)
    tasks, answers = page.split('<div class="answers">')
    assert ANSWER not in tasks and ANSWER in answers and "It was this." in answers
    assert tasks.split("<body>")[1].count("<section>") == 1
    assert ".answers { break-before: page; }" in page and "size: A4" in page
    assert "One &lt;b&gt;" in tasks and "<b>" not in page
    assert not re.search(r"src=|https?://(?!www\.w3\.org)", page)  # no network is needed


def test_a_sheet_states_its_origin_in_its_metadata_and_in_print(tmp_path) -> None:
    about = {"citation": 'Headlight "1"', "link": "http://here/?a=1&b=<c>", "model": "é"}
    page = practice_sheet([], title="Set", subtitle="", answers=False, about=about)
    (tmp_path / "sheet.html").write_text(page, "utf-8")
    assert provenance(tmp_path / "sheet.html") == about
    printed = re.search('class="origin">(.*?)</p>', page)[1]
    assert "Headlight &#34;1&#34;" in printed and "b=&lt;c&gt;" in printed


def test_paper_is_black_and_white() -> None:
    colours = set(re.findall("#[0-9a-fA-F]{3,6}", sheet(answers=True)))
    assert colours == {"#000", "#fff"}
