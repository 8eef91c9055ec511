"""A sentence through an encoder without a mask and with one."""

from dataclasses import dataclass

import streamlit as st
from torch import Tensor

from model.analysis.masking import MaskedRun
from model.transformer import masks
from pages.decoder.mask_spec import MAX_TOKENS, PADDED_MASKS, MaskSpec, unpack_mask
from pages.decoder.url import Masks
from viz import distinct
from web.cache import captures
from web.language import _


@dataclass(frozen=True)
class MaskExperiment:
    """Both runs of a sentence. In the applied mask, (T, T), a query without a key sees itself."""

    model: str
    text: str
    spec: MaskSpec
    requested: Tensor
    applied: Tensor
    n_padding: int
    place: tuple[int, int]
    full: MaskedRun
    masked: MaskedRun

    @classmethod
    def from_session(cls) -> "MaskExperiment":
        """Run the sentence of the session without its mask and with it."""
        model, text = Masks.encoder.value, Masks.text.value
        n_padding = Masks.pads.value if Masks.mask.value in PADDED_MASKS else 0
        full = run_sentence(model, text, n_padding)
        n_tokens = len(full.capture.tokens)
        _reset_drawn_mask_of_another_length(n_tokens)
        spec = MaskSpec(
            Masks.mask.value, Masks.inverted.value, Masks.reach.value, Masks.cells.value
        )
        requested = spec.build(n_tokens, n_padding)
        applied = masks.allow_self_if_empty(requested)
        return cls(
            model=model,
            text=text,
            spec=spec,
            requested=requested,
            applied=applied,
            n_padding=n_padding,
            place=(Masks.layer.value, Masks.head.value),
            full=full,
            masked=run_sentence(model, text, n_padding, applied),
        )

    @property
    def labels(self) -> list[str]:
        """Distinct names of the tokens, padding included."""
        return distinct(self.full.capture.tokens)

    def replaced(self, place: int) -> tuple[MaskedRun, MaskedRun]:
        """Run the sentence with [MASK] at a place, without the mask and with it."""
        sentence = self.model, self.text, self.n_padding
        return run_sentence(*sentence, None, place), run_sentence(*sentence, self.applied, place)


def run_sentence(
    model: str,
    text: str,
    n_padding: int = 0,
    mask: Tensor | None = None,
    replaced: int | None = None,
) -> MaskedRun:
    """Run a sentence under a mask (T, T), with [MASK] at a place; None: everything is allowed."""
    cells = None if mask is None or bool(mask.all()) else mask.numpy().tobytes()
    return captures.masked_run(model, text, MAX_TOKENS, n_padding, cells, replaced)


def _reset_drawn_mask_of_another_length(n_tokens: int) -> None:
    if Masks.mask.value != "drawn" or not Masks.cells.value:
        return
    n_drawn = len(unpack_mask(Masks.cells.value))
    if n_drawn != n_tokens:
        st.warning(
            _(
                "The drawn mask is for {old} tokens, but the sentence now has {new}. All "
                "cells are allowed again."
            ).format(old=n_drawn, new=n_tokens)
        )
        Masks.cells.value = ""
