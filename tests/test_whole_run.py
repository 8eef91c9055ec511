"""`make test` fails if tests are missing from the run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run_pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--whole", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_whole_run_without_browser_tests_fails_and_names_their_files():
    result = run_pytest("-n", "1", "tests/viz/style/test_theme.py")
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert "tests/browser/test_reach.py" in result.stdout
    assert "tests/viz/style/test_theme.py\n" not in result.stdout
    assert " passed in " in result.stdout.splitlines()[-1]


def test_a_whole_run_does_not_accept_a_selection_of_tests():
    result = run_pytest("-m", "not browser")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "-m" in result.stderr


def test_the_webkit_tests_fail_without_selenium():
    """If `make webkit` skipped these tests, its result would look like a success."""
    program = (
        "import sys, pytest; sys.modules['selenium'] = None; "
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/browser/in_webkit.py']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 2, result.stdout
    assert "selenium" in result.stdout
