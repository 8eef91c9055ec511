"""The logit lens at the selection: the drawn tokens, one token, a depth, a candidate."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from model.analysis.logit_lens import LogitLens
from model.analysis.units import units
from model.capture.whitespace import show_whitespace
from model.catalogue.generated_tokens import TokenName
from model.catalogue.token_names import token_namer
from pages.layers.url import UNSAID, Layers
from viz import distinct
from viz.figures.logit_lens import depth_names
from web.cache import captures, loaded_models
from web.language import _, translated
from web.subject import Subject
from web.widgets.view_code import texts

WINDOW = 16
"""Tokens per view; at this number all layers of smollm2 take 14 billion multiplications."""


@dataclass(frozen=True)
class Lens:
    """The lens of a side, at one token and one depth.

    Attributes:
        first: The first of the ``count`` drawn tokens.
        at: The selected token.
        labels: Distinct names of all tokens of the text.
        hidden: Whether the side's text has a mask in place of the selected token.
    """

    side: Subject
    first: int
    count: int
    at: int
    depth: int
    found: LogitLens
    labels: list[str]
    name: TokenName
    hidden: bool

    def token(self, token_id: int) -> str:
        """Return a token of the vocabulary, with its spaces visible."""
        return show_whitespace(self.name(int(token_id)))

    @property
    def label(self) -> str:
        """The name of the selected token of the text."""
        return self.labels[self.at]

    @property
    def column(self) -> int:
        """The selected token's place among the drawn ones."""
        return self.at - self.first

    @property
    def code(self) -> str:
        """Code that computes the lens."""
        positions = range(self.found.positions[0], self.found.positions[-1] + 1)
        return f"lens = logit_lens(model, {texts(self.side)}, positions={positions})"


def lens_of(side: Subject) -> Lens:
    """Return the lens at the session's selection within the model's limits, or a default.

    Raises:
        HeadlightError: If the model has no lens.
    """
    model, capture = loaded_models.loaded_model(side.model), side.capture()
    n_tokens = len(capture.tokens)
    at = min(Layers.at.value, n_tokens - 1)
    if at == UNSAID:  # the mask, or a decoder's last token, or one with a context
        mask = model.tokenizer.token_to_id(model.mask_token)
        if mask in capture.token_ids:
            at = capture.token_ids.index(mask)
        else:
            at = n_tokens - 1 if model.stack == "decoder" else min(WINDOW, n_tokens) * 2 // 3
    depth = min(Layers.depth.value, model.n_layers)
    count = min(WINDOW, n_tokens)
    first = min(Layers.first.value, n_tokens - count)
    if not first <= at < first + count or first == UNSAID:
        first = min(max(at - count + 1, 0), n_tokens - count)
    depth = model.n_layers if depth == UNSAID else depth
    labels = distinct([unit.label for unit in units(capture)])
    masked = side.with_hidden(at)
    side = masked or side
    found = captures.logit_lens(side.model, side.text, side.text_pair, first, count)
    name = token_namer(model.tokenizer)
    return Lens(side, first, count, at, depth, found, labels, name, masked is not None)


def draw_boxes(lens: Lens) -> None:
    """Draw the pickers of a depth and of a token."""
    with st.container(horizontal=True):
        depths = dict(enumerate(depth_names(len(lens.found.ids), _)))
        Layers.depth.draw_as(lens.depth, options=depths)
        keep_depth = partial(_keep_depth, lens.depth)
        Layers.at.draw_as(lens.at, keep_depth, options=dict(enumerate(lens.labels)))


def draw_window(lens: Lens) -> None:
    """Draw the slider of the drawn tokens, unless all are drawn."""
    if last := len(lens.labels) - lens.count:
        label = translated(Layers.first.label).format(shown=lens.count, count=len(lens.labels))
        Layers.first.draw_as(lens.first, _select_drawn, label=label, min_value=0, max_value=last)


def _keep_depth(depth: int) -> None:
    """Keep the depth and reset the candidate, for another token; a callback."""
    if Layers.depth.value == UNSAID:
        Layers.depth.value = depth


def _select_drawn() -> None:
    """Select a token among those drawn; a callback."""
    first = Layers.first.value
    if Layers.at.value == UNSAID or not first <= Layers.at.value < first + WINDOW:
        Layers.at.value = first + WINDOW - 1


def take_cell(first: int, count: int, at: int, cell: int) -> None:
    """Select the clicked cell of the ``count`` drawn tokens from ``first`` on; a callback."""
    depth, column = divmod(cell, count)
    Layers.depth.value = depth
    if first + column != at:
        Layers.at.value = first + column
