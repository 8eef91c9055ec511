"""Hostile input for every parser, page, model, figure and file.

    python -m benchmarks.hostile

Each value goes to the parser of every URL parameter. Each view combines several values in the URL
of a page. Each text goes to the tokenizer, a model, a figure and a file. One text in a hundred is
longer than any model reads. The tests try some of each; this benchmark tries many, and fails at the
first exception that is not a HeadlightError.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as some
from hypothesis.strategies import SearchStrategy

from tests.pages.hostile_values import (
    TABLES,
    all_parameters,
    check_everywhere,
    open_page,
    parameters,
    parse,
    texts,
    values,
)
from web.server import warmup


def views() -> SearchStrategy[tuple[str, dict[str, str]]]:
    """A page and query parameters."""

    def of(page: str) -> SearchStrategy[tuple[str, dict[str, str]]]:
        names = sorted({name for name, _ in parameters(page)})
        parameters_of_view = some.dictionaries(
            some.sampled_from(names), values(), min_size=1, max_size=5
        )
        return some.tuples(some.just(page), parameters_of_view)

    return some.sampled_from(sorted(TABLES)).flatmap(of)


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
    giants = some.tuples(texts(), some.integers(1_000, 50_000)).map(
        lambda each: ((each[0] or " ") * each[1])[: each[1]]
    )
    seconds += tried(n_giants, some.tuples(names, giants, some.just(False)), note)
    refused = Counter(lengths)[0]
    return (
        f"{len(lengths):,} texts ({n_giants:,} of them giant) through tokenizer, model, figure and "
        f"file: {seconds:.0f} s; {refused:,} refused in words, the others of up to "
        f"{max(lengths)} tokens, {sum(lengths):,} in all"
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Try them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few of each")
    smoke = parser.parse_args(arguments).smoke
    n_values, n_views, n_texts = (20, 2, 5) if smoke else (10_000, 500, 10_000)
    warmup.use_one_thread()
    seconds = tried(n_values, values(), parse)
    n_parsers = len(all_parameters())
    print(f"{n_values:,} values, each on the parsers of {n_parsers} parameters: {seconds:.0f} s")
    print(try_texts(n_texts), flush=True)
    seconds = tried(n_views, views(), lambda each: open_page(*each))
    print(f"{n_views:,} whole pages: {seconds:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
