"""Cards of a whole attention calculation, and of a mistake in it.

Axes: Tq queries, Tk keys, H n_heads, K d_k, Kv d_v.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from viz.cards.card import Card, CardKind, Line, Scale, product_line
from viz.cards.head_cards import HeadCards
from viz.cards.matrices import SYMBOLS, Arrays, Matrix, MatrixNames, Window, matrices
from viz.style.figure import Translate


@dataclass(frozen=True)
class Steps:
    """Cards, one a step, and the matrices that they name."""

    cards: tuple[Card, ...]
    matrices: dict[str, Matrix]
    divisor: float
    head: int
    offset: int


def attention_steps(
    arrays: Arrays,
    names: MatrixNames,
    scale: Scale,
    window: Window | None = None,
    *,
    begin: bool = False,
    translate: Translate = str,
) -> Steps:
    """Turn the matrices of :func:`model.calculator.matrices.head_matrices` into cards.

    ``begin`` adds a card for Q, K and V, for pages that show them nowhere else.
    """
    arrays = {**arrays, "K_T": arrays["K"].T}  # (Tk, K) -> (K, Tk)
    window = window or Window()
    build = HeadCards(arrays, names, translate)
    if "X" in arrays:
        build.project()
    elif begin:
        build.given()
    build.compare()
    build.divide(scale)
    build.mask()
    build.softmax()
    build.mix()
    if names.n_heads > 1:
        build.concatenate()
    if "W_O" in arrays:
        build.project_out()
    offset = window.along("query", len(names.queries))[0]
    drawn = matrices(arrays, names, window)
    return Steps(tuple(build.cards), drawn, scale.divisor, names.head, offset)


def with_mistake(
    steps: Steps,
    arrays: Arrays,
    names: MatrixNames,
    *,
    title: str,
    formula: str,
    notes: Sequence[str],
    kind: CardKind,
    symbols: Mapping[str, str] | None = None,
    window: Window | None = None,
) -> Steps:
    """Add a classic mistake as the last card.

    Args:
        arrays: See :func:`model.calculator.matrices.mistake_matrices`.
        symbols: LaTeX of ``source`` and ``factor``, if they differ from the defaults: the masked
            scores, or the weights if ``kind`` is "times".
    """
    if kind == "times":
        wrong = Line(("source", "∘", "factor", "=", "wrong_weights"), kind, "pair")
    else:
        parts = ("wrong_maxima", "wrong_exponentials", "wrong_sums")
        wrong = Line(("source", "→", "wrong_weights"), kind, "pair", parts)
    mixed = product_line("wrong_weights", "V", "wrong_context", "context")
    card = Card("mistake", title, formula, (wrong, mixed), tuple(notes))
    down = kind == "softmax_columns"
    source = SYMBOLS["weights" if kind == "times" else "masked_scores"]
    symbols = {"source": source, **(symbols or {})}
    added = matrices(arrays, names, window or Window(), down=down, symbols=symbols)
    return replace(steps, cards=(*steps.cards, card), matrices={**steps.matrices, **added})
