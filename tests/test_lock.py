"""requirements.lock fulfils requirements.txt, and names no machine."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCKED = re.compile(r"^([\w.-]+)==(\S+) \\$", re.MULTILINE)


def requirements() -> list[Requirement]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    found = (line.partition("#")[0].strip() for line in lines)
    return [Requirement(line) for line in found if line]


@pytest.fixture(scope="module")
def locked() -> dict[str, Version]:
    pairs = LOCKED.findall((ROOT / "requirements.lock").read_text())
    return {canonicalize_name(name): Version(version) for name, version in pairs}


@pytest.mark.parametrize("requirement", requirements(), ids=lambda each: each.name)
def test_the_locked_version_is_allowed(locked, requirement):
    version = locked[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(version, prereleases=True)


def test_every_version_has_a_hash(locked):
    text = (ROOT / "requirements.lock").read_text()
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    assert all("--hash=sha256:" in block for block in blocks if LOCKED.match(block))
    assert len(locked) > 50


def test_the_file_names_no_address(locked):
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    assert "index-url" not in text
