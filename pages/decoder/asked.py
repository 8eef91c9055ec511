"""What Translate was asked for, in a few words, and how to find the answer again."""

from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from model.capture.record import AttentionCapture
from model.catalogue.translation import Translation
from model.catalogue.translation_files import TaskName
from pages.shared import texts
from pages.shared.model_name import model_name
from pages.shared.translators import Forced, base_of, limit

Stack = Literal["cross", "decoder", "encoder"]


@dataclass(frozen=True)
class Asked:
    """A text, the translator, and how it writes.

    Attributes:
        model: The translator's name.
        text: What it reads.
        options: How it writes, as :meth:`LoadedTranslator.generate` takes it.
        forced: Tokens that stand at a step whatever the model says.
    """

    model: str
    text: str
    options: tuple[tuple[str, Any], ...] = ()
    forced: Forced = ()

    @classmethod
    def of_session(cls) -> "Asked":
        """What the session asks for."""
        state = st.session_state
        ways: dict[str, dict[str, Any]] = {
            "greedy": {},
            "beam": {"beams": state["n_beams"]},
            "sample": {
                "temperature": state["t_temperature"],
                "top_k": state["top_k"] or None,
                "top_p": None if state["top_p"] == 1.0 else state["top_p"],
                "seed": state["t_seed"],
            },
        }
        options = {name: value for name, value in ways[state["how"]].items() if value is not None}
        forced = tuple((int(step), str(token)) for step, token in state["forced"])
        return cls(state["translator"], state["phrase"], tuple(options.items()), forced)

    @property
    def base(self) -> TaskName | None:
        """Which of our translators it is, be it a checkpoint; None: one of elsewhere."""
        return base_of(self.model)

    @property
    def beams(self) -> int:
        """How many hypotheses are kept; 1 without a search."""
        return int(dict(self.options).get("beams", 1))

    def greedily(self) -> "Asked":
        """The same text, the likeliest token always taken."""
        return Asked(self.model, self.text, forced=self.forced)

    def written(self) -> Translation:
        """Find the translation, or make it.

        Raises:
            HeadlightError: As :meth:`LoadedTranslator.generate` does.
        """
        options = {**limit(self.model), **dict(self.options)}
        return texts.translated(self.model, self.text, self.forced, **options)


@dataclass(frozen=True)
class OfStack:
    """One of the three captures of a translation, for the files that can be taken away."""

    asked: Asked
    stack: Stack

    @property
    def model(self) -> str:
        """What the file is named after."""
        return f"{model_name(self.asked.model)} {self.stack}"

    def captured(self) -> AttentionCapture:
        """The capture."""
        capture: AttentionCapture = getattr(self.asked.written(), self.stack)
        return capture
