"""Takes the pictures of the documents again, from a server of its own.

python -m benchmarks.pictures
"""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import expect

from benchmarks.browser import Server, chromium, free_port
from pages.urls import BY_PATH, DECODER_PARTS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RECORD = DOCS / "pictures.json"
SIZE = {"width": 1440, "height": 900}
SENTIMENT = "Everyone+had+a+fantastic+time+at+the+street+party."

DRAWN = ".js-plotly-plot .main-svg, .st-key-steps [data-drawn]"

PICTURES = {
    "explore.png": "/?picked=10",
    "layers.png": "/layers?kind=rollout",
    "heads.png": f"/?text={SENTIMENT}&left=minilm&right=minilm-sentiment&layer=5&head=1",
    "decoder.png": "/decoder?text=the+blue+flower+is+not+small",
    "calculator.png": "/calculator",
    "training.png": "/?left=scratch@0&right=scratch&layer=1&head=10&training=1",
}
"""Addresses of the pictures."""


def menus() -> dict[str, list[str]]:
    """Return the names in the menu and the parts of each page, which a picture shows."""
    router = (ROOT / "pages" / "router.py").read_text("utf-8")
    pages = re.findall(r'at\("\w+", _\("(\w+)"\), "\w+"\)', router)
    parts = {"/decoder": DECODER_PARTS["translate"], **BY_PATH}
    names = {
        path: [str(name) for field in fields.values() if field.hidden for name in _names(field)]
        for path, fields in parts.items()
    }
    return {"menu": pages, **names}


def _names(field: object) -> list[object]:
    options = getattr(field, "options", None)
    return list(options.values()) if isinstance(options, dict) else []


def main() -> None:
    """Take every picture, and record the menus that they show."""
    with TemporaryDirectory() as data, chromium() as browser:
        port = free_port()
        argv, env = [sys.executable, "app.py", "--port", str(port)], {"HEADLIGHT_DATA": data}
        with Server(argv, f"http://127.0.0.1:{port}/api/ready", env, patience=250):
            page = browser.new_page(viewport=SIZE)
            for file, address in PICTURES.items():
                page.goto(f"http://127.0.0.1:{port}{address}")
                page.locator(DRAWN).first.wait_for()
                page.wait_for_load_state("networkidle")
                expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=30_000)
                page.screenshot(path=DOCS / file)
    RECORD.write_text(json.dumps(menus(), indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
