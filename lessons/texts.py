"""The texts of a lesson's file that a reader sees."""

import tomllib
from collections.abc import Callable
from typing import Any, BinaryIO

_READ = {"title", "learn", "say", "do", "error", "ask", "hints", "why", "options", "right"}
_READ.add("measured")


def change_texts(raw: Any, change: Callable[[str], str], name: str = "") -> Any:
    """Return the content of a file with each of these texts changed; tokens and numbers stay."""
    if isinstance(raw, dict):
        counted = isinstance(raw.get("value"), dict) and raw["value"].get("what") == "tokens"
        kept = "options" if raw.get("kind") == "key" else "say" if counted else ""
        return {k: v if k == kept else change_texts(v, change, k) for k, v in raw.items()}
    if isinstance(raw, list):
        return [change_texts(each, change, name) for each in raw]
    return change(raw) if isinstance(raw, str) and raw and name in _READ else raw


def extract(file: BinaryIO, *_: Any, **__: Any) -> list[tuple[int, None, str, list[str]]]:
    """Return these texts for Babel, which calls this (babel.cfg)."""
    texts: dict[str, str] = {}
    change_texts(tomllib.load(file), lambda text: texts.setdefault(text, text))
    return [(0, None, text, []) for text in texts]
