"""A calculation of attention as cards: one step each, its formula, its matrices.

The same cards are drawn by the browser (payload.py) and printed (worksheet.py).
Axes: Tq queries, Tk keys, K d_k, Kv d_v.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from viz.cards import around, one_head, told
from viz.cards.card import Card, Kind, Line, Scale, Translate
from viz.cards.matrices import SYMBOLS, Arrays, Matrix, Names, Window, matrices


@dataclass(frozen=True)
class Steps:
    """Cards, and the matrices that they name.

    Attributes:
        cards: One a step, in order.
        matrices: By the names that the cards' lines use.
        divisor: What the raw scores are divided by.
        head: Which head is followed.
        offset: The first query that is drawn.
        spelled: Of some results, by name, row and column: the rows that tell how a cell came
            about. The browser spells the others itself.
    """

    cards: tuple[Card, ...]
    matrices: dict[str, Matrix]
    divisor: float
    head: int
    offset: int
    spelled: Mapping[str, list[list[list[told.Row]]]] = field(default_factory=dict)


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
        arrays: Of the head that is followed: Q (Tq, K), K (Tk, K), V (Tk, Kv), raw_scores,
            scaled_scores, allowed (boolean), masked_scores, exponentials, weights (Tq, Tk),
            maxima and row_sums (Tq, 1), context (Tq, Kv). With a projection also X, W_Q, W_K, W_V
            and, of all heads side by side, Q_heads, K_heads, V_heads; with several heads
            concatenated (Tq, H*Kv); with an output projection W_O and output. Where the model adds
            one to the scaled scores, bias (Tq, Tk).
        names: Of tokens and heads.
        scale: What the raw scores are divided by.
        window: What of it to draw.
        begin: Show Q, K and V in a card of their own; they stand nowhere else on the page.
        translate: From English to the reader's language.
    """
    arrays = {**arrays, "K_T": arrays["K"].T}
    window = window or Window()
    cards = [
        one_head.compare(arrays, translate),
        one_head.divide(arrays, scale, translate),
        one_head.mask(arrays, translate),
        one_head.softmax(arrays, translate),
        one_head.mix(arrays, translate),
    ]
    if "X" in arrays:
        cards.insert(0, around.project(arrays, names, translate))
    elif begin:
        cards.insert(0, around.given(arrays, translate))
    if names.n_heads > 1:
        cards.append(around.concatenate(arrays, names, translate))
    if "W_O" in arrays:
        cards.append(around.project_out(arrays, names, translate))
    offset = window.along("query", len(names.queries))[0]
    drawn = matrices(arrays, names, window)
    return Steps(tuple(cards), drawn, scale.divisor, names.head, offset)


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
        steps: The right calculation.
        arrays: Of the head that is followed: source and wrong_weights (Tq, Tk), wrong_context
            (Tq, Kv). If ``kind`` is "times", factor (Tq, Tk); else wrong_exponentials (Tq, Tk),
            with wrong_maxima and wrong_sums, (Tq, 1) or, for "softmax_columns", (1, Tk).
        names: Of tokens and heads.
        title: What the mistake is called.
        formula: The mistaken one, LaTeX.
        notes: What goes wrong, in numbers.
        kind: How ``wrong_weights`` come from ``source``: "softmax", "softmax_columns" or "times".
        symbols: LaTeX of ``source`` and ``factor``, where they are not the right masked scores,
            the right weights if ``kind`` is "times", and any factor.
        window: What of it to draw.
    """
    if kind == "times":
        wrong = Line(("source", "∘", "factor", "=", "wrong_weights"), kind, "pair")
    else:
        parts = ("wrong_maxima", "wrong_exponentials", "wrong_sums")
        wrong = Line(("source", "→", "wrong_weights"), kind, "pair", parts)
    mixed = Line(("wrong_weights", "×", "V", "=", "wrong_context"), "product", "context")
    card = Card("mistake", title, formula, (wrong, mixed), findings=tuple(notes))
    down = kind == "softmax_columns"
    source = SYMBOLS["weights" if kind == "times" else "masked_scores"]
    called = {"source": source, **(symbols or {})}
    added = matrices(arrays, names, window or Window(), down=down, symbols=called)
    return replace(steps, cards=(*steps.cards, card), matrices={**steps.matrices, **added})
