"""A real head on the reader's sentence: its true q, k and v, and all that follows from them."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from model import AttentionCapture, model_info
from model.calculator import Calculation, Settings, from_qkv
from model.calculator.script import head_script
from pages.calculator.address import PARAMETERS, settings
from pages.calculator.cards import draw_steps, keep_link
from pages.calculator.controls import choose_settings
from pages.calculator.take_away import remember, show_working, take_away
from pages.calculator.work import Shown, work_out
from pages.shared import cache, sentence
from pages.shared.head_picker import head_boxes, head_name
from pages.shared.language import _
from pages.shared.model_picker import pick_model
from viz import distinct
from viz.cards.steps import Names, Window

WINDOW = 16
"""Tokens that are drawn at once: more columns fit on no screen."""

DIMS = 4
"""Dimensions of q, k and v that are drawn; all take part."""


@dataclass(frozen=True)
class Head:
    """Which head of which model on which sentence: enough to find it again."""

    model: str
    text: str
    text_pair: str | None
    layer: int
    head: int
    first: int

    @classmethod
    def of_session(cls, model: str) -> "Head":
        """The session's sentence and head, in a model that is loaded."""
        state, loaded = st.session_state, cache.loaded_model(model)
        return cls(
            model,
            state["text"],
            state["pair"] if state["pair"].strip() else None,
            min(state["layer"], loaded.n_layers - 1),
            min(state["head"], loaded.n_heads - 1),
            state["first"],
        )

    def names(self) -> Names:
        """The tokens, on both axes."""
        tokens = tuple(distinct(self._capture().tokens))
        return Names(tokens, tokens)

    def window(self) -> Window:
        """The tokens and dimensions that are drawn."""
        return Window(self.first, WINDOW, DIMS)

    def weights(self) -> np.ndarray:
        """As captured, (T, T)."""
        return self._capture().weights[self.layer, self.head]

    def view(self, look: str) -> str:
        """Where to look first: the strongest link between two words that are drawn."""
        if look != PARAMETERS["look"].default:
            return look
        start, stop = self.window().along("query", len(self._capture().tokens))
        words = ~self._capture().special[start:stop]
        links = self.weights()[start:stop, start:stop] * words * words[:, None]
        row, column = np.unravel_index(links.argmax(), links.shape)
        return f"|pair.{row}.{column + start}"

    def show(self, wanted: Settings, slip: str = "none") -> Shown:
        """Work the head out from its true q, k and v."""
        return work_out(self._work, wanted, self.names(), self.window(), slip=slip)

    def script(self, wanted: Settings) -> str:
        """Through the public interface."""
        head = (self.model, self.text, self.text_pair, self.layer, self.head)
        return head_script(*head, wanted)

    def title(self) -> str:
        """Which head of which model."""
        name = f"{self.model} · {head_name(self.layer, self.head)}"
        return _("Attention of {head}, step by step").format(head=name)

    def subtitle(self) -> str:
        """The sentence."""
        return " | ".join(filter(None, (self.text, self.text_pair)))

    def _work(self, wanted: Settings) -> Calculation:
        steps = self._capture().head(self.layer, self.head)
        q, k, v = (torch.tensor(x).double() for x in (steps.q, steps.k, steps.v))  # (T, K)
        own = None if steps.allowed is None else torch.tensor(steps.allowed)
        return from_qkv(q, k, v, wanted, own)

    def _capture(self) -> AttentionCapture:
        return cache.capture(self.model, self.text, self.text_pair)


def draw() -> None:
    """Draw sentence, model, settings, and the head's calculation."""
    ready = sentence.ask()
    model = pick_model(PARAMETERS["left"].key, _("Model"))
    if not ready:
        return
    choose_settings()
    _steps(model.name)
    take_away("headlight_head")


@st.fragment(key="calculation")
def _steps(name: str) -> None:
    """The choice of the head and its steps: a fragment, so that nothing else is repainted."""
    model = cache.loaded_model(name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head_boxes("", model.n_layers, model.n_heads, _("Layer"), _("Head"))
        _choose_window(len(Head.of_session(name).names().keys))
    head, wanted = Head.of_session(name), settings()
    remember(head)
    shown = head.show(wanted, st.session_state["mistake"])
    _compare(head, shown, wanted)
    draw_steps(
        shown,
        head.names(),
        key="steps",
        side="left" if model_info(name).from_scratch else "right",
        view=head.view(st.session_state["look"]),
    )
    show_working("qkv")
    keep_link()


def _choose_window(n_tokens: int) -> None:
    """Draw the choice of the tokens that are drawn, where not all of them are."""
    last = max(n_tokens - WINDOW, 0)
    st.session_state["first"] = min(st.session_state["first"], last)
    if last:
        st.slider(
            _("First token drawn ({shown} of {count} fit; all of them take part)").format(
                shown=WINDOW, count=n_tokens
            ),
            min_value=0,
            max_value=last,
            key="first",
            persist_state="session",
        )


def _compare(head: Head, shown: Shown, wanted: Settings) -> None:
    """Say how far the steps are from what the model itself computed."""
    if shown.calculation is None:
        return
    off = np.abs(shown.calculation.steps.weights[0].numpy() - head.weights()).max()
    if wanted == Settings():
        st.caption(
            _(
                "Worked out anew in 64 bits from the head's own q, k and v: no weight differs by "
                "more than {off:.1g} from what the model computed in 32."
            ).format(off=off)
        )
    else:
        st.caption(
            _(
                ":material/edit: Changed by your settings: the model itself divides by √d_k and "
                "has no such mask. Weights differ by up to {off:.4f} from its own."
            ).format(off=off)
        )
