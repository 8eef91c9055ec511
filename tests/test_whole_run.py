"""``--whole``, the option of `make test`, fails if tests are missing from the run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run_pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--whole", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_whole_run_fails_if_a_file_did_not_run_or_tests_were_selected():
    result = run_pytest("tests/viz/style/test_theme.py")
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert "tests/browser/test_sweep.py" in result.stdout
    assert "tests/viz/style/test_theme.py\n" not in result.stdout
    assert " passed in " in result.stdout.splitlines()[-1]
    result = run_pytest("-m", "not browser")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR and "-m" in result.stderr
