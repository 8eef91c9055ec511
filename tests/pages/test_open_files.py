"""As many files as the pages that may be open need; said in words where they cannot be had."""

import subprocess
import sys
from pathlib import Path

import pytest

from pages.shared import open_files
from pages.shared.open_files import OF_A_PAGE, OF_THE_SERVER, bounded
from pages.shared.settings import Settings

ROOT = Path(__file__).parents[2]

PROGRAM = """
import resource
from pages.shared.open_files import allow_many

resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
print(allow_many(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize(("soft", "hard"), [(256, 2_000), (700, 700)])
def test_a_server_asks_for_as_many_as_it_may(soft: int, hard: int) -> None:
    command = [sys.executable, "-c", PROGRAM.format(soft=soft, hard=hard)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(hard)] * 3


def test_no_more_pages_are_let_in_than_there_are_files_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    to = Settings(sessions=300)
    files = OF_THE_SERVER + 300 * OF_A_PAGE
    monkeypatch.setattr(open_files, "allow_many", lambda: files)
    assert bounded(to) is to
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(open_files, "allow_many", lambda: files - 1)
    assert bounded(to).sessions == 299
    said = capsys.readouterr().err
    assert "1,699 files, enough for 299 pages" in said and "--sessions allows 300" in said
    monkeypatch.setattr(open_files, "allow_many", lambda: 256)
    assert bounded(to).sessions == 1
