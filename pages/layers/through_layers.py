"""The part "Through the layers": a map of each layer of both models."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import HeadlightError
from model.analysis.depth import by_layer
from model.analysis.weight_statistics import share_on
from pages.layers import kinds
from pages.layers.url import Layers
from viz import attention_heatmap
from viz.view_payload import Part
from web.cache import captures
from web.language import _, in_words, plain, sentences, unmarked
from web.subject import Subject
from web.widgets import present
from web.widgets.capture_view import capture_state, capture_view, part_of
from web.widgets.export import Paper, figure_tools, heatmap_papers, stem
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_name
from web.widgets.view_code import heatmap_code

HIGH = 0.6
"""Median of a layer's flows above which almost every token can come from every other one."""

SOURCES = ("rollout", "flow")
"""Kinds whose columns are the tokens before the first layer."""


def through_layers(row: DeltaGenerator, left: Subject, right: Subject) -> None:
    """Draw all layers of both models, and the selected layer of each."""
    with row:
        kinds.draw_boxes(left, right)
    sides = [view for view in (left, right) if _has_maps(view)]
    if sides:
        _draw(sides)
    kinds.draw_formula()


def _has_maps(view: Subject) -> bool:
    try:
        kinds.maps(view)
    except HeadlightError as error:  # too long for flow, or a part is unknown
        st.info(plain(in_words(error)))
        return False
    return True


def _draw(sides: list[Subject]) -> None:
    """Draw a sentence on the side that was clicked last, the maps of each side, and the exports."""
    clicked = st.session_state.get("clicked_side")
    acting = next((view for view in sides if view.side == clicked), sides[-1])
    with present.stage("layers"):
        if all(view.units for view in sides):
            with st.container(key="layers_said"):
                st.markdown(underline_terms(_sentence(acting, sides)))
        parts = [_part(view) for view in sides]
        capture_view(*parts, key="layers", show=("about", "heads", "head"), of=sides)
    selection = {"left": [Layers.layer.value, 0], "linked": True, "same": True}
    capture_state(selection, _select, key="layers")
    _say_why_special(acting)
    _tools(acting)
    for view in sides:
        _say_missing(view)


def _part(view: Subject) -> Part:
    maps = kinds.maps(view)[:, None]  # (L, U, U) -> (L, 1, U, U)
    names = [f"L{layer}" for layer in range(len(maps))]
    shares = _shares(view)
    without = view.capture().without_attention()
    notes = ["" if i in without else f"{share:.0%}" for i, share in enumerate(shares)]
    title = kinds.title(view, "L0·H0")
    header, cells = part_of(
        view, maps, allowed=kinds.allowed(view), names=names, notes=notes, title=title
    )
    header["sources"] = kinds.chosen_kind() in SOURCES
    header["about"] = sentences(_about(view), header["about"] if without else "")
    for figure in header["figures"]:
        _name_axes(figure["layout"])
    return header, cells


def _about(view: Subject) -> str:
    """Return what the number above each small picture is."""
    kind = kinds.chosen_kind()
    if kind == "flow":
        return _("Each small picture is one layer.")
    if kind == "rollout":
        return _(
            "Each small picture: all layers up to it; %: what still comes from the word itself."
        )
    text = (
        _("Each small picture is one layer; %: how much comes from {tokens}.")
        if kind == "norm"
        else _("Each small picture is one layer; %: the attention to {tokens}.")
    )
    return text.format(tokens=unmarked(_resting_place(view)[2]))


def _name_axes(layout: Any) -> None:
    """Name the axes of a map whose columns are not keys but tokens before the first layer."""
    if kinds.chosen_kind() in SOURCES:
        layout["xaxis"]["title"]["text"] = _("source: the token at the start")
        layout["yaxis"]["title"]["text"] = _("token after the layer")


def _shares(view: Subject) -> np.ndarray:
    """Return the share of each layer that the sentence is about, (L,); none for flow."""
    kind, text = kinds.chosen_kind(), (view.model, view.text, view.text_pair)
    if kind == "flow":
        return np.empty(0)
    if kind == "rollout":
        own = np.diagonal(kinds.maps(view), axis1=1, axis2=2)  # (L, U, U) -> (L, U)
        words = [not unit.special for unit in view.units]
        return own[:, words if any(words) else slice(None)].mean(1)
    if kind == "head":
        return _on_rest(view, view.capture().weights[:, kinds.selected(view)[1]])
    return _on_rest(view, captures.layer_maps(*text, kind))


def _on_rest(view: Subject, maps: np.ndarray) -> np.ndarray:
    """Return the shares on the resting place, of (L, T, T); a decoder's row 0 has no choice."""
    keys = _resting_place(view)[1]
    chosen = view.capture().stack == "decoder" and len(keys) > 1
    return share_on(maps[:, 1:] if chosen else maps, keys)


def _words(view: Subject) -> np.ndarray:
    """Return which tokens are not special, (T,); all if there are no others."""
    words = ~np.asarray(view.capture().special)
    return words if words.any() else ~words


def _select(fields: Mapping[str, Any]) -> None:
    """Store the layer and the side that were selected; a callback."""
    if "left" in fields:  # both sides show the same layer
        Layers.layer.value = int(fields["left"][0])
    if "side" in fields:
        st.session_state["clicked_side"] = fields["side"]


def _tools(view: Subject) -> None:
    """Draw the files and the code of the selected layer."""
    function, paper = kinds.FUNCTIONS[kinds.chosen_kind()]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"**{plain(view.name)} · {kinds.title(view)}**", width="content")
        figure_tools(
            "layers",
            heatmap_code(view, kinds.code(view), function, by_layer, paper=paper),
            view,
            figure=f"heatmap_{view.side}",
            papers=partial(_papers, view),
        )


def _say_why_special(view: Subject) -> None:
    """Say why special tokens, or the first one, get so much weight."""
    if kinds.chosen_kind() not in ("mean", "head"):
        return
    first, keys, tokens = _resting_place(view)
    why = _(
        "Why {tokens}? The weights of a row must add up to 1. Where a token finds nothing useful, "
        "its weight is thought to go there ({source})."
    )
    clark = _("Clark et al. 2019, on [SEP]")
    why = why.format(tokens=tokens, source="Xiao et al. 2023" if first else clark)
    alone = _("The first row is not counted: that token can attend only to itself.")
    text = sentences(
        why,
        alone if view.capture().stack == "decoder" and len(keys) > 1 else "",
        "" if first or kinds.chosen_kind() != "mean" else _say_value_weighted(view),
    )
    st.markdown(underline_terms(text))


def _say_value_weighted(view: Subject) -> str:
    """Return the value-weighted share of special tokens; "" if the model's values are unknown."""
    layer = kinds.selected(view)[0]
    try:
        maps = captures.layer_maps(view.model, view.text, view.text_pair, "norm")
    except HeadlightError:
        return ""
    if layer in view.capture().without_attention():
        return ""
    return _(
        "But attention is not all that counts: at {layer} of {model}, {tokens} supply {share:.0%} "
        "of what tokens pass on (weights times values). To see it, choose *Value-weighted* in the "
        "menu."
    ).format(
        model=plain(view.name),
        layer=f"L{layer}",
        share=float(_on_rest(view, maps)[layer]),
        tokens=_resting_place(view)[2],
    )


def _resting_place(view: Subject) -> tuple[bool, np.ndarray, str]:
    """Return whether heads rest on the first token, a word, or on special tokens; where; names."""
    capture = view.capture()
    first = capture.stack == "decoder" or not any(capture.special)
    keys = np.arange(len(capture.tokens)) == 0 if first else np.asarray(capture.special)
    tokens = list(dict.fromkeys(np.asarray(capture.tokens)[keys].tolist()))
    if first:
        tokens = [f"“{tokens[0]}”"]
    if len(tokens) > 1:
        return first, keys, plain(_("{one} and {other}").format(one=tokens[0], other=tokens[-1]))
    return first, keys, plain(tokens[0])


def _say_missing(view: Subject) -> None:
    """Say how much weight has no column in the maps."""
    sink = view.capture().sink
    if sink is not None and kinds.chosen_kind() in ("mean", "head"):
        share = sink[kinds.selected(view)[0]].mean()
        st.caption(
            _(
                "The attention sink takes {share:.1%} of this layer's weight, without a column."
            ).format(share=share)
        )


def _papers(view: Subject) -> dict[str, Paper]:
    name, weights = kinds.title(view), kinds.selected_map(view)
    figure = attention_heatmap(
        weights,
        [unit.label for unit in view.units],
        title=f"{view.name} · {name}",
        side=view.hue,
        allowed=np.isfinite(weights),
        translate=_,
    )
    _name_axes(figure.layout)
    return heatmap_papers(figure, stem(view.name, name, view.capture().text.lower()))


def _sentence(view: Subject, sides: list[Subject]) -> str:
    """Return a sentence with a number about the selected layer."""
    kind, model = kinds.chosen_kind(), plain(view.name)
    layer, head = kinds.selected(view)
    name, weights = f"L{layer}", kinds.selected_map(view)
    if kind == "rollout":
        maps = captures.layer_maps(view.model, view.text, view.text_pair, kind)
        return _(
            "**Rollout estimates that after {layer} of {model}, {own:.0%} of a word's vector still "
            "comes from that word (mean over the words).** It assumes that each layer's output is "
            "half the token itself (the residual connection) and half what attention brings. It "
            "says that {rest:.0%} of a word's vector comes from {tokens}. That is probably too "
            "much: such tokens often pass on short vectors (see Value-weighted), and rollout "
            "ignores lengths."
        ).format(
            layer=name,
            model=model,
            own=float(_shares(view)[layer]),
            tokens=_resting_place(view)[2],
            rest=float(_on_rest(view, maps[:, _words(view)])[layer]),
        )
    if kind == "flow":
        words = [
            i
            for i, unit in enumerate(view.units)
            if not unit.special and any(map(str.isalnum, unit.label))
        ]
        if len(words) < 2:
            return ""
        between = np.where(np.eye(len(words)), -1, weights[np.ix_(words, words)])
        query, key = np.unravel_index(np.nanargmax(between), between.shape)
        high = _("Here most limits are high: almost every token could come from every other one.")
        limit = _(
            "Imagine pipes through the layers, each as wide as its weight. **After {layer} of "
            "{model}, at most {most:.2f} of “{query}” can have come from “{key}”, the highest "
            "limit of all pairs of words (without punctuation).** A cell is the most that could "
            "flow from one token to another if no other pair used the pipes. So a row can add up "
            "to more than 1."
        ).format(
            layer=name,
            model=model,
            most=float(between[query, key]),
            key=plain(view.labels[words[key]]),
            query=plain(view.labels[words[query]]),
        )
        return sentences(limit, high if np.nanmedian(weights) > HIGH else "")
    if layer in view.capture().without_attention():
        return ""
    others = [
        each
        for each in sides
        if each.model != view.model
        and layer < each.capture().n_layers
        and layer not in each.capture().without_attention()
    ]
    here, *also = (_numbers(each) for each in (view, *others))
    if kind == "norm":
        more = _(
            "In {model}, {tokens} get {weight:.0%} of the attention, and {share:.0%} of what "
            "tokens pass on comes from them."
        )
        one = _(
            "**At {layer}, {tokens} get {weight:.0%} of {model}'s attention, and {share:.0%} of "
            "what tokens pass on comes from them.**"
        )
        last = _(
            "A token passes on its value (a vector) times the weight. A cell is the length of what "
            "the column's token passes on, divided by the row's sum of lengths; the formula is "
            "below."
        )
    else:
        more = _("In {model}, {share:.0%} goes to {tokens} ({peak}).")
        one = (
            _(
                "**In {model}'s {layer}, {share:.0%} of the attention goes to {tokens}.** Among "
                "the H{head} of all layers, most goes there in {top}: {most:.0%}."
            )
            if kind == "head"
            else _("**At {layer}, {share:.0%} of {model}'s attention goes to {tokens} ({peak}).**")
        )
        last = ""
    name = kinds.title(view) if kind == "head" else name
    said = [one.format(layer=name, head=head, **here), *(more.format(**each) for each in also)]
    return sentences(*said, last)


def _numbers(view: Subject) -> dict[str, Any]:
    """Return what the sentence says of the selected layer of a side, by placeholder."""
    layer, head = kinds.selected(view)
    shares = _shares(view)
    top = int(np.nanargmax(shares))
    peak = _("the most of all layers") if top == layer else _("the most: {most:.0%}, at {top}")
    place = head_name(top, head) if kinds.chosen_kind() == "head" else f"L{top}"
    weights = captures.layer_maps(view.model, view.text, view.text_pair, "mean")
    return {
        "model": plain(view.name),
        "tokens": _resting_place(view)[2],
        "share": float(shares[layer]),
        "weight": float(_on_rest(view, weights)[layer]),
        "most": float(shares[top]),
        "top": place,
        "peak": peak.format(most=float(shares[top]), top=place),
    }
