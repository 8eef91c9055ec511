"""The calculation of a whole layer of a model on a text, for one token."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model import AttentionCapture
from model.calculator import Settings
from model.calculator.layer_matrices import layer_matrices
from pages.calculator.calculate import Calculated
from pages.calculator.layer_run import LayerRun, layer_run, sizes
from pages.calculator.notebook import layer_script
from pages.calculator.request import StackRequest
from pages.calculator.selection import Selection
from viz.cards.layer_builder import LayerShape
from viz.cards.layer_window import LayerNames, LayerWindow
from viz.cards.matrices import Names
from viz.cards.whole_layer import layer_steps
from web.language import _
from web.widgets.head_picker import chosen_head, head_name
from web.widgets.tables import cells

WINDOWS = ("layer_token", "layer_dim", "layer_part", "layer_unit", "first")
"""Session keys of the followed token, and of the start of each window."""


@dataclass(frozen=True)
class LayerCalculation:
    """A layer of a model on a text, and a token to follow; small enough for callbacks.

    Attributes:
        request: The model, the stack and the text.
        layer: The layer, from 0.
        head: The head to follow, from 0.
        token: The token to follow, from 0.
        dim: First dimension of vectors of length d_model to draw.
        part: First dimension of the head's vectors to draw.
        unit: First hidden unit to draw.
        first: First key to draw.
    """

    request: StackRequest
    layer: int
    head: int
    token: int
    dim: int
    part: int
    unit: int
    first: int

    @classmethod
    def of_session(cls, request: StackRequest) -> "LayerCalculation":
        """The layer, head, token and windows that the session has chosen, within their limits.

        Args:
            request: The model, the stack and the text.

        Raises:
            HeadlightError: As :func:`layer_run`.
        """
        state = st.session_state
        layer, head = chosen_head(*sizes(request))
        token, *windows = (state[key] for key in WINDOWS)
        last = len(layer_run(request, layer).tokens) - 1
        return cls(request, layer, head, min(token, last), *windows)

    def run(self) -> LayerRun:
        """The computed layer, from the cache."""
        return layer_run(self.request, self.layer)

    def names(self) -> Names:
        """The names of the query tokens and the key tokens."""
        run = self.run()
        return Names(run.tokens, run.sources or run.tokens)

    def window(self) -> LayerWindow:
        """The part to draw; of a source, the token to which the followed token attends most."""
        run, source = self.run(), 0
        for sublayer in run.whole.sublayers:
            if sublayer.part == "cross":
                source = int(self.matrices()["cross_weights"][self.token].argmax())
        d_head = run.whole.x.shape[1] // run.whole.n_heads
        starts = (self.dim, self.part, self.unit, self.first)
        return LayerWindow(self.token, source, self.head, d_head, *starts)

    def initial_selection(self, wanted: Selection) -> Selection:
        """The wanted selection; without one, the drawn key with the largest weight."""
        if wanted.family in ("X", "") and wanted != Selection():
            return wanted
        if wanted.family.partition("_")[0] in ("self", "cross", "ffn"):
            return wanted
        weights = self.matrices()["self_weights"][self.token]
        start, stop = self.window().span("key", len(weights))
        return Selection("", "self_pair", 0, int(weights[start:stop].argmax()))

    def show(self, wanted: Settings, decimals: int) -> Calculated:
        """The cards. A whole layer has no settings, so the arguments have no effect."""
        run = self.run()
        whole = run.whole
        steps = layer_steps(
            self.matrices(),
            LayerShape(tuple(s.part for s in whole.sublayers), whole.pre_norm, whole.n_heads),
            LayerNames(run.tokens, run.sources),
            self.window(),
            run.errors,
            whole.sublayers[0].norm.eps,
            _,
        )
        return Calculated(steps, None)

    def matrices(self) -> dict[str, np.ndarray]:
        """All matrices of the layer for all tokens, by name."""
        return layer_matrices(self.run().whole, self.head)

    def csv(self, name: str) -> bytes:
        """A whole matrix as CSV, with names or numbers on both axes.

        Args:
            name: Of :meth:`matrices`.
        """
        matrix, names = self.matrices()[name], self.names()
        rows = names.queries if len(matrix) == len(names.queries) else range(len(matrix))
        keys = name.endswith(("scores", "exponentials", "weights", "allowed"))
        columns = names.keys if keys else range(matrix.shape[1])
        table = pd.DataFrame(matrix, index=list(rows), columns=list(columns))
        return cells(table).to_csv().encode()

    def script(self, wanted: Settings) -> str:
        """Python code that computes the same through the public interface."""
        return layer_script(self.request, self.layer, self.head, self.token)

    def captures(self) -> list[AttentionCapture]:
        """The capture of the stack."""
        return [self.request.captured()]

    def title(self) -> str:
        """The model, the stack, the layer and the head."""
        stack = {"source": _("encoder"), "decoder": _("decoder")}.get(self.request.stack)
        model = " · ".join(filter(None, (self.request.model, stack)))
        name = f"{model} · {head_name(self.layer, self.head)}"
        return _("A whole layer in numbers: {head}").format(head=name)

    def subtitle(self) -> str:
        """The text and the followed token."""
        token = self.run().tokens[self.token]
        return _("{sentence} Token: {token}.").format(sentence=self.request.in_words(), token=token)
