"""What all tests share, and what a whole run of them is."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Workers stand beside one another, and servers beside them: a thread each, as on the server. It is
# read when numpy and torch are imported, so it is set before; workers and servers inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No deadline: the machine may be slow and busy. Derandomised: a run can be repeated.
settings.register_profile(
    "headlight", deadline=None, derandomize=True, database=None, max_examples=40
)
settings.load_profile("headlight")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--whole",
        action="store_true",
        help="fail unless tests of every file ran and passed, those of the browser included",
    )
    parser.addoption("--restless", type=float, default=0, help="minutes; see test_nothing_lost.py")
    parser.addoption("--seed", type=int, default=21, help="of what is done there")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.whole:
        if config.option.markexpr or config.option.keyword or config.option.deselect:
            raise pytest.UsageError("--whole runs every test: leave out -m, -k and --deselect")
        # Workers report to the process that began them; it alone knows of all.
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Whole())


class Whole:
    """Sees to it that no file's tests were left out, by whatever way."""

    def __init__(self) -> None:
        self.ran: set[Path] = set()
        self.left_out: list[Path] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.ran.add(Path(report.nodeid.partition("::")[0]))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        root = session.config.rootpath
        files = {file.relative_to(root) for file in (root / "tests").rglob("test_*.py")}
        self.left_out = sorted(files - self.ran)
        if self.left_out and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left_out:
            terminalreporter.section("files of which no test passed", red=True)
            for file in self.left_out:
                terminalreporter.line(str(file))
