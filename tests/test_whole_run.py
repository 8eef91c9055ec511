"""`make test` cannot pass by leaving tests out."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def pytest_of(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--whole", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_whole_run_without_the_browsers_tests_fails_and_names_them():
    done = pytest_of("-n", "1", "tests/viz/style/test_theme.py")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "tests/browser/test_reach.py" in done.stdout
    assert "tests/viz/style/test_theme.py\n" not in done.stdout
    assert " passed in " in done.stdout.splitlines()[-1]


def test_a_whole_run_takes_no_choice_of_tests():
    done = pytest_of("-m", "not browser")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "-m" in done.stderr


def test_webkits_tests_fail_where_its_driver_is_missing():
    """`make webkit` runs them to see them pass: skipped, they would look as if they had."""
    program = (
        "import sys, pytest; sys.modules['selenium'] = None; "
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/browser/in_webkit.py']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2, done.stdout
    assert "selenium" in done.stdout
