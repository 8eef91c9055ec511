"""Hostile input for every parser, page, model, figure and file.

    python -m benchmarks.hostile --values 10000 --views 500 --texts 10000

Each value goes to the parser of every URL parameter. Each view combines several values in the URL
of a page. Each text goes to the tokenizer, a model, a figure and a file. One text in a hundred is
longer than any model reads. A file contains the tokens and one head's weights, and for one text in
ten the weights of all heads, because packing them is slow. The test suite tries some of each. This
benchmark tries many, and fails at the first exception that is not a HeadlightError.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as some
from hypothesis.strategies import SearchStrategy

from model import AttentionCapture, HeadlightError
from pages.urls import BY_PATH, DECODER_PARTS
from viz import attention_heatmap
from web.cache.loaded_models import loaded_model
from web.server import warmup
from web.view_state.address import Parameter, Parameters

MARKUP = "<img src=x onerror=alert(1)>"
HOSTILE = (
    *(MARKUP, "<script>alert(1)</script>", "</script><script>alert(1)//", "javascript:alert(1)"),
    *("{0.__class__}", "{name}", "%s%n", "${7*7}", "{{7*7}}", "__import__('os').system('id')"),
    *("../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "C:\\windows\\win.ini"),
    *("\x00", "\x1b[31m", "\u202e\u2066", "\ufeff", "\ud800", "a\r\nSet-Cookie: a=b"),
    *("nan", "inf", "-inf", "1e999", "-0", "1_0", "٣", "0x10", "9" * 5_000, "1" + "0" * 400),
    *[
        "true",
        "None",
        "[]",
        ".",
        "-",
        "1-",
        "-1",
        "1.",
        "1-2.3",
        ";",
        ",",
        "|",
        "~",
        "=cmd|'/C'!A0",
    ],
    *("' OR 1=1 --", "[MASK]" * 40, "[CLS]", "a\u0301" * 200, "\U0001f600" * 90, "x" * 7_000),
)

TABLES: dict[str, list[Parameters]] = {
    path.strip("/"): [table] for path, table in BY_PATH.items()
} | {"decoder": list(DECODER_PARTS.values())}
"""The URL parameters of every page, by its name in the URL."""


def parameters(page: str) -> Iterator[tuple[str, Parameter]]:
    """Yield the parameters of a page with their names."""
    for table in TABLES[page]:
        yield from table.items()


def all_parameters() -> list[tuple[str, Parameter]]:
    """Return the parameters of all pages."""
    return [each for page in TABLES for each in parameters(page)]


def values() -> SearchStrategy[str]:
    """Random values, known attacks, and nearly valid values."""
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
    """Random and hostile sentences."""
    parts = some.one_of(some.text(max_size=20), some.sampled_from(HOSTILE), some.just("the cat"))
    return some.lists(parts, max_size=5).map(" ".join)


def giants() -> SearchStrategy[str]:
    """Very long sentences."""
    return some.tuples(texts(), some.integers(1_000, 50_000)).map(
        lambda each: ((each[0] or " ") * each[1])[: each[1]]
    )


def views() -> SearchStrategy[tuple[str, dict[str, str]]]:
    """A page and query parameters."""

    def of(page: str) -> SearchStrategy[tuple[str, dict[str, str]]]:
        names = sorted({name for name, _ in parameters(page)})
        parameters_of_view = some.dictionaries(
            some.sampled_from(names), values(), min_size=1, max_size=5
        )
        return some.tuples(some.just(page), parameters_of_view)

    return some.sampled_from(sorted(TABLES)).flatmap(of)


def parse(value: str) -> None:
    """Every parser refuses a value, or its output parses to itself."""
    for name, parameter in all_parameters():
        try:
            taken = parameter.parse(value)
        except (ValueError, KeyError):
            continue
        written = parameter.write(taken)
        assert parameter.write(parameter.parse(written)) == written, (name, value)


def check_everywhere(name: str, text: str, whole: bool = True) -> int:
    """Check a text with tokenizer, model, figure and both file formats.

    Args:
        name: Name of the model.
        text: Any text.
        whole: Whether the files contain all heads or only the first.

    Returns:
        Number of tokens; 0 if the text was refused with a message.
    """
    try:
        capture = loaded_model(name).attend(text)
    except HeadlightError:  # there is no text
        return 0
    assert np.isfinite(capture.weights).all()
    drawn = attention_heatmap(capture.weights[0, 0], capture.tokens).to_json()
    assert "<img" not in drawn and "<script" not in drawn
    filed = capture if whole else _first_head(capture)
    back = AttentionCapture.from_npz(filed.to_npz())
    assert (back.text, back.tokens) == (capture.text, capture.tokens)
    assert np.array_equal(back.weights, filed.weights)
    assert tuple(json.loads(filed.to_json())["tokens"]) == capture.tokens
    return len(capture.tokens)


def _first_head(capture: AttentionCapture) -> AttentionCapture:
    q, k, v = (each[0][:, :1] for each in (capture.q, capture.k, capture.v))
    weights, allowed = capture.weights[:1, :1], capture.allowed[:1]
    return replace(capture, weights=weights, q=(q,), k=(k,), v=(v,), allowed=allowed)


def open_page(page: str, address: dict[str, str]) -> None:
    """Run a link to a page: no exception, and no hostile text as HTML."""
    from tests.pages.conftest import first_visit

    session = first_visit(page)
    # A browser's URL cannot contain lone surrogates.
    carried = {name: value.encode(errors="replace").decode() for name, value in address.items()}
    session.query_params.update(carried)
    session.run()
    assert not session.exception, session.exception[0].stack_trace
    assert not any(MARKUP in str(block.proto.body) for block in session.get("html"))


def tried(count: int, strategy: SearchStrategy[Any], check: Callable[[Any], None]) -> float:
    """Check a number of examples; returns seconds."""

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @seed(0)
    @given(strategy)
    def each(example: Any) -> None:
        check(example)

    began = time.perf_counter()
    each()
    return time.perf_counter() - began


def try_texts(count: int) -> str:
    """Check ``count`` texts, a hundredth of them very long; returns the numbers of results."""
    names = some.sampled_from(("scratch", "minilm"))
    whole = some.sampled_from((True, *[False] * 9))
    lengths: list[int] = []

    def note(each: tuple[str, str, bool]) -> None:
        lengths.append(check_everywhere(*each))

    n_giants = max(1, count // 100)
    seconds = tried(count - n_giants, some.tuples(names, texts(), whole), note)
    seconds += tried(n_giants, some.tuples(names, giants(), some.just(False)), note)
    refused = Counter(lengths)[0]
    return (
        f"{len(lengths):,} texts ({n_giants:,} of them giant) through tokenizer, model, figure and "
        f"file: {seconds:.0f} s; {refused:,} refused in words, the others of up to "
        f"{max(lengths)} tokens, {sum(lengths):,} in all"
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Try them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=10_000)
    parser.add_argument("--views", type=int, default=500)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--smoke", action="store_true", help="a few of each")
    options = parser.parse_args(arguments)
    counts = (20, 2, 5) if options.smoke else (options.values, options.views, options.texts)
    n_values, n_views, n_texts = counts
    warmup.use_one_thread()
    seconds = tried(n_values, values(), parse)
    n_parsers = len(all_parameters())
    print(f"{n_values:,} values, each on the parsers of {n_parsers} parameters: {seconds:.0f} s")
    print(try_texts(n_texts), flush=True)
    seconds = tried(n_views, views(), lambda each: open_page(*each))
    print(f"{n_views:,} whole pages: {seconds:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
