"""The limit of open files."""

import subprocess
import sys
from pathlib import Path

import pytest

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
