"""What Generate was asked for, in a few words, and how to find the answer again."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from model import HeadlightError
from model.capture.record import AttentionCapture
from model.catalogue.causal import Generation, LoadedCausal
from pages.shared import settings, texts
from pages.shared.translators import Forced
from pages.shared.written import Writing


@dataclass(frozen=True)
class Prompt:
    """A prompt, the decoder that writes behind it, and how.

    Attributes:
        model: The decoder's name.
        text: What it reads, control tokens included.
        count: Most tokens to write.
        options: How it writes, as :meth:`LoadedCausal.generate` takes it.
        forced: Tokens that stand at a step whatever the model says, by step.
    """

    model: str
    text: str
    count: int
    options: tuple[tuple[str, Any], ...] = ()
    forced: Forced = ()

    @classmethod
    def of_session(cls, model: LoadedCausal) -> "Prompt":
        """What the session asks a decoder for.

        Raises:
            HeadlightError: If it is to have a conversation that it cannot have, or if there is more
                text than the server takes.
        """
        state, most = st.session_state, settings.now()
        if max(len(state["g_text"]), len(state["g_system"])) > most.characters:
            raise HeadlightError(
                "Too long: a text has room for {most:,} characters here.", most=most.characters
            )
        text = model.instruct(messages()) if state["g_talk"] else state["g_text"]
        options: dict[str, Any] = {}
        if state["g_how"] == "sample":
            options = {
                "temperature": state["g_temperature"],
                "top_k": state["g_top_k"] or None,
                "top_p": None if state["g_top_p"] == 1.0 else state["g_top_p"],
                "seed": state["g_seed"],
            }
        given = tuple((name, value) for name, value in options.items() if value is not None)
        forced = tuple(sorted((int(step), str(token)) for step, token in state["g_forced"]))
        count = min(state["g_until"] or state["g_tokens"], most.written)
        return cls(model.name, text, count, given, forced)

    def writing(self) -> Writing:
        """The text as it is being written.

        Raises:
            HeadlightError: As :meth:`LoadedCausal.generate` does.
        """
        return texts.writing(self.model, self.text, self.forced, **dict(self.options))

    def written(self) -> Generation:
        """What was written, with everything that was seen.

        Raises:
            HeadlightError: As :meth:`LoadedCausal.generate` does.
        """
        options = dict(self.options)
        return texts.generated(self.model, self.text, self.count, self.forced, **options)

    def captured(self) -> AttentionCapture:
        """The capture alone."""
        return self.written().capture


def messages() -> list[dict[str, str]]:
    """The session's conversation, up to where the assistant answers."""
    said = {"system": st.session_state["g_system"], "user": st.session_state["g_text"]}
    return [{"role": role, "content": text} for role, text in said.items() if text.strip()]
