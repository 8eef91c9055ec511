"""What the picture shows: a model with its parts, and its captures of a text."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import streamlit as st

from model import AttentionCapture, HeadlightError
from model.analysis.anatomy import Anatomy, StackSizes
from model.analysis.layer_vectors import LayerVectors
from model.analysis.logit_lens import LogitLens
from model.calculator.real_head import strongest_link
from model.capture.residual_stream import ResidualStream, to_stream
from model.capture.sites import Stack
from model.catalogue.translation import Translation
from pages.picture.url import (
    PLACEHOLDERS,
    UNSAID,
    Reader,
    Translator,
    current_view,
    page_link,
    view_link,
)
from viz import distinct
from viz.picture import Box
from web.cache import captures, loaded_models
from web.subject import Subject
from web.view_state.address import Parameters
from web.view_state.field import write_text
from web.view_state.parameters import DEFAULT_TEXT


@dataclass(frozen=True)
class PictureView:
    """A subject with the parts of its model, and the selection of the page."""

    subject: Subject
    parts: Anatomy
    known: Parameters
    translation: Translation | None = None

    @property
    def model(self) -> str:
        """The model's name in the catalogue, or its path."""
        return self.subject.model

    @cached_property
    def captures(self) -> Mapping[Stack, AttentionCapture]:
        """The captures of the model's stacks, in the order of the forward pass."""
        if self.translation is not None:
            found = self.translation
            return {"encoder": found.encoder, "decoder": found.decoder, "cross": found.cross}
        capture = self.subject.capture()
        return {capture.stack: capture}

    @property
    def _key(self) -> tuple[str, str, str | None]:
        return self.model, self.subject.text, self.subject.text_pair

    def lengths(self, name: str) -> np.ndarray | None:
        """Lengths of a vector of the selected token, (L,); None for models without a stream."""
        if self._stream is None:
            return None
        values: np.ndarray = getattr(self._stream, name)[:, 0]  # (L, 1) -> (L,)
        return values

    @cached_property
    def _stream(self) -> ResidualStream | None:
        """The residual stream of the selected token, (L, 1)."""
        if self.lens is not None and self.lens.vectors is not None and self.hidden is None:
            return to_stream(self.lens.vectors)  # without a second pass
        if self.translation is not None:
            return None
        try:
            stream = captures.residual_stream(*self._key)
        except HeadlightError:  # the model's layers are unknown
            return None
        return stream.at([self.query(self.stack)])

    @cached_property
    def vectors(self) -> LayerVectors | None:
        """The vectors of the selected token in the selected layer; None if they are unknown."""
        if self.translation is not None:
            return None
        token = self.query(self.stack)
        try:
            return captures.layer_vectors(*self._key, self.place[0], token)
        except HeadlightError:  # the parts of the model's layers are unknown
            return None

    @cached_property
    def hidden(self) -> Subject | None:
        """The subject with the selected token hidden; None if it cannot be."""
        return self.subject.with_hidden(self.query(self.stack))

    @cached_property
    def lens(self) -> LogitLens | None:
        """The logit lens at the selected token, hidden if it can be; None without such a head."""
        if self.translation is not None:
            return None
        if loaded_models.loaded_model(self.model).language_head is None:
            return None
        try:
            side = self.hidden or self.subject
            at = self.query(self.stack)
            return captures.logit_lens(side.model, side.text, side.text_pair, at, 1)
        except HeadlightError:  # the model's layers are unknown
            return None

    @property
    def stack(self) -> Stack:
        """The selected stack of attention."""
        if self.translation is None:
            return next(iter(self.captures))
        chosen: Stack = Translator.stack.value
        return chosen

    @property
    def sizes(self) -> StackSizes:
        """Sizes of the selected stack."""
        return self.sizes_of(self.stack)

    def sizes_of(self, stack: Stack) -> StackSizes:
        """Sizes of a stack. Cross-attention belongs to the decoder."""
        return self.parts.stacks["decoder" if stack == "cross" else stack]

    @property
    def place(self) -> tuple[int, int]:
        """The selected layer and head, within the limits of the model."""
        capture = self.captures[self.stack]
        layer, head = Reader.layer.value, Reader.head.value
        return min(layer, capture.n_layers - 1), min(head, capture.n_heads - 1)

    def query(self, stack: Stack) -> int:
        """The selected token of a stack. By default one with a strong link to another token."""
        capture = self.captures[stack]
        is_source = self.translation is not None and stack == "encoder"
        chosen: int = (Translator.source if is_source else Reader.token).value
        if UNSAID < chosen < len(capture.tokens):
            return chosen
        if capture.stack == "decoder" and self.translation is None:
            return len(capture.tokens) - 1  # it predicts the next token
        if self.translation is not None and stack == "decoder":
            capture = self.captures["cross"]  # one token for both attentions of the decoder
        layer = min(Reader.layer.value, capture.n_layers - 1)
        head = min(Reader.head.value, capture.n_heads - 1)
        weights = capture.weights[layer, head]
        if self.subject.text == DEFAULT_TEXT and "it" in capture.tokens:
            return capture.tokens.index("it")  # the word that the example is about
        if capture.other_keys is None:
            weights = weights * ~np.eye(len(weights), dtype=bool)
        return strongest_link(weights, ~capture.special, ~capture.keys.special)[0]

    def key(self) -> int:
        """The selected key of the selected head. By default the one with the largest weight."""
        capture, (layer, head) = self.captures[self.stack], self.place
        chosen: int = Reader.key.value
        if UNSAID < chosen < len(capture.key_tokens):
            return chosen
        return int(capture.weights[layer, head, self.query(self.stack)].argmax())

    def names(self, stack: Stack) -> tuple[list[str], list[str]]:
        """Distinct names of a stack's queries and keys."""
        return self._names[stack]

    @cached_property
    def _names(self) -> Mapping[Stack, tuple[list[str], list[str]]]:
        return {
            stack: (distinct(capture.tokens), distinct(capture.key_tokens))
            for stack, capture in self.captures.items()
        }

    # -- links ---------------------------------------------------------------------------------

    def link(self, **changes: Any) -> str:
        """The URL of this picture with another selection."""
        if "stack" in changes and self.translation is None:
            del changes["stack"]
        if "zoom" in changes and self.translation is None:
            changes.setdefault("token", self.query(self.stack))  # heads have other default tokens
        return view_link(self.known, self._view, **changes)

    @cached_property
    def _view(self) -> dict[str, object]:
        """The fields of the view: one read of the session state serves hundreds of links."""
        return current_view(self.known)

    def token_link(self, stack: Stack, token: int) -> str:
        """The URL of this picture with another selected token."""
        is_source = self.translation is not None and stack == "encoder"
        return self.link(**{"source" if is_source else "token": token, "key": UNSAID})

    def explore_link(self, layer: int = 0, head: int = 0) -> str:
        """The URL of the page that shows all heads: Explore, or of a translator Decoder."""
        if self.translation is not None:
            view = {"part": "translate", "model": self.model, "stack": self.stack}
            text = PLACEHOLDERS["text"]
            return page_link("/decoder", **view, text=text, layer=layer, head=head)
        return page_link("/", **self._sentence, layer=layer, head=head)

    def layers_link(self, part: str, **view: object) -> str:
        """The URL of a part of the Layers page, for a model that reads."""
        return page_link("/layers", part=part, **self._sentence, **view)

    def calculator_link(self, **view: object) -> str:
        """The URL of the Calculator with a real head."""
        stacks = {"encoder": "source", "decoder": "decoder", "cross": "cross"}
        if self.translation is None:
            real: dict[str, object] = {"stack": "encoder", **self._sentence}
        else:
            real = {"stack": stacks[self.stack], "translator": self.model}
            real["source"] = PLACEHOLDERS["text"]
        return page_link("/calculator", mode="head", **real, **view)

    @property
    def _sentence(self) -> dict[str, object]:
        pair = PLACEHOLDERS["pair"] if self.subject.text_pair else None
        return {"text": PLACEHOLDERS["text"], "pair": pair, "left": self.model}

    def texts(self) -> dict[str, str]:
        """The texts of the placeholders in the links, quoted for a query string."""
        # A decoder ignores the second sentence, but a link keeps it.
        given = {"text": self.subject.text, "pair": st.session_state.get("pair", "")}
        return {PLACEHOLDERS[name]: quote_plus(write_text(text)) for name, text in given.items()}


def token_boxes(view: PictureView, stack: Stack | None = None) -> tuple[Box, ...]:
    """One box for each token of a stack, by default of the selected one; a click selects it."""
    stack = stack or view.stack
    query = view.query(stack)
    return tuple(
        Box("token", name, link=view.token_link(stack, i), current=i == query)
        for i, name in enumerate(view.names(stack)[0])
    )
