"""One score: the products of q and k, their sum, and the weight that follows from it."""

import numpy as np

from pages.picture.view import PictureView
from viz.picture import Box, vector_cells
from viz.style.labels import number
from web.language import _, plain

WINDOW = 16
"""Tokens that the Calculator draws together."""


def score(view: PictureView) -> list[Box]:
    """Return the products of the selected query and key, and the steps to the weight."""
    capture, (layer, head) = view.captures[view.stack], view.place
    query, key = view.query(view.stack), view.key()
    queries, keys = view.names(view.stack)
    capture.check_softmax()
    steps = capture.head(layer, head)
    q, k = steps.q[query], steps.k[key]  # (K,) each
    products = q * k
    link = calculator_pair(view, layer, head, query, key)
    cells = vector_cells(products[:, None])  # (K,) -> (K, 1)
    raw, scaled = float(steps.raw_scores[query, key]), float(steps.scaled_scores[query, key])
    boxes = [
        Box(
            "products",
            _("q of {query} × k of {key}, number by number").format(
                query=queries[query], key=keys[key]
            ),
            link=link,
            items=tuple(
                Box(
                    "product",
                    str(i),
                    (
                        ("q × k", f"{number(q[i], 'z.3f')} × {number(k[i], 'z.3f')}"),
                        ("=", number(products[i], "z.3f")),
                    ),
                    cells=(cells[i],),
                )
                for i in range(len(products))
            ),
        ),
        Box("step", _("sum: the raw score q · k"), (("=", number(raw, "z.4f")),), link=link),
    ]
    if steps.scale != 1:
        name = (
            _("divided by √{width}").format(width=len(q))
            if np.isclose(steps.scale, len(q) ** -0.5)
            else _("times {scale:.4g}").format(scale=steps.scale)
        )
        boxes.append(Box("step", name, (("=", number(raw * steps.scale, "z.4f")),), link=link))
    if steps.bias is not None:
        bias = float(steps.bias[query, key])
        name = _("plus the bias {bias}").format(bias=number(bias, "z.4f"))
        boxes.append(Box("step", name, (("=", number(scaled, "z.4f")),), link=link))
    if steps.allowed is not None and not steps.allowed[query, key]:
        boxes.append(Box("step", _("masked"), (("=", "−∞"),), link=link))
    weight = float(steps.weights[query, key])
    name = _("softmax over {count} keys: the weight").format(count=len(keys))
    boxes.append(Box("step", name, (("=", f"{weight:.4f}"),), link=link, shade=round(weight, 4)))
    return boxes


def said(view: PictureView) -> str:
    """Return a sentence on the weight of the selected pair."""
    query, key = view.query(view.stack), view.key()
    steps, names = view.captures[view.stack].head(*view.place), view.names(view.stack)
    return _(
        "**“{query}” gives {weight:.2f} of its attention to “{key}”. The products below add up to "
        "a score, and the softmax compares the scores of all keys.**"
    ).format(
        query=plain(names[0][query]),
        key=plain(names[1][key]),
        weight=float(steps.weights[query, key]),
    )


def calculator_pair(view: PictureView, layer: int, head: int, query: int, key: int) -> str:
    """The link to this pair in the Calculator, which draws a window of the tokens."""
    count = max(len(names) for names in view.names(view.stack))
    first = min(query, max(count - WINDOW, 0))
    look = f"|pair.{query - first}.{key}"
    return view.calculator_link(layer=layer, head=head, first=first, look=look)
