"""Every benchmark still runs: a few seconds each, on one server, without a look at its figures."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks.browser import Server, free_port
from web import settings

ROOT = Path(__file__).parents[2]
NAMES = ("explore", "first_visit", "survey", "classroom", "lecture", "trace")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Server]]:
    """A server of all benchmarks, because its start takes longer than most of them."""
    port, data = free_port(), tmp_path_factory.mktemp("data")
    argv = [sys.executable, "-m", "benchmarks.serve", str(port), "--data", str(data)]
    with Server(argv, f"http://127.0.0.1:{port}/api/ready", patience=250) as running:
        yield port, running


@pytest.mark.browser
@pytest.mark.filterwarnings("default")  # a benchmark is no test
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs_and_prints_its_table(
    name: str,
    server: tuple[int, Server],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    benchmark = importlib.import_module(f"benchmarks.{name}")
    port, running = server

    def at(argv: list[str], *_ready: object) -> nullcontext[Server]:
        script, *options = argv[1:]
        module = script == "-m"  # python -m benchmarks.serve PORT, or python app.py --port PORT
        assert (
            settings.of_command_line(["--port", *options[1:]] if module else options).port == port
        )
        return nullcontext(running)

    monkeypatch.setattr(benchmark, "Server", at, raising=False)
    monkeypatch.setattr(benchmark, "free_port", lambda: port, raising=False)
    monkeypatch.setattr(benchmark, "ANSWER_SECONDS", 0.5, raising=False)
    monkeypatch.chdir(ROOT)
    benchmark.main(["--smoke"])
    printed = capsys.readouterr()
    assert printed.out or name == "first_visit"  # prints only medians of several visits
    assert "Error" not in printed.err, printed.err[-2000:]
