"""Settings of all tests."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

TESTS = Path(__file__).parent
NIGHTLY = TESTS / "nightly"
SHARED = ("browser", "components")  # folders whose files share a server or a page
APART = ("test_deploy.py", "test_restart.py")  # files of these folders that start their own servers

# Test workers and servers run in parallel, so each uses one thread, as in production. numpy and
# torch read the variable on import, so it is set before. Workers and servers inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No deadline, because the machine may be slow and busy. Derandomised, so that a run is repeatable.
settings.register_profile(
    "headlight", deadline=None, derandomize=True, database=None, max_examples=40
)
settings.load_profile("headlight")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--restless", type=float, default=0, help="minutes; see test_nothing_lost.py")
    parser.addoption("--seed", type=int, default=21, help="of the random actions there")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out tests/nightly, unless the command names it."""
    named = any("nightly" in Path(argument).parts for argument in config.args)
    return True if collection_path == NIGHTLY and not named else None


class Groups(LoadScopeScheduling):
    """Give tests that share fixtures to one worker: a file, or a folder of SHARED.

    xdist's own loadgroup finds no group with pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = Path(nodeid.partition("::")[0])
        folder = file.parent.name
        return folder if folder in SHARED and file.name not in APART else str(file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups:
    """Replace the scheduler of --dist."""
    return Groups(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how long make took, lint included."""
    if began := os.environ.get("MAKE_BEGAN"):
        minutes, seconds = divmod(round(time.time() - int(began)), 60)
        terminalreporter.line(f"make took {minutes} min {seconds} s, lint included")
