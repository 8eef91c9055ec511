"""Serve the product with an empty page beside it: ``python -m benchmarks.serve PORT``."""

import sys
from pathlib import Path

import app

if __name__ == "__main__":
    router = Path(__file__).parent / "site" / "router.py"
    app.serve(app.make_app(router), "127.0.0.1", int(sys.argv[1]))
