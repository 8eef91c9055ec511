"""One layer: its sublayers in their true order, with widths in proportion to the vectors."""

from collections.abc import Iterator
from dataclasses import replace

from model.capture.sites import Stack
from pages.picture.subject import Subject, other_pages, token_boxes
from pages.picture.url import page_link
from pages.picture.whole import head_boxes, millions
from viz.picture import Box, weight_cells
from web.language import _


def layer(subject: Subject) -> list[Box]:
    """Return the parts of the selected layer in the order of the forward pass."""
    own: Stack = "decoder" if subject.stack == "cross" else subject.stack
    sizes = subject.sizes.layers[subject.place[0]]
    query = subject.names(own)[0][subject.query(own)]
    boxes = [
        Box("tokens", _("Token"), link=subject.explore_link(), items=token_boxes(subject, own)),
        _vector(subject, "x", _("x: the vector of {token}").format(token=query), "layer_input"),
        *_sublayer(
            subject,
            _attention(subject, own, sizes.attention),
            ("x + a", "attention_sum", "x′", "second_input"),
        ),
    ]
    if sizes.cross_attention:
        boxes += _sublayer(subject, _attention(subject, "cross", sizes.cross_attention), None)
    feed = _feed_forward(subject, sizes.feed_forward)
    last = ("x′ + f", "feed_forward_sum", "y", "layer_output")
    return [*boxes, *_sublayer(subject, feed, last), other_pages(subject, *subject.place)]


def _sublayer(
    subject: Subject, inner: Box, names: tuple[str, str, str, str] | None
) -> Iterator[Box]:
    """A sublayer with its norm and its sum, in the order of the model."""
    norm = Box("norm", _("norm"), link=page_link("/calculator", mode="norms"))
    if subject.sizes.norm_placement == "pre":
        yield replace(norm, kind="norm branch")
        yield inner
        yield _sum(subject, names and (names[0], names[1]))
        return
    yield inner
    yield _sum(subject, names and (names[0], names[1]))
    yield replace(norm, values=_length(subject, *names[2:]) if names else ())


def _sum(subject: Subject, names: tuple[str, str] | None) -> Box:
    quantity = {"attention_sum": "attended", "feed_forward_sum": "fed"}
    link = _stream_link(subject, stream=quantity[names[1]]) if names else _stream_link(subject)
    note = _("The residual connection: the output of the part is added to its input.")
    values = _length(subject, *names) if names else ()
    return Box("add", _("add"), values, note, link)


def _length(subject: Subject, sign: str, attribute: str) -> tuple[tuple[str, str], ...]:
    """The length of a vector of the selected token; empty if it is not known."""
    lengths = subject.lengths(attribute)
    return () if lengths is None else ((f"‖{sign}‖", f"{lengths[subject.place[0]]:.3g}"),)


def _vector(subject: Subject, sign: str, name: str, attribute: str) -> Box:
    link = _stream_link(subject)
    note = _("{count} numbers").format(count=subject.parts.d_model)
    values = _length(subject, sign, attribute)
    return Box("vector", name, values, note, link, subject.parts.d_model / widest(subject))


def _stream_link(subject: Subject, **view: object) -> str:
    """The lengths of the vectors on the Layers page, which translators do not have."""
    if subject.translation is None:
        return subject.layers_link("stream", **view)
    return subject.explore_link(*subject.place)


def widest(subject: Subject) -> int:
    """The largest width of a vector in the layer."""
    return max(subject.sizes.d_ff, subject.parts.d_model)


def _attention(subject: Subject, stack: Stack, count: int) -> Box:
    capture, layer = subject.captures[stack], subject.place[0]
    n_heads = capture.n_heads
    d_head = capture.q[layer].shape[-1] if capture.has_steps else subject.parts.d_model // n_heads
    n_keys = capture.k[layer].shape[1] if capture.has_steps else n_heads
    heads = tuple(
        replace(box, cells=(weight_cells(capture.weights[layer, i]),), shade=None)
        for i, box in enumerate(head_boxes(subject, stack, layer))
    )
    note = _("{heads} heads with {width} numbers each").format(heads=n_heads, width=d_head)
    if n_keys < n_heads:
        note += " · " + _("they share {count} heads of keys and values").format(count=n_keys)
    name = _("Cross-attention") if stack == "cross" else _("Self-attention")
    values = _length(subject, "a", "attention") if stack != "cross" else ()
    return Box(
        "attention",
        name,
        ((_("parameters"), millions(count)), *values),
        note,
        subject.explore_link(layer, subject.place[1]),
        n_heads * d_head / widest(subject),
        items=heads,
    )


def _feed_forward(subject: Subject, count: int) -> Box:
    d_model, d_ff, most = subject.parts.d_model, subject.sizes.d_ff, widest(subject)
    inside = _("{count} numbers inside").format(count=d_ff)
    bars = [Box("bar", inside, area=d_ff / most)]
    if subject.sizes.gated:
        bars.insert(
            0, Box("bar", _("a gate of {count} numbers").format(count=d_ff), area=d_ff / most)
        )
    bars.append(Box("bar", _("{count} numbers out").format(count=d_model), area=d_model / most))
    return Box(
        "feed",
        _("Feed-forward"),
        ((_("parameters"), millions(count)), *_length(subject, "f", "feed_forward")),
        _("Gated: two maps are multiplied, then one maps back.") if subject.sizes.gated else "",
        _stream_link(subject, stream="feed_forward_share"),
        items=tuple(bars),
    )
