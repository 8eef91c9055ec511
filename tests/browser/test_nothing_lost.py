"""Sockets cut, messages late, Enter twice, Back while it computes: what was done last is shown.

At random, the same each time. For ten minutes, and with ``--seed`` for other chances:
``pytest --restless 10 --timeout 0 -s tests/browser/test_nothing_lost.py``.
"""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.restless import SENTENCES, Restless, Wire, text_of

pytestmark = pytest.mark.browser

ACTS = 20
"""Some seconds of them; of minutes that are asked for, as many as they take."""


def test_what_was_done_last_is_what_is_shown(explore, request):
    minutes = request.config.getoption("--restless")
    someone = Restless(explore, request.config.getoption("--seed"), rough=minutes > 0)
    deadline, n_acts = time.monotonic() + 60 * minutes, 0
    while n_acts < ACTS or time.monotonic() < deadline:
        someone.act()
        n_acts += 1
    # What is done while the line is down, Streamlit's script complains of and sends later.
    cut = "when disconnected|/_stcore/|server is not responding"
    explore.complaints[:] = [c for c in explore.complaints if not re.search(cut, c)]
    print(f"{n_acts} acts on {someone.wire.n_wires} wires")


def test_a_sentence_seen_before_comes_back_behind_another_on_a_slow_line(explore):
    # When it is asked for, the browser has it; the answer on its way makes it let go of it.
    wire, again = Wire(explore.page), SENTENCES[1]
    explore.open(text=again)
    explore.sentence().fill(SENTENCES[2])
    explore.page.keyboard.press("Enter")
    expect(explore.subtitle("right")).to_have_text(SENTENCES[2])
    explore.at_rest()
    wire.late["down"] = True
    explore.sentence().fill(SENTENCES[3])
    explore.page.keyboard.press("Enter")
    answered(wire)
    explore.sentence().fill(again)
    explore.page.keyboard.press("Enter")
    answered(wire)
    wire.let_go()
    expect(explore.subtitle("right")).to_have_text(again)
    assert text_of(explore.pieces().all_inner_texts()) == again


def answered(wire: Wire) -> None:
    """Wait until the server has said all that it has to say."""
    n_before = -1
    while n_before != len(wire.waiting) or not n_before:
        n_before = len(wire.waiting)
        wire.page.wait_for_timeout(400)
