"""Sockets cut, messages late, Enter twice, Back while it computes: what was done last is shown.

At random, the same each time. For ten minutes, and with ``--seed`` for other chances:
``pytest --restless 10 --timeout 0 -s tests/browser/test_nothing_lost.py``.
"""

import re
import time

import pytest

from tests.browser.restless import Restless

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
