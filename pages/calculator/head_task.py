"""A real head on the reader's text: what is to be calculated, and where to look first."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import AttentionCapture
from model.analysis.units import units
from model.calculator import Calculation, Settings
from model.calculator.real_head import from_head, strongest_link
from model.calculator.script import head_script
from model.capture.tokens import Keys
from pages.calculator.asked import Asked
from pages.calculator.look import Look
from pages.calculator.work import Worked, work_out
from pages.shared.head_picker import chosen_head, head_name
from pages.shared.language import _
from pages.shared.model_name import model_name
from pages.shared.translators import limit, seen
from viz import distinct
from viz.cards.matrices import Names, Window

WINDOW = 16
"""Tokens that are drawn at once: more columns fit on no screen."""

DIMS = 4
"""Dimensions of q, k and v that are drawn; all take part."""


@dataclass(frozen=True)
class Head:
    """Which head of what is looked at: enough to find it again."""

    asked: Asked
    layer: int
    head: int
    first: int

    @classmethod
    def of_session(cls, asked: Asked) -> "Head":
        """The session's head, inside what there is.

        Raises:
            HeadlightError: As :meth:`Asked.captured` does.
        """
        capture = asked.captured()
        layer, head = chosen_head(capture.n_layers, capture.n_heads)
        return cls(asked, layer, head, st.session_state["first"])

    def names(self) -> Names:
        """The tokens that attend, and those attended to."""
        capture = self.asked.captured()
        return Names(_names(capture), _names(capture.keys))

    def window(self) -> Window:
        """The tokens and dimensions that are drawn."""
        return Window(self.first, WINDOW, DIMS)

    def weights(self) -> np.ndarray:
        """As captured, (Tq, Tk)."""
        return self.asked.captured().weights[self.layer, self.head]

    def look(self, wanted: Look) -> Look:
        """Where to look first: the strongest link between two words that are drawn."""
        if wanted != Look():
            return wanted
        capture, window = self.asked.captured(), self.window()
        rows = slice(*window.along("query", len(capture.tokens)))
        columns = slice(*window.along("key", len(capture.key_tokens)))
        drawn = self.weights()[rows, columns]
        words = ~capture.special[rows], ~capture.keys.special[columns]
        row, column = strongest_link(drawn, *words)
        # Of the queries only the drawn ones are sent.
        return Look("", "pair", row, column + columns.start)

    def show(self, wanted: Settings, mistake: str = "none") -> Worked:
        """Work the head out from its true q, k and v."""
        return work_out(self._work, wanted, self.names(), self.window(), mistake=mistake)

    def script(self, wanted: Settings) -> str:
        """Through the public interface."""
        asked = self.asked
        head = (asked.model, asked.text, asked.text_pair, self.layer, self.head)
        most = None if asked.stack == "encoder" else limit(asked.model).get("max_new_tokens")
        return head_script(*head, wanted, stack=asked.stack, forced=asked.forced, most=most)

    def title(self) -> str:
        """Which head of which stack of which model."""
        stacks = {
            "source": _("encoder"),
            "decoder": _("decoder"),
            "cross": _("cross-attention"),
        }
        name = (model_name(self.asked.model), stacks.get(self.asked.stack))
        head = " · ".join(filter(None, (*name, head_name(self.layer, self.head))))
        return _("Attention of {head}, step by step").format(head=head)

    def subtitle(self) -> str:
        """What was read."""
        return self.asked.in_words()

    def _work(self, wanted: Settings) -> Calculation:
        steps = self.asked.captured().head(self.layer, self.head)
        arrays = steps.q, steps.k, steps.v, steps.allowed
        return from_head(*arrays, wanted, scale=steps.scale, bias=steps.bias)


def _names(tokens: AttentionCapture | Keys) -> tuple[str, ...]:
    return tuple(distinct([seen(unit.label) for unit in units(tokens)]))
