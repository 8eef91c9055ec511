"""As many files as the pages that may be open need; said in words where they cannot be had."""

import subprocess
import sys
from pathlib import Path

import pytest

from pages.shared.open_files import OF_A_PAGE, OF_THE_SERVER, warning

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


def test_too_few_files_are_said_with_what_there_is_room_for() -> None:
    assert not warning(OF_THE_SERVER + 300 * OF_A_PAGE, 300)
    told = warning(OF_THE_SERVER + 299 * OF_A_PAGE, 300)
    assert "some 299 pages" in told and "--sessions allows 300" in told
    assert "some 0 pages" in warning(256, 1_000)
