"""Cards of a whole attention calculation, and of a mistake in it.

Axes: Tq queries, Tk keys, H n_heads, K d_k, Kv d_v.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from viz.cards.card import Card, Kind, Line, Scale, Translate, product_line
from viz.cards.head_cards import HeadCards
from viz.cards.matrices import SYMBOLS, Arrays, Matrix, Names, Window, matrices


@dataclass(frozen=True)
class Steps:
    """Cards, and the matrices that they name.

    Attributes:
        cards: One a step, in order.
    """

    cards: tuple[Card, ...]
    matrices: dict[str, Matrix]
    divisor: float
    head: int
    offset: int


def attention_steps(
    arrays: Arrays,
    names: Names,
    scale: Scale,
    window: Window | None = None,
    *,
    begin: bool = False,
    translate: Translate = str,
) -> Steps:
    """Turn a calculation into cards.

    Args:
        arrays: The matrices of the followed head: Q (Tq, K), K (Tk, K), V (Tk, Kv), raw_scores,
            scaled_scores, allowed (boolean), masked_scores, exponentials, weights (Tq, Tk),
            maxima and row_sums (Tq, 1), context (Tq, Kv). With a projection also X, W_Q, W_K, W_V
            and, of all heads side by side, Q_heads, K_heads, V_heads. With several heads
            concatenated (Tq, H*Kv). With an output projection W_O and output. If the model adds a
            bias to the scaled scores, bias (Tq, Tk).
        begin: Whether to start with a card for Q, K and V, for pages that show them nowhere else.
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
    names: Names,
    *,
    title: str,
    formula: str,
    notes: Sequence[str],
    kind: Kind,
    symbols: Mapping[str, str] | None = None,
    window: Window | None = None,
) -> Steps:
    """Add a classic mistake as the last card.

    Args:
        arrays: The matrices of the followed head: source and wrong_weights (Tq, Tk), wrong_context
            (Tq, Kv). If ``kind`` is "times", factor (Tq, Tk). Otherwise wrong_exponentials
            (Tq, Tk), with wrong_maxima and wrong_sums, (Tq, 1) or, for "softmax_columns", (1, Tk).
        formula: The wrong formula, LaTeX.
        kind: How ``wrong_weights`` follow from ``source``: "softmax", "softmax_columns" or "times".
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
