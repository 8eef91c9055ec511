"""A request for the attention of one stack of a model on a text."""

from dataclasses import dataclass
from typing import cast

from model import AttentionCapture
from model.catalogue.translation import Translation
from web.cache import captures, generated_texts
from web.cache.generated_texts import Forced
from web.widgets.translators import length_limit

STACKS = ("encoder", "source", "decoder", "cross")
"""The stack of an encoder; of a translator its encoder, its decoder, and its cross-attention."""


@dataclass(frozen=True)
class StackRequest:
    """Model, stack and text; small enough for callbacks and cache keys."""

    model: str
    stack: str
    text: str
    text_pair: str | None = None
    forced: Forced = ()

    def translation(self) -> Translation:
        """The greedy translation, with the forced tokens."""
        return generated_texts.translation(
            self.model, self.text, self.forced, **length_limit(self.model)
        )

    def captured(self) -> AttentionCapture:
        """The attention of all heads of the stack."""
        if self.stack == "encoder":
            return captures.capture(self.model, self.text, self.text_pair)
        name = "encoder" if self.stack == "source" else self.stack
        return cast(AttentionCapture, getattr(self.translation(), name))

    def in_words(self) -> str:
        """The text, or both sentences of a pair."""
        return " | ".join(filter(None, (self.text, self.text_pair)))
