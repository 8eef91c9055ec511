"""Limits of a server process by its open files."""

import subprocess
import sys
from pathlib import Path

import pytest

from web.server import process_limits
from web.server.process_limits import FILES_PER_PAGE, SERVER_FILES, limit_sessions
from web.settings import Settings

ROOT = Path(__file__).parents[3]

RAISE_FILE_LIMIT = """
import resource
from web.server.process_limits import raise_file_limit

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 2_000))
print(raise_file_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_the_limit_of_open_files_is_raised_to_the_hard_limit() -> None:
    command = [sys.executable, "-c", RAISE_FILE_LIMIT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2000"] * 3


def test_the_number_of_sessions_is_limited_by_the_open_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = Settings(sessions=300)
    files = SERVER_FILES + 300 * FILES_PER_PAGE
    monkeypatch.setattr(process_limits, "raise_file_limit", lambda: files)
    assert limit_sessions(options) is options
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(process_limits, "raise_file_limit", lambda: files - 1)
    assert limit_sessions(options).sessions == 299
    warning = capsys.readouterr().err
    assert "299 pages only" in warning and "1,699 files" in warning
    assert "--sessions allows 300" in warning
    monkeypatch.setattr(process_limits, "raise_file_limit", lambda: 256)
    assert limit_sessions(options).sessions == 1
