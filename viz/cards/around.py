"""The cards before and after one head: where q, k and v come from, where its context goes.

Axes: T tokens, D d_model, H n_heads, K d_k, Kv d_v.
"""

from viz.cards.card import Card, Line, Translate, sized
from viz.cards.matrices import SYMBOLS, Arrays, Names


def given(arrays: Arrays, translate: Translate) -> Card:
    """q, k and v as they are."""
    n_queries, d_k = arrays["Q"].shape
    n_keys, d_v = arrays["V"].shape
    formula = (
        rf"{sized('Q', n_queries, d_k)},\quad {sized('K', n_keys, d_k)},\quad "
        rf"{sized('V', n_keys, d_v)}"
    )
    note = translate(
        "What each token looks for (its query), what it is found by (its key), and what it gives "
        "(its value): one row a token."
    )
    lines = tuple(Line((letter,), "given", letter) for letter in "QKV")
    return Card("given", translate("Queries, keys and values"), formula, lines, (note,))


def project(arrays: Arrays, names: Names, translate: Translate) -> Card:
    """x to q, k and v of all heads."""
    n_tokens, d_model = arrays["X"].shape
    width = arrays["W_Q"].shape[1]
    lines = tuple(
        Line(("X", "×", f"W_{letter}", "=", f"{letter}_heads"), "product", f"project_{letter}")
        for letter in "QKV"
    )
    notes = [
        translate(
            "A token asks with its query, is found by its key, and gives its value: three "
            "views of one row of X."
        )
    ]
    if names.n_heads > 1:
        d_k = arrays["Q"].shape[1]
        notes.append(
            translate(
                "The {width} columns are {n_heads} heads of {d_k}; the steps below follow head "
                "{head}, columns {first} to {last} of Q and K."
            ).format(
                width=width,
                n_heads=names.n_heads,
                d_k=d_k,
                head=names.head,
                first=names.head * d_k,
                last=(names.head + 1) * d_k - 1,
            )
        )
    formula = (
        rf"{sized('Q', n_tokens, width)} = {sized('X', n_tokens, d_model)}\;"
        rf"{sized('W^Q', d_model, width)},\quad K = X W^K,\quad V = X W^V"
    )
    return Card("project", translate("Project X to Q, K, V"), formula, lines, tuple(notes))


def concatenate(arrays: Arrays, names: Names, translate: Translate) -> Card:
    """The contexts of all heads side by side."""
    heads = ",\\;".join(f"Z^{{({head})}}" for head in range(names.n_heads))
    formula = rf"{sized('C', *arrays['concatenated'].shape)} = \text{{Concat}}({heads})"
    d_v = arrays["context"].shape[1]
    note = translate(
        "The contexts of all {n_heads} heads side by side; columns {first} to {last} are those of "
        "head {head}."
    ).format(
        n_heads=names.n_heads,
        head=names.head,
        first=names.head * d_v,
        last=(names.head + 1) * d_v - 1,
    )
    line = Line(("context", "→", "concatenated"), "join", "concatenated")
    return Card("concat", translate("Concatenate the heads"), formula, (line,), (note,))


def project_out(arrays: Arrays, names: Names, translate: Translate) -> Card:
    """What leaves W^O."""
    left = "concatenated" if names.n_heads > 1 else "context"
    rows, inner = arrays[left].shape
    width = arrays["output"].shape[1]
    mixed = sized(SYMBOLS[left], rows, inner)
    formula = rf"{sized('Y', rows, width)} = {mixed}\;{sized('W^O', inner, width)}"
    note = translate("W^O mixes what the heads bring back into one vector a token.")
    line = Line((left, "×", "W_O", "=", "output"), "product", "project_O")
    return Card("project_out", translate("Project the output"), formula, (line,), (note,))
