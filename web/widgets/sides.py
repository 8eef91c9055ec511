"""What one side of a page shows, in a few words, and how to find it again."""

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
from web.widgets.model_name import model_name

SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True)
class Recipe:
    """What one side shows, in a few words: enough to find or compute it again.

    Callbacks and downloads outlive the run that made them, once per open page. They keep this
    rather than the capture, which the shared cache must be free to let go.
    """

    side: Side
    model: str
    text: str
    text_pair: str | None
    merge_words: bool
    special: str
    change: Intervention | None = None

    @classmethod
    def of_session(cls, side: Side, model: str) -> "Recipe":
        """The session's sentence through a model, as its display options ask for.

        A decoder reads the first of two sentences: it was never shown pairs.
        """
        state = st.session_state
        reads_pairs = loaded_models.loaded_model(model).stack != "decoder"
        pair = state["pair"] if reads_pairs and state["pair"].strip() else None
        return cls(side, model, state["text"], pair, state["words"], state["special"])

    def show(self) -> "Shown":
        """Find the capture, or compute it anew: once a run, however often it is asked for."""
        shown: Shown = once_per_run((Recipe.show, self), self._shown)
        return shown

    def _shown(self) -> "Shown":
        if self.change is None or self.change == Intervention(how=self.change.how):
            capture = captures.capture(self.model, self.text, self.text_pair)
        else:
            capture = self.outcome().capture
        hidden = self.special != "show"
        return Shown(
            self,
            capture,
            units(capture, merge_words=self.merge_words, hide_special=hidden),
        )

    def begin(self) -> None:
        """Have the capture made while this run does other things; :meth:`show` finds it."""
        captures.prefetch(self.model, self.text, self.text_pair)

    def captured(self) -> AttentionCapture:
        """The capture alone."""
        return self.show().capture

    def outcome(self) -> Outcome:
        """Find the whole run: besides the capture, hidden states and predictions."""
        change = self.change or Intervention()
        if not change.off:  # with no head off, how one is switched off makes no second run
            change = replace(change, how=Intervention.how)
        return captures.intervention_outcome(self.model, self.text, self.text_pair, change)


@dataclass(frozen=True)
class Shown:
    """A capture as one side shows it, for the length of one run.

    Attributes:
        recipe: How to find it again.
        capture: The model's capture of the sentence, shared with everybody.
        units: Rows and columns: tokens or words, specials among them or not.
    """

    recipe: Recipe
    capture: AttentionCapture
    units: tuple[Unit, ...]

    @property
    def side(self) -> Side:
        """Left or right."""
        return self.recipe.side

    @property
    def name(self) -> str:
        """What its model is called on screen."""
        return model_name(self.recipe.model)

    @cached_property
    def labels(self) -> list[str]:
        """Distinct names of the units."""
        return distinct([unit.label for unit in self.units])

    def token_weights(self, of: np.ndarray) -> np.ndarray:
        """Weights (..., T, T) between tokens as weights (..., U, U) between units."""
        return unit_weights(of, self.units, renormalise=self.recipe.special == "renormalise")

    def allowed(self) -> np.ndarray | None:
        """What the model's masks allow between units.

        Returns:
            Boolean (L, U, U), or (1, U, U) if all layers share one; None if nothing is hidden.
        """
        return unit_allowed(self.capture.allowed, self.units)

    def allowed_in(self, layer: int) -> np.ndarray | None:
        """What a layer's mask allows between units, boolean (U, U); None if nothing is hidden."""
        masks = unit_allowed(self.capture.allowed[layer : layer + 1], self.units)
        return None if masks is None else masks[0]
