"""Settings of all tests, and the option `--whole`, which requires every test file to run."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parent
UNMEASURED = ("browser", "pages", "web")

# Test workers and servers run in parallel, so each uses one thread, as in production. numpy and
# torch read the variable on import, so it is set before. Workers and servers inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No deadline, because the machine may be slow and busy. Derandomised, so that a run is repeatable.
settings.register_profile(
    "headlight", deadline=None, derandomize=True, database=None, max_examples=40
)
settings.load_profile("headlight")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--whole",
        action="store_true",
        help="fail unless tests of every file ran and passed, including the browser tests",
    )
    parser.addoption("--restless", type=float, default=0, help="minutes; see test_nothing_lost.py")
    parser.addoption("--seed", type=int, default=21, help="of the random actions there")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.whole:
        if config.option.markexpr or config.option.keyword or config.option.deselect:
            raise pytest.UsageError("--whole runs every test: leave out -m, -k and --deselect")
        # Workers report to the main process, so only the main process has all reports.
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(RequireAllFiles())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure coverage only in tests without Streamlit; run a failed browser test once more.

    On Python 3.11, a trace function doubles the time of a page. The other tests alone reach the
    floor of the coverage. On a busy machine about 1 of 400 browser tests fails, each time another
    one. The summary names each rerun; a test that fails twice fails the run.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).parts[0] in UNMEASURED:
            item.add_marker(pytest.mark.no_cover)


class RequireAllFiles:
    """Plugin that fails the run unless at least one test of every file passed."""

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
            terminalreporter.section("files without a passed test", red=True)
            for file in self.left_out:
                terminalreporter.line(str(file))
