"""Serves the page with the peers' views, with the product's server settings: ``serve PORT``."""

from __future__ import annotations

import gc
import importlib.util
import subprocess
import sys
import tarfile
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.peers import views

CACHE = Path(__file__).parent / ".cache"

# Script name in the peers' pages: (npm package, file in it). BertViz names jquery 2.0.0, which was
# never published on npm; 2.1.0 is the next version.
NPM = {
    "require.min.js": ("requirejs@2.3.6", "require.js"),
    "d3.min.js": ("d3@5.7.0", "dist/d3.min.js"),
    "jquery.min.js": ("jquery@2.1.0", "dist/jquery.min.js"),
}


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
    """Return CircuitsVis's script as a module: the Python package has it without exports."""
    spec = importlib.util.find_spec("circuitsvis")
    assert spec is not None and spec.origin is not None, "pip install circuitsvis"
    script = Path(spec.origin).parent / "dist" / "cdn" / "iife.js"
    return (
        script.read_text(encoding="utf-8")
        + "\nexport const {render, AttentionHeads} = CircuitsVis;"
    )


def main(port: int) -> None:
    """Load both models, then serve on the loopback interface until terminated."""
    sources = {name: from_npm(*source) for name, source in NPM.items()}
    sources["esm.js"] = circuitsvis_module()

    def script(request: Request) -> Response:
        # A user's browser caches these scripts between sentences, so this one does too.
        return Response(
            sources[request.path_params["name"]],
            media_type="text/javascript",
            headers={"Cache-Control": "public, max-age=31536000, immutable"},
        )

    for layers in (6, 12):
        views.load(layers)
    gc.collect()
    gc.freeze()

    page = Path(__file__).parent / "apps" / "page.py"
    app = st.App(page, routes=[Route("/scripts/{name}", script)])
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        log_level="warning",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
