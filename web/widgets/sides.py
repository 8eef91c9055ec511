"""One side of a page: the request for a capture, and the capture with its display units."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from model import AttentionCapture
from model.analysis.intervention import Intervention, Outcome
from model.analysis.units import Unit, unit_allowed, unit_weights, units
from viz import Side, distinct
from web.cache import captures, loaded_models
from web.cache.shared_cache import once_per_run
from web.inference.operations import array_turn
from web.widgets.model_name import model_name

SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True)
class SideRequest:
    """Model, sentence and display options of one side.

    Callbacks and downloads stay in memory after the run, for every open page. They hold this
    small record and not the capture, so that the shared cache can evict the capture.
    """

    side: Side
    model: str
    text: str
    text_pair: str | None
    merge_words: bool
    special: str
    change: Intervention | None = None

    @classmethod
    def from_session(cls, side: Side, model: str) -> "SideRequest":
        """Return the request for the session's sentence, model and display options.

        A decoder gets only the first of two sentences: it was not trained on pairs.
        """
        state = st.session_state
        reads_pairs = loaded_models.loaded_model(model).stack != "decoder"
        pair = state["pair"] if reads_pairs and state["pair"].strip() else None
        return cls(side, model, state["text"], pair, state["words"], state["special"])

    def view(self) -> "SideView":
        """Return the capture from the cache, or compute it; once per script run."""
        view: SideView = once_per_run((SideRequest.view, self), self._view)
        return view

    def _view(self) -> "SideView":
        if self.change is None or self.change == Intervention(how=self.change.how):
            capture = captures.capture(self.model, self.text, self.text_pair)
        else:
            capture = self.outcome().capture
        hidden = self.special != "show"
        return SideView(
            self,
            capture,
            units(capture, merge_words=self.merge_words, hide_special=hidden),
        )

    def prefetch(self) -> None:
        """Start the capture in the background; :meth:`view` waits for it."""
        captures.prefetch(self.model, self.text, self.text_pair)

    def captured(self) -> AttentionCapture:
        """Return the capture."""
        return self.view().capture

    def outcome(self) -> Outcome:
        """Return the run with its capture, hidden states and predictions."""
        change = self.change or Intervention()
        if not change.off:  # no head is off, so the way to switch one off has no effect
            change = replace(change, how=Intervention.how)
        return captures.intervention_outcome(self.model, self.text, self.text_pair, change)


@dataclass(frozen=True)
class SideView:
    """The capture that one side shows during one script run."""

    request: SideRequest
    capture: AttentionCapture
    units: tuple[Unit, ...]

    @property
    def side(self) -> Side:
        """Left or right."""
        return self.request.side

    @property
    def name(self) -> str:
        """Name of the model on screen."""
        return model_name(self.request.model)

    @cached_property
    def labels(self) -> list[str]:
        """Distinct names of the units."""
        return distinct(self._names)

    @property
    def _names(self) -> list[str]:
        return [unit.label for unit in self.units]

    @cached_property
    def drawn(self) -> AttentionCapture:
        """The capture with the sink as a key, if the model has sinks; otherwise the capture."""
        return self.capture.with_sink_key()

    @property
    def key_labels(self) -> list[str] | None:
        """Distinct names of the keys of :attr:`drawn`; None if they are the units."""
        return None if self.key_names is None else distinct(self.key_names)

    @property
    def key_names(self) -> list[str] | None:
        """The same, not distinct."""
        return None if self.capture.sink is None else [*self._names, "sink"]

    def token_weights(self, weights: np.ndarray) -> np.ndarray:
        """Convert weights (..., T, T) between tokens to weights (..., U, U) between units."""
        renormalise = self.request.special == "renormalise"
        unchanged = len(self.units) == weights.shape[-1] and not renormalise
        with array_turn(0 if unchanged else weights.size):
            return unit_weights(weights, self.units, renormalise=renormalise)

    def allowed(self) -> np.ndarray | None:
        """Return which pairs of units the model's masks allow.

        Returns:
            Boolean (L, U, U), or (1, U, U) if all layers share one; None if nothing is hidden. With
            a sink, the last of U + 1 columns.
        """
        return unit_allowed(self.drawn.allowed, self.units)

    def allowed_in(self, layer: int) -> np.ndarray | None:
        """Return one layer of :meth:`allowed`; None if its mask hides nothing."""
        masks = unit_allowed(self.drawn.allowed[layer : layer + 1], self.units)
        return None if masks is None else masks[0]
