"""Hostile values, texts and links, and the checks that they must pass."""

import json
from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as some
from hypothesis.strategies import SearchStrategy

from model import AttentionCapture, HeadlightError
from pages.urls import BY_PATH, DECODER_PARTS
from tests.pages.visit import Visit
from viz import attention_heatmap
from web.cache.loaded_models import loaded_model
from web.view_state.address import Parameters
from web.view_state.field import Field

MARKUP = "<img src=x onerror=alert(1)>"
HOSTILE = (
    *(MARKUP, "<script>alert(1)</script>", "</script><script>alert(1)//", "javascript:alert(1)"),
    *("{0.__class__}", "{name}", "%s%n", "${7*7}", "{{7*7}}", "__import__('os').system('id')"),
    *("../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "C:\\windows\\win.ini"),
    *("\x00", "\x1b[31m", "\u202e\u2066", "\ufeff", "\ud800", "a\r\nSet-Cookie: a=b"),
    *("nan", "inf", "-inf", "1e999", "-0", "1_0", "٣", "0x10", "9" * 5_000, "1" + "0" * 400),
    *("true", "None", "[]", ".", "-", "1-", "-1", "1.", "1-2.3", ";", ",", "|", "~"),
    "=cmd|'/C'!A0",
    *("' OR 1=1 --", "[MASK]" * 40, "[CLS]", "a\u0301" * 200, "\U0001f600" * 90, "x" * 7_000),
)

TABLES: dict[str, list[Parameters]] = {
    path.strip("/"): [table] for path, table in BY_PATH.items()
} | {"decoder": list(DECODER_PARTS.values())}
"""The URL parameters of every page, by its name in the URL."""


def parameters(page: str) -> Iterator[tuple[str, Field]]:
    for table in TABLES[page]:
        yield from table.items()


def all_parameters() -> list[tuple[str, Field]]:
    return [each for page in TABLES for each in parameters(page)]


def values() -> SearchStrategy[str]:
    right = [parameter.write(parameter.default) for _, parameter in all_parameters()]
    near = some.tuples(some.sampled_from(right), some.sampled_from(HOSTILE), some.integers(0, 9))
    numbers = some.text("0123456789.-;,|x+eE_ ", max_size=12)
    return some.one_of(
        some.text(max_size=60),
        some.sampled_from(HOSTILE),
        numbers,
        near.map(lambda n: n[0][: n[2]] + n[1] + n[0][n[2] :]),
    )


def texts() -> SearchStrategy[str]:
    parts = some.one_of(some.text(max_size=20), some.sampled_from(HOSTILE), some.just("the cat"))
    return some.lists(parts, max_size=5).map(" ".join)


def parsed(field: Field, value: str) -> str | None:
    """What is written of a value that is read; None if it is unknown."""
    try:
        return field.write(field.parse(value))
    except (ValueError, KeyError):
        return None


def parse(value: str) -> None:
    for name, field in all_parameters():
        written = parsed(field, value)
        assert written is None or parsed(field, written) == written, (name, value)


def check_everywhere(name: str, text: str) -> None:
    """Check a text with tokenizer, model, figure and files."""
    try:
        capture = loaded_model(name).attend(text)
    except HeadlightError:  # there is no text
        return
    assert np.isfinite(capture.weights).all()
    drawn = attention_heatmap(capture.weights[0, 0], capture.tokens).to_json()
    assert "<img" not in drawn and "<script" not in drawn
    back = AttentionCapture.from_npz(capture.to_npz())
    assert (back.text, back.tokens) == (capture.text, capture.tokens)
    assert np.array_equal(back.weights, capture.weights)
    assert tuple(json.loads(capture.to_json())["tokens"]) == capture.tokens


def open_page(page: str, address: dict[str, str]) -> None:
    """Run a link to a page: no exception, and no hostile text as HTML."""
    # A browser's URL cannot contain lone surrogates.
    carried = {name: value.encode(errors="replace").decode() for name, value in address.items()}
    session = Visit(page, **carried).run()
    assert not session.exception, session.exception[0].stack_trace
    assert not any(MARKUP in str(block.proto.body) for block in session.get("html"))
