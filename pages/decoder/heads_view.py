"""All heads of a capture at a glance, and the selected one as a heatmap or as lines."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from model.capture.record import AttentionCapture
from pages.decoder.step_player import selected_head
from pages.decoder.url import Writing
from viz import attention_heatmap, distinct, shortened
from viz.canvas import lines_payload
from viz.figures.heatmap import matrix_height
from viz.style.theme import THEME_PAPER, rgb
from web import components
from web.language import _
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import DrawPapers, heatmap_papers, stem
from web.widgets.figure_sync import sync
from web.widgets.glossary import explain
from web.widgets.head_picker import head_boxes, head_name, layers_without_attention
from web.widgets.overviews import overview


@dataclass(frozen=True)
class HeadsView:
    """A capture to draw, with what differs between Translate and Generate.

    Attributes:
        key: Prefix of the keys of the overview, the heatmap and the lines.
        stack: Name of the attention on screen, such as "Cross-attention".
        axes: Caption below the overview: what its rows and columns are.
    """

    model: str
    capture: AttentionCapture
    of: Writing
    key: str
    stack: str
    text: str
    axes: str

    @property
    def place(self) -> tuple[int, int]:
        """The selected layer and head."""
        return selected_head(self.capture, self.of)

    @property
    def title(self) -> str:
        """Names of the model and of the selected head."""
        return f"{self.model} · {head_name(*self.place)}"

    @property
    def labels(self) -> list[str]:
        """Distinct names of the queries."""
        return distinct(self.capture.tokens)

    @property
    def key_labels(self) -> list[str] | None:
        """Distinct names of the keys; None if they are the same tokens as the queries."""
        return None if self.capture.other_keys is None else distinct(self.capture.key_tokens)

    @property
    def alt(self) -> str:
        """Alternative text of the selected head."""
        weights = self.capture.weights[self.place]  # (Tq, Tk)
        query, key = np.unravel_index(weights.argmax(), weights.shape)
        return _("{what}. The largest weight is {query} to {key}, {weight:.4f}.").format(
            what=f"{self.stack}, {self.title}",
            query=self.labels[query],
            key=(self.key_labels or self.labels)[key],
            weight=float(weights[query, key]),
        )


def head_controls(capture: AttentionCapture, of: Writing, mean_help: str) -> None:
    """Draw the boxes for layer and head, and the switches of the views."""
    n_layers, n_heads = capture.weights.shape[:2]
    head_boxes(n_layers, n_heads, of.layer, of.head, label_visibility="collapsed")
    of.view.draw()
    of.mean.draw(help=mean_help)
    explain()


def draw_heads(view: HeadsView, draw_below: Callable[[str, DrawPapers], None]) -> None:
    """Draw all heads on the left, and the selected one on the right.

    Args:
        draw_below: Draws what is below it; takes the key of the figure, and its figures for a
            paper.
    """
    left, right = st.columns([1, 2])
    with left, present.stage("stack"):
        _overview(view)
    with right:
        if missing := layers_without_attention(view.capture):
            st.caption(missing)
        if view.of.view.value == "lines":
            _lines(view)
            draw_below(f"{view.key}_lines", dict)
        else:
            draw_below(f"{view.key}_heatmap", _heatmap(view))
    sync({"left": view.place, "right": view.place})


def _overview(view: HeadsView) -> None:
    key, (n_layers, n_heads) = f"{view.key}_heads", view.capture.weights.shape[:2]
    overview(
        view.capture.weights,
        view.labels,
        key_labels=view.key_labels,
        allowed=view.capture.allowed[0],
        key=key,
        side="left",
        hue="left",
        model=f"{view.model} · {view.stack}",
        sentence=view.text,
        description=_(
            "{name} of {model}: {layers} layers of {heads} heads. The arrow keys select a head."
        ).format(name=view.stack, model=view.model, layers=n_layers, heads=n_heads),
        on_picked=partial(_select_head, view.of, key),
    )
    st.caption(view.axes)


def _select_head(of: Writing, component: str) -> None:
    """Select the head that was clicked; a callback."""
    cell = st.session_state[component].picked
    of.layer.value = int(cell["layer"])
    of.head.value = int(cell["head"])


def _lines(view: HeadsView) -> None:
    payload = lines_payload(
        view.capture.weights[view.place][None],  # (Tq, Tk) -> (1, Tq, Tk)
        view.labels,
        key_labels=view.key_labels,
        allowed=view.capture.allowed[view.place[0]],
        side="left",
        names=[head_name(*view.place)],
        colours=[rgb("left")],
        description=view.alt,
        masked=_("masked"),
    )
    components.lines(payload, key=f"{view.key}_lines")


def _heatmap(view: HeadsView) -> DrawPapers:
    """Draw the heatmap; return what draws it for a paper."""
    capture = view.capture
    figure = attention_heatmap(
        capture.weights[view.place],
        capture.tokens,
        None if capture.other_keys is None else capture.key_tokens,
        title=view.title,
        subtitle=f"{view.stack} · {shortened(view.text, 40)}",
        side="left",
        allowed=capture.allowed[view.place[0]],
        text_colour=THEME_TEXT,
        paper_colour=THEME_PAPER,
        height=matrix_height(len(capture.tokens)),
        translate=_,
    )
    name = stem(view.model, view.key, head_name(*view.place), view.text.lower())
    chart(figure, f"{view.key}_heatmap", name, view.alt)
    return partial(heatmap_papers, figure, name)
