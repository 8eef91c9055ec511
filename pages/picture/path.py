"""The path to the current view, and the meaning of sizes and colours."""

from pages.picture.url import UNSAID
from pages.picture.view import PictureView
from viz.picture import Box
from web.language import _, sentences
from web.widgets.head_picker import head_name


def path(view: PictureView, zoom: str) -> list[Box]:
    """The links from Explore and the whole model to the current view."""
    layer_number, head_number = view.place
    queries, keys = view.names(view.stack)
    names = {
        "whole": view.subject.name,
        "layer": _("Layer {layer}").format(layer=layer_number),
        "head": head_name(layer_number, head_number),
        "score": f"{queries[view.query(view.stack)]} → {keys[view.key()]}",
    }
    until = list(names).index(zoom)
    crumbs = [
        Box("crumb", name, link=view.link(zoom=each, key=UNSAID), current=each == zoom)
        for each, name in list(names.items())[: until + 1]
    ]
    return [Box("crumb", _("Explore"), link=view.explore_link()), *crumbs, *_neighbours(view, zoom)]


def _neighbours(view: PictureView, zoom: str) -> list[Box]:
    """The other layers of the stack, or the other heads of the layer."""
    layer_number, head_number = view.place
    capture = view.captures[view.stack]
    if zoom == "layer":
        links = {f"L{i}": view.link(layer=i) for i in range(capture.n_layers)}
        name, current = _("Layers"), layer_number
    elif zoom in ("head", "score"):
        links = {f"H{i}": view.link(head=i, key=UNSAID) for i in range(capture.n_heads)}
        name, current = _("Heads of layer {layer}").format(layer=layer_number), head_number
    else:
        return []
    return [
        Box(
            "neighbours",
            name,
            items=tuple(
                Box("neighbour", each, link=link, current=i == current)
                for i, (each, link) in enumerate(links.items())
            ),
        )
    ]


def legend(view: PictureView, zoom: str) -> str:
    """Say what the sizes and the colours mean."""
    if zoom == "whole":
        said = [
            _(
                "The area of a box is its number of parameters. Click a layer or a head to look "
                "inside."
            ),
            _(
                "Small boxes are heads. Strong colour: the selected token gives nearly all of its "
                "attention to one token."
            ),
        ]
        if view.lengths("layer_output") is not None:
            said.append(_("“Length” is the length of the token's vector after the layer."))
        if view.lens is not None:
            said.append(
                _("“Next”: what the model would write next if it stopped after that layer.")
                if view.stack == "decoder"
                else _(
                    "“Predicts”: what the model would put in place of the selected token, if it "
                    "were hidden and the model stopped after that layer."
                )
                if view.hidden
                else _("“Predicts”: what the model would put here if it stopped after that layer.")
            )
        return sentences(*said)
    if zoom == "layer":
        colours = _("Strong colour: far from 0. Each row of cells has its own range.")
        return _("Widths show how many numbers a vector has.") if view.vectors is None else colours
    strong = _("Strong colour: far from 0.")
    meant = _(
        "q: what a token looks for; k: what it offers; v: what it passes on. Scaled score, "
        "q·k / √dₖ: multiply q and k number by number, add, divide by √dₖ (q has dₖ numbers). "
        "Softmax turns scores into weights that sum to 1."
    )
    return sentences(meant if zoom == "head" else "", strong)
