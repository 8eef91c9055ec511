"""Local copies of the JavaScript that the peers load from public servers."""

from __future__ import annotations

import importlib.util
import subprocess
import tarfile
from pathlib import Path

CACHE = Path(__file__).parent / ".cache"

# Script name in the peers' pages: (npm package, file in it). BertViz names jquery 2.0.0, which was
# never published on npm; 2.1.0 is the next version.
NPM = {
    "require.min.js": ("requirejs@2.3.6", "require.js"),
    "d3.min.js": ("d3@5.7.0", "dist/d3.min.js"),
    "jquery.min.js": ("jquery@2.1.0", "dist/jquery.min.js"),
}


def fetch() -> dict[str, str]:
    """Return every script by name; missing ones are downloaded with npm pack."""
    scripts = {name: from_npm(*source) for name, source in NPM.items()}
    scripts["esm.js"] = circuitsvis_module()
    return scripts


def from_npm(package: str, member: str) -> str:
    """Return one file of an npm package, downloaded once."""
    archive = CACHE / f"{package.replace('@', '-')}.tgz"
    if not archive.exists():
        CACHE.mkdir(exist_ok=True)
        subprocess.run(
            ["npm", "pack", package, "--silent"],
            cwd=CACHE,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    with tarfile.open(archive) as files:
        found = files.extractfile(f"package/{member}")
        assert found is not None, f"{package} has no file {member}"
        return found.read().decode()


def circuitsvis_module() -> str:
    """Return CircuitsVis's JavaScript as the module that its pages import.

    The Python package contains the same code as a plain script. Two exports make it a module.
    """
    spec = importlib.util.find_spec("circuitsvis")
    assert spec is not None and spec.origin is not None, "pip install circuitsvis"
    script = Path(spec.origin).parent / "dist" / "cdn" / "iife.js"
    return (
        script.read_text(encoding="utf-8")
        + "\nexport const {render, AttentionHeads} = CircuitsVis;"
    )
