"""What one side of a page looks at: a model, a text, and how its tokens are shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from model import AttentionCapture, HeadlightError
from model.analysis.align import align
from model.analysis.intervention import Intervention, InterventionRun
from model.analysis.units import Unit, counterparts, unit_allowed, unit_weights, units
from model.catalogue.translation import Translation
from viz import Side, distinct
from web.cache import captures, generated_texts, loaded_models, uploaded_captures
from web.cache.generated_texts import Forced
from web.cache.shared_cache import once_per_run
from web.capture_part import hue_of
from web.inference.operations import array_turn
from web.model_name import model_name
from web.translators import length_limit

SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True)
class Subject:
    """Model, texts and display options of one side.

    Callbacks and downloads outlive the run. They keep this small record and not the capture, which
    the shared cache can then evict.

    Attributes:
        special: Special tokens: ``show``, ``hide``, or ``renormalise`` the rows without them.
        change: What is switched off in the forward pass; None for nothing.
        stack: ``encoder`` of a model that reads; of a translator ``source``, its encoder,
            ``decoder`` or ``cross``.
        forced: Tokens that the translator must write, by step.
    """

    side: Side
    model: str
    text: str
    text_pair: str | None = None
    merge_words: bool = False
    special: str = "show"
    change: Intervention | None = None
    stack: str = "encoder"
    forced: Forced = ()

    @classmethod
    def from_session(
        cls, side: Side, model: str, view: Mapping[str, Any] | None = None
    ) -> "Subject":
        """Return the subject of the session's sentence, or of a linked view's, in a model.

        A decoder gets only the first of two sentences. A file has a text of its own, and shows all
        tokens unless it says which ones are special.
        """
        state = st.session_state if view is None else view
        if uploaded_captures.is_file(model):
            held = uploaded_captures.capture(model)
            special = state["special"] if held.special.size else "show"
            return cls(side, model, held.text, held.text_pair, state["words"], special)
        reads_pairs = loaded_models.loaded_model(model).stack != "decoder"
        pair = state["pair"] if reads_pairs and state["pair"].strip() else None
        return cls(side, model, state["text"], pair, state["words"], state["special"])

    @property
    def name(self) -> str:
        """Name of the model on screen."""
        return model_name(self.model)

    @property
    def hue(self) -> Side:
        """Whose colour it has on every page, whichever side it is on."""
        return hue_of(self.model)

    @property
    def sentence(self) -> str:
        """The text, or both sentences of a pair."""
        return " | ".join(filter(None, (self.text, self.text_pair)))

    # -- the capture, from the cache -------------------------------------------------------------

    def capture(self) -> AttentionCapture:
        """Return the capture, computed in the queue unless it is cached."""
        if self.stack != "encoder":
            name = "encoder" if self.stack == "source" else self.stack
            return getattr(self.translation(), name)
        if self.change is None or self.change == Intervention(how=self.change.how):
            return captures.capture(self.model, self.text, self.text_pair)
        return self.outcome().capture

    def translation(self) -> Translation:
        """Return the greedy translation, with the forced tokens."""
        options = length_limit(self.model)
        return generated_texts.translation(self.model, self.text, self.forced, **options)

    def outcome(self) -> InterventionRun:
        """Return the run with its capture, hidden states and predictions."""
        change = self.change or Intervention()
        if not change.off:  # no head is off, so the way to switch one off has no effect
            change = replace(change, how=Intervention.how)
        return captures.intervention_outcome(self.model, self.text, self.text_pair, change)

    def with_hidden(self, at: int) -> "Subject | None":
        """Return this subject with a mask in place of a token, which a model mostly copies.

        None if the model has no mask, or the text has one, or its tokens would be other ones.
        """
        model, capture = loaded_models.loaded_model(self.model), self.capture()
        mask, (start, end) = model.tokenizer.token_to_id(model.mask_token), capture.offsets[at]
        if mask is None or mask in capture.token_ids or capture.segment_ids[at] or start == end:
            return None
        masked = replace(self, text=f"{self.text[:start]}{model.mask_token}{self.text[end:]}")
        ids = list(capture.token_ids)
        ids[at] = mask
        return masked if list(masked.capture().token_ids) == ids else None

    @property
    def drawn(self) -> AttentionCapture:
        """The capture with the sink as a key, if the model has sinks; otherwise the capture."""
        return self._shown[0]

    # -- units -----------------------------------------------------------------------------------

    @property
    def units(self) -> tuple[Unit, ...]:
        """Tokens or words as they are shown, without hidden ones; U in the shapes below."""
        return self._shown[1]

    @property
    def labels(self) -> list[str]:
        """Distinct names of the units."""
        return self._shown[2]

    @property
    def rests(self) -> list[bool]:
        """Units where many heads rest: special tokens, and the first token of a decoder."""
        is_decoder = self.capture().stack == "decoder"
        return [unit.special or (is_decoder and 0 in unit.positions) for unit in self.units]

    def counterparts(self, chosen: Iterable[int], other: "Subject") -> tuple[int, ...]:
        """Find the same text on another side, for a file equal units: their indices for ours."""
        if not any(uploaded_captures.is_file(side.model) for side in (self, other)):
            return counterparts(chosen, self.units, other.units)
        try:
            pairs = dict(align(self.units, other.units).pairs)
        except HeadlightError:  # no word in common
            return ()
        return tuple(pairs[i] for i in chosen if i in pairs)

    def between_units(self, weights: np.ndarray) -> np.ndarray:
        """Convert weights (..., T, T) between tokens to weights (..., U, U) between units."""
        renormalise = self.special == "renormalise"
        unchanged = len(self.units) == weights.shape[-1] and not renormalise
        with array_turn(0 if unchanged else weights.size):
            return unit_weights(weights, self.units, renormalise=renormalise)

    def all_weights(self) -> np.ndarray:
        """Return the weights of all heads, (L, H, U, U); with a sink (L, H, U, U + 1)."""
        return self.between_units(self.drawn.weights)

    def weights(self, layer: int, head: int) -> np.ndarray:
        """Return the weights of one head, (U, U); with a sink (U, U + 1)."""
        return self.between_units(self.drawn.weights[layer, head])

    def allowed(self) -> np.ndarray | None:
        """Return which pairs of units the model's masks allow; None if nothing is hidden.

        Boolean (L, U, U), or (1, U, U) if all layers share one; with a sink, U + 1 columns.
        """
        return unit_allowed(self.drawn.allowed, self.units)

    def allowed_in(self, layer: int) -> np.ndarray | None:
        """Return one layer of :meth:`allowed`; None if its mask hides nothing."""
        masks = unit_allowed(self.drawn.allowed[layer : layer + 1], self.units)
        return None if masks is None else masks[0]

    @property
    def _shown(self) -> tuple[AttentionCapture, tuple[Unit, ...], list[str]]:
        """The capture, its units and their labels, converted once in a script run."""

        def convert() -> tuple[AttentionCapture, tuple[Unit, ...], list[str]]:
            capture = self.capture()
            hidden = self.special != "show"
            shown = units(capture, merge_words=self.merge_words, hide_special=hidden)
            return capture.with_sink_key(), shown, distinct([unit.label for unit in shown])

        return once_per_run((Subject, self), convert)
