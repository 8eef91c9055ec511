"""A whole layer on the reader's sentence: which one, of which token, and what of it is drawn."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.calculator import Settings
from model.calculator.layer_matrices import layer_matrices
from model.calculator.script import layer_script
from pages.calculator.asked import Asked
from pages.calculator.look import Look
from pages.calculator.whole_layer_run import LayerRun, layer_run, sizes
from pages.calculator.work import Worked
from pages.shared.head_picker import chosen_head, head_name
from pages.shared.language import _
from pages.shared.tables import cells
from viz.cards.layer_way import LayerShape
from viz.cards.layer_window import LayerNames, LayerWindow
from viz.cards.matrices import Names
from viz.cards.whole_layer import layer_steps

WINDOWS = ("layer_token", "layer_dim", "layer_part", "layer_unit", "first")
"""The session's keys of the token that is followed, and of where windows begin."""


@dataclass(frozen=True)
class Layer:
    """Which layer of which model on which sentence, and which token: enough to find it again."""

    asked: Asked
    layer: int
    head: int
    token: int
    dim: int
    part: int
    unit: int
    first: int

    @classmethod
    def of_session(cls, asked: Asked) -> "Layer":
        """The session's layer, head, token and windows, inside what there is.

        Raises:
            HeadlightError: As :func:`layer_run` does.
        """
        state = st.session_state
        layer, head = chosen_head(*sizes(asked))
        token, *windows = (state[key] for key in WINDOWS)
        last = len(layer_run(asked, layer).tokens) - 1
        return cls(asked, layer, head, min(token, last), *windows)

    def run(self) -> LayerRun:
        """The layer, worked out."""
        return layer_run(self.asked, self.layer)

    def names(self) -> Names:
        """The tokens, on both axes."""
        run = self.run()
        return Names(run.tokens, run.sources or run.tokens)

    def window(self) -> LayerWindow:
        """What is drawn; of a source, the token to which the followed one attends most."""
        run, source = self.run(), 0
        for sublayer in run.whole.sublayers:
            if sublayer.part == "cross":
                source = int(self.matrices()["cross_weights"][self.token].argmax())
        d_head = run.whole.x.shape[1] // run.whole.n_heads
        starts = (self.dim, self.part, self.unit, self.first)
        return LayerWindow(self.token, source, self.head, d_head, *starts)

    def look(self, wanted: Look) -> Look:
        """Where to look first: the key to which the token attends most, among those drawn."""
        if wanted.family in ("X", "") and wanted != Look():
            return wanted
        if wanted.family.partition("_")[0] in ("self", "cross", "ffn"):
            return wanted
        weights = self.matrices()["self_weights"][self.token]
        start, stop = self.window().span("key", len(weights))
        return Look("", "self_pair", 0, int(weights[start:stop].argmax()))

    def show(self, wanted: Settings) -> Worked:
        """The cards; a layer is shown as it is, so the settings change nothing."""
        run = self.run()
        whole = run.whole
        steps = layer_steps(
            self.matrices(),
            LayerShape(tuple(s.part for s in whole.sublayers), whole.pre_norm, whole.n_heads),
            LayerNames(run.tokens, run.sources),
            self.window(),
            run.off,
            whole.sublayers[0].norm.eps,
            _,
        )
        return Worked(steps, None)

    def matrices(self) -> dict[str, np.ndarray]:
        """All that the layer works out, of all tokens, by name."""
        return layer_matrices(self.run().whole, self.head)

    def csv(self, name: str) -> bytes:
        """One matrix as CSV, whole: tokens or dimensions down, dimensions or keys across."""
        matrix, names = self.matrices()[name], self.names()
        rows = names.queries if len(matrix) == len(names.queries) else range(len(matrix))
        keys = name.endswith(("scores", "exponentials", "weights", "allowed"))
        columns = names.keys if keys else range(matrix.shape[1])
        table = pd.DataFrame(matrix, index=list(rows), columns=list(columns))
        return cells(table).to_csv().encode()

    def script(self, wanted: Settings) -> str:
        """Through the public interface."""
        asked, place = self.asked, (self.layer, self.head, self.token)
        given = asked.model, asked.stack, asked.text, asked.text_pair
        return layer_script(*given, place, asked.forced)

    def title(self) -> str:
        """Which layer of which model."""
        stack = {"source": _("encoder"), "decoder": _("decoder")}.get(self.asked.stack)
        model = " · ".join(filter(None, (self.asked.model, stack)))
        name = f"{model} · {head_name(self.layer, self.head)}"
        return _("A whole layer, number by number: {head}").format(head=name)

    def subtitle(self) -> str:
        """The sentence, and the token that is followed."""
        token = self.run().tokens[self.token]
        return _("{sentence} The token that is followed: {token}.").format(
            sentence=self.asked.in_words(), token=token
        )
