"""Whole pages run as Streamlit runs them, with the real embedded model."""

from pathlib import Path

ROUTER = Path(__file__).parents[2] / "pages" / "router.py"
