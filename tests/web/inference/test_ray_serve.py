"""Captures computed by Ray Serve, which the test starts and stops."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import numpy as np
import psutil
import pytest

from benchmarks.browser import free_port
from model import HeadlightError, load_model
from tests.test_architecture import ALLOWED, ROOT, imported, sources
from web import settings
from web.cache import captures, generated_texts
from web.inference.forward_queue import BusyError
from web.inference.remote_client import RemoteClient

with_ray = pytest.mark.skipif(
    find_spec("ray") is None,
    reason="Ray is not installed: pip install -r requirements-ray.txt",
)


def test_only_two_files_import_ray() -> None:
    importing = [
        file for wing in ALLOWED for file in sources(wing) if imported(file) & {"ray", "serve"}
    ]
    assert sorted(importing) == [
        ROOT / "model" / "analysis" / "survey" / "spread.py",
        ROOT / "web" / "inference" / "ray_serve.py",
    ]
    assert "ray_serve" not in "".join(
        file.read_text(encoding="utf-8")
        for package in ("pages", "model")
        for file in sources(package)
    )


@with_ray
def test_a_server_does_not_import_an_installed_ray() -> None:
    program = "import sys, app, web.cache.generated_texts; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "web.inference.remote_client" in loaded and "ray" not in loaded


@pytest.fixture(scope="module")
def serving(tmp_path_factory) -> Iterator[tuple[list[psutil.Process], str]]:
    """Processes and URL of a Ray with one replica and a queue of 5."""
    port, home = free_port(), tmp_path_factory.mktemp("ray")
    command = [sys.executable, "-m", "web.inference.ray_serve", "--port", str(port)]
    with (home / "log").open("wb") as log, TemporaryDirectory(prefix="r") as short:
        running = psutil.Popen(
            [*command, "--most", "1", "--queue", "5"],
            cwd=ROOT,
            # Paths of sockets have a maximum length. By default, Ray writes a token to the home.
            env={**os.environ, "RAY_TMPDIR": short, "RAY_AUTH_TOKEN": token_hex(16)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        all_of_it = [running]
        try:
            _wait_for(f"http://127.0.0.1:{port}", running, home / "log")
            all_of_it += running.children(recursive=True)
            yield all_of_it, f"http://127.0.0.1:{port}"
        finally:
            left = [process for process in all_of_it if process.is_running()]
            for process in left:
                process.kill()
            psutil.wait_procs(left, timeout=10)


def _wait_for(address: str, running: psutil.Process, log: Path) -> None:
    for _ in range(480):
        try:
            RemoteClient(address).call("read", "scratch", "Is anybody there?", None)
        except BusyError:
            assert running.is_running(), log.read_text()
            time.sleep(0.25)
        else:
            return
    raise TimeoutError(log.read_text())


@with_ray
def test_pages_use_results_of_ray_and_report_a_missing_server(serving, monkeypatch) -> None:
    processes, address = serving
    monkeypatch.setattr(settings, "_settings", settings.Settings(inference=address))
    for name in ("scratch", "minilm", "scratch-untrained"):
        found = captures.capture(name, "The dog that chased the cat was tired.", "It slept.")
        own = load_model(name).attend("The dog that chased the cat was tired.", "It slept.")
        assert found.tokens == own.tokens
        for ours, theirs in [(found.weights, own.weights), *zip(found.q, own.q, strict=True)]:
            assert ours.shape == theirs.shape and np.abs(ours - theirs).max() <= 1e-6
    written = generated_texts.translation("dates", "3 May 1999")
    assert written.text == load_model("dates").generate("3 May 1999").text == "1999-05-03"
    with pytest.raises(HeadlightError, match="fine-tuned"):
        captures.task_decision("scratch", "Whose words are these?", None)

    _some_are_refused_and_the_others_right(address)

    others = [process for process in processes if "Agent" not in process.name()]
    processes[0].terminate()  # Ray's agents end within a minute
    assert not psutil.wait_procs(others, timeout=60)[1]
    with pytest.raises(BusyError, match="Your text is not lost"):
        captures.capture("scratch", "asked when it was gone", None)


def _some_are_refused_and_the_others_right(address: str) -> None:
    """Of 24 concurrent calls, the replica holds four, and five may wait."""
    there = RemoteClient(address)

    def ask(count: int) -> int | None:
        text = "word " * (200 + count)
        try:
            return len(there.call("read", "minilm", text, None)[0].tokens) - 202
        except BusyError as error:
            assert "models are busy" in str(error)
            return None

    with ThreadPoolExecutor(24) as askers:
        found = dict(zip(range(24), askers.map(ask, range(24)), strict=True))
    answered = {count: tokens for count, tokens in found.items() if tokens is not None}
    assert 4 <= len(answered) < 24
    assert all(count == tokens for count, tokens in answered.items())
