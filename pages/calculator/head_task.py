"""A real head on the reader's sentence: what is to be calculated, and where to look first."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import AttentionCapture
from model.calculator import Calculation, Settings
from model.calculator.real_head import from_head, strongest_link
from model.calculator.script import head_script
from pages.calculator.look import Look
from pages.calculator.work import Worked, work_out
from pages.shared import cache
from pages.shared.head_picker import head_name
from pages.shared.language import _
from viz import distinct
from viz.cards.matrices import Names, Window

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

    def look(self, wanted: Look) -> Look:
        """Where to look first: the strongest link between two words that are drawn."""
        if wanted != Look():
            return wanted
        capture = self._capture()
        start, stop = self.window().along("query", len(capture.tokens))
        drawn = self.weights()[start:stop, start:stop]
        row, column = strongest_link(drawn, ~capture.special[start:stop])
        return Look("", "pair", row, column + start)  # of the queries only the drawn ones are sent

    def show(self, wanted: Settings, mistake: str = "none") -> Worked:
        """Work the head out from its true q, k and v."""
        return work_out(self._work, wanted, self.names(), self.window(), mistake=mistake)

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
        arrays = steps.q, steps.k, steps.v, steps.allowed
        return from_head(*arrays, wanted, scale=steps.scale, bias=steps.bias)

    def _capture(self) -> AttentionCapture:
        return cache.capture(self.model, self.text, self.text_pair)
