"""Serve the product with an empty page beside it: ``python -m benchmarks.serve PORT``."""

import sys
from pathlib import Path

import streamlit as st

import app

if __name__ == "__main__":
    router = Path(__file__).resolve().parent / "site" / "router.py"
    product_and_floor = st.App(
        router, lifespan=app.lifespan, routes=app.ROUTES, middleware=app.MIDDLEWARE
    )
    app.serve(product_and_floor, "127.0.0.1", int(sys.argv[1]))
