"""requirements.lock fulfils requirements.txt, has a hash for each version, and names no machine."""

import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
LOCKED = re.compile(r"^([\w.-]+)==(\S+) \\$", re.MULTILINE)


def test_every_requirement_is_locked_at_an_allowed_version():
    locked = {canonicalize_name(name): version for name, version in LOCKED.findall(LOCK)}
    assert len(locked) > 50
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines():
        if wanted := line.partition("#")[0].strip():
            requirement = Requirement(wanted)
            version = locked[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version, prereleases=True), line


def test_every_version_has_a_hash_and_no_address():
    blocks = re.split(r"^(?=\S)", LOCK, flags=re.MULTILINE)
    assert all("--hash=sha256:" in block for block in blocks if LOCKED.match(block))
    assert "://" not in LOCK and "index-url" not in LOCK
