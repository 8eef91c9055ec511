"""Which stack of which model is looked at, and on which text."""

from dataclasses import dataclass
from typing import cast

from model import AttentionCapture
from model.catalogue.translation import Translation
from pages.shared import captures, texts
from pages.shared.translators import Forced, limit

STACKS = ("encoder", "source", "decoder", "cross")
"""Of a model that reads; of a translator what it reads, what it wrote, and from that to this."""


@dataclass(frozen=True)
class Asked:
    """Enough to find it again.

    Attributes:
        model: Its name.
        stack: Of :data:`STACKS`.
        text: What it reads.
        text_pair: The second sentence, or None.
        forced: Of a translator, tokens that it writes whatever it would choose.
    """

    model: str
    stack: str
    text: str
    text_pair: str | None = None
    forced: Forced = ()

    def translation(self) -> Translation:
        """What a translator wrote, token by token the likeliest but for those that were forced.

        Raises:
            HeadlightError: If it cannot be loaded, or cannot read the text.
        """
        return texts.translated(self.model, self.text, self.forced, **limit(self.model))

    def captured(self) -> AttentionCapture:
        """All heads of the stack.

        Raises:
            HeadlightError: If the model cannot be loaded, or cannot read the text.
        """
        if self.stack == "encoder":
            return captures.capture(self.model, self.text, self.text_pair)
        name = "encoder" if self.stack == "source" else self.stack
        return cast(AttentionCapture, getattr(self.translation(), name))

    def in_words(self) -> str:
        """The text, both sentences of a pair."""
        return " | ".join(filter(None, (self.text, self.text_pair)))
