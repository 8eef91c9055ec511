"""The page shows the user's last action, also after lost connections and delayed messages.

The actions are random, with a fixed seed. To run them for ten minutes, with ``--seed`` for another
seed: ``pytest --restless 10 --timeout 0 -s tests/browser/test_nothing_lost.py``.
"""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.random_user import SENTENCES, RandomUser, Wire, text_of

pytestmark = pytest.mark.browser

N_ACTIONS = 20
"""Number of actions without ``--restless``."""


def test_the_page_shows_the_last_of_many_random_actions(explore, request):
    minutes = request.config.getoption("--restless")
    user = RandomUser(explore, request.config.getoption("--seed"), rough=minutes > 0)
    deadline, n_actions = time.monotonic() + 60 * minutes, 0
    while n_actions < N_ACTIONS or time.monotonic() < deadline:
        user.act()
        n_actions += 1
    # Streamlit's script logs errors while the connection is down, and sends the input later.
    cut = "when disconnected|/_stcore/|server is not responding"
    explore.complaints[:] = [c for c in explore.complaints if not re.search(cut, c)]
    print(f"{n_actions} actions on {user.wire.n_connections} connections")


def test_a_cached_sentence_is_shown_although_the_browser_just_evicted_it(explore):
    # The server sees a cached message; the delayed response makes the browser evict it.
    wire, again = Wire(explore.page), SENTENCES[1]
    explore.open(text=again)
    explore.sentence().fill(SENTENCES[2])
    explore.page.keyboard.press("Enter")
    expect(explore.subtitle("right")).to_have_text(SENTENCES[2])
    explore.at_rest()
    wire.late["down"] = True
    explore.sentence().fill(SENTENCES[3])
    explore.page.keyboard.press("Enter")
    drain(wire)
    explore.sentence().fill(again)
    explore.page.keyboard.press("Enter")
    drain(wire)
    wire.release()
    expect(explore.subtitle("right")).to_have_text(again)
    assert text_of(explore.pieces().all_inner_texts()) == again


def drain(wire: Wire) -> None:
    """Wait until the server has sent all its messages."""
    n_before = -1
    while n_before != len(wire.waiting) or not n_before:
        n_before = len(wire.waiting)
        wire.page.wait_for_timeout(400)
