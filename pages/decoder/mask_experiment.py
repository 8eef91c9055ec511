"""A sentence through an encoder without a mask and with one."""

import streamlit as st
from torch import Tensor

from model.analysis.masking import MaskedRun
from model.transformer import masks
from pages.decoder.mask_spec import MAX_TOKENS, PADDED_MASKS, MaskSpec, unpack_mask
from pages.decoder.url import Masks
from viz import distinct
from web.cache import captures
from web.language import _


class MaskExperiment:
    """Both runs of the session's sentence.

    Attributes:
        requested: The mask, (T, T), True where allowed.
        applied: The same; a query without a key sees itself.
        place: Layer and head.
    """

    def __init__(self) -> None:
        self.model, self.text = Masks.encoder.value, Masks.text.value
        self.place = (Masks.layer.value, Masks.head.value)
        self.n_padding = Masks.pads.value if Masks.mask.value in PADDED_MASKS else 0
        self.full = run_sentence(self.model, self.text, self.n_padding)
        n_tokens = len(self.full.capture.tokens)
        _reset_drawn_mask_of_another_length(n_tokens)
        self.spec = MaskSpec(
            Masks.mask.value, Masks.inverted.value, Masks.reach.value, Masks.cells.value
        )
        self.requested = self.spec.build(n_tokens, self.n_padding)
        self.applied = masks.allow_self_if_empty(self.requested)
        self.masked = run_sentence(self.model, self.text, self.n_padding, self.applied)

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
