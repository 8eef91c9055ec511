"""One layer: its sublayers in their true order, with the vectors of the selected token."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from model.capture.sites import Stack
from pages.picture.url import page_link
from pages.picture.view import PictureView, token_boxes
from pages.picture.whole import head_boxes, millions
from viz.picture import Box, vector_cells, weight_cells
from viz.style.labels import number
from web.language import _, plain, sentences

PRINTED = 4
"""Numbers of a vector that are printed."""


def layer(view: PictureView) -> list[Box]:
    """Return the parts of the selected layer in the order of the forward pass."""
    own: Stack = "decoder" if view.stack == "cross" else view.stack
    sizes = view.sizes.layers[view.place[0]]
    query = view.names(own)[0][view.query(own)]
    x = _("x: the vector of “{token}”").format(token=query)
    boxes = [
        Box("tokens", _("Token"), link=view.explore_link(), items=token_boxes(view, own)),
        replace(
            _described(
                view,
                Box("vector", x, link=_stream_link(view, stream="entering")),
                "x",
                "layer_input",
            ),
            note=_("{count} numbers").format(count=view.parts.d_model),
            area=view.parts.d_model / widest(view),
        ),
        *_sublayer(
            view,
            [_attention(view, own, sizes.attention), *_products(view)],
            ("x + a", "attention_sum", "x′", "second_input"),
        ),
    ]
    if sizes.cross_attention:
        boxes += _sublayer(view, [_attention(view, "cross", sizes.cross_attention)], None)
    feed = [_feed_forward(view, sizes.feed_forward)]
    last = ("x′ + f", "feed_forward_sum", "y", "layer_output")
    return [*boxes, *_sublayer(view, feed, last)]


def said(view: PictureView) -> str:
    """Return a sentence on what the layer adds to the selected token; "" if that is unknown."""
    if (vectors := view.vectors) is None:
        return ""
    own: Stack = "decoder" if view.stack == "cross" else view.stack
    text = _(
        "**In {layer}, attention adds a vector of length {attention:.1f} to the vector of "
        "“{token}” (length {x:.1f}).**"
    )
    then = (
        _(
            "**A LayerNorm turns the sum into x′ (length {second:.1f}), to which the feed-forward "
            "network adds a vector of length {feed_forward:.1f}.**"
        )
        if view.sizes.norm_placement == "post"
        else _(
            "**To the sum x′ (length {second:.1f}), the feed-forward network adds a vector of "
            "length {feed_forward:.1f}.**"
        )
    )
    return sentences(text, then).format(
        layer=f"L{view.place[0]}",
        token=plain(view.names(own)[0][view.query(own)]),
        x=np.linalg.norm(vectors.layer_input),
        attention=np.linalg.norm(vectors.attention),
        feed_forward=np.linalg.norm(vectors.feed_forward),
        second=np.linalg.norm(vectors.second_input),
    )


def _sublayer(
    view: PictureView, inner: list[Box], names: tuple[str, str, str, str] | None
) -> Iterator[Box]:
    """A sublayer with its norm and its sum, in the order of the model."""
    norm = Box("norm", _("norm"), link=page_link("/calculator", mode="norms"))
    if view.sizes.norm_placement == "pre":
        yield replace(norm, kind="norm branch")
        yield from inner
        yield _sum(view, names and (names[0], names[1]))
        return
    yield from inner
    if view.sizes.norm_placement == "output":
        yield replace(norm, kind="norm branch")
        yield _sum(view, names and (names[0], names[1]))
        return
    yield _sum(view, names and (names[0], names[1]))
    yield _described(view, norm, *names[2:]) if names else norm


def _sum(view: PictureView, names: tuple[str, str] | None) -> Box:
    note = _("The residual connection: the output of the part is added to its input.")
    if names is None:
        return Box("add", _("add"), note=note, link=_stream_link(view, stream="entering"))
    quantity = names[1].replace("_sum", "_share")
    box = Box("add", _("add"), note=note, link=_stream_link(view, stream=quantity))
    return _described(view, box, *names)


def _described(view: PictureView, box: Box, sign: str, attribute: str) -> Box:
    """A box with a vector of the selected token: its length, its first numbers and its cells."""
    if view.vectors is None:
        return box
    vector: np.ndarray = getattr(view.vectors, attribute)
    printed = " ".join(number(each, "z.2f") for each in vector[:PRINTED])
    values = (
        (f"‖{sign}‖", number(float(np.linalg.norm(vector)), "z.1f")),
        (f"{sign} =", f"{printed} …"),
    )
    return replace(
        box,
        values=(*box.values, *values),
        cells=tuple(vector_cells(vector[None])),  # (D,) -> (1, D)
    )


def _stream_link(view: PictureView, **fields: object) -> str:
    """The lengths of the vectors on the Layers page, which translators do not have."""
    if view.translation is None:
        return view.layers_link("stream", **fields)
    return view.explore_link(*view.place)


def widest(view: PictureView) -> int:
    """The largest width of a vector in the layer."""
    return max(view.sizes.d_ff, view.parts.d_model)


def _attention(view: PictureView, stack: Stack, count: int) -> Box:
    capture, layer = view.captures[stack], view.place[0]
    n_heads = capture.n_heads
    d_head = capture.q[layer].shape[-1] if capture.has_steps else view.parts.d_model // n_heads
    n_keys = capture.k[layer].shape[1] if capture.has_steps else n_heads
    heads = tuple(
        replace(box, cells=(weight_cells(capture.weights[layer, i]),), shade=None)
        for i, box in enumerate(head_boxes(view, stack, layer))
    )
    note = _("{heads} heads with {width} numbers each").format(heads=n_heads, width=d_head)
    if n_keys < n_heads:
        note += " · " + _("they share {count} heads of keys and values").format(count=n_keys)
    name = _("Cross-attention") if stack == "cross" else _("Self-attention")
    return Box(
        "attention",
        name,
        ((_("parameters"), millions(count)),),
        note,
        view.explore_link(layer, view.place[1]),
        n_heads * d_head / widest(view),
        items=heads,
    )


def _products(view: PictureView) -> list[Box]:
    """The contexts of all heads, and their product with W^O; empty if they are unknown."""
    if (vectors := view.vectors) is None:
        return []
    n_in, n_out = len(vectors.contexts), len(vectors.attention)
    link = view.calculator_link(layer=view.place[0], head=view.place[1])
    heads = Box("numbers branch", _("z: the sums of v times weight of all heads"), link=link)
    matrix = _("Wᴼ has {rows} × {columns} numbers").format(rows=n_in, columns=n_out)
    output = Box("numbers branch", _("a: z times Wᴼ"), note=matrix, link=link)
    return [
        _described(view, heads, "z", "contexts"),
        _described(view, output, "a", "attention"),
    ]


def _feed_forward(view: PictureView, count: int) -> Box:
    d_model, d_ff, most = view.parts.d_model, view.sizes.d_ff, widest(view)
    inside = Box("bar", _("{count:,} numbers inside").format(count=d_ff), area=d_ff / most)
    out = Box("bar", _("{count} numbers out").format(count=d_model), area=d_model / most)
    bars = [
        _described(view, inside, "h", "hidden"),
        _described(view, out, "f", "feed_forward"),
    ]
    if view.sizes.gated:
        gate = _("a gate of {count} numbers").format(count=d_ff)
        bars.insert(0, Box("bar", gate, area=d_ff / most))
    return Box(
        "feed",
        _("Feed-forward"),
        ((_("parameters"), millions(count)),),
        _("Gated: two maps are multiplied, then one maps back.") if view.sizes.gated else "",
        _stream_link(view, stream="feed_forward_share"),
        items=tuple(bars),
    )
