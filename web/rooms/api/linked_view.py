"""A view read from its link, outside of any session: a model on a sentence, or a prompt.

The pages' parameters parse the link. A value that they refuse becomes the default, as on the page.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np

from model import AttentionCapture, HeadlightError, LoadedModel
from model.analysis.units import Unit, unit_weights, units
from model.capture.stacks import to_keys
from model.capture.tokens import Keys
from viz import Side
from web.cache import captures
from web.cache.loaded_models import loaded_model
from web.inference.operations import compute
from web.view_state.page_registry import lesson_question, parameters_of
from web.view_state.parameters import VIEW, write_flag, write_indices, write_pairs

TWO_MODEL_PATHS = ("/", "/layers", "/heads")
"""Pages that show a sentence in two models."""


@dataclass(frozen=True)
class LinkedSide:
    """One side of a linked view: a model on a sentence, and the selected head.

    Attributes:
        layer: As the link says, like ``head``; the model may have fewer.
        picked: Index of the first selected unit.
        kind: Which weights the Layers page shows; ``head`` on every other page.
    """

    side: Side
    models: Mapping[Side, str]
    text: str
    text_pair: str | None
    layer: int
    head: int
    picked: int | None
    merge_words: bool
    special: str
    kind: str

    @property
    def model(self) -> str:
        """Name of this side's model."""
        return self.models[self.side]

    @property
    def both_sentences(self) -> str:
        """The sentence, and the second one if there is one."""
        return " | ".join(filter(None, (self.text, self.text_pair)))

    def capture(self) -> AttentionCapture:
        """Return the model's capture, which all sessions share.

        Raises:
            HeadlightError: If the model is not available, or the sentence is empty.
        """
        return captures.capture(self.model, self.text, self.text_pair)

    def tokens(self) -> Keys:
        """Return the tokens of the capture without a forward pass; it raises the same errors."""
        tokens = compute(loaded_model(self.model).tokenize, self.text, self.text_pair)
        return to_keys(self.text, tokens, self.text_pair)

    def shown(self, capture: AttentionCapture | Keys) -> tuple[Unit, ...]:
        """Return the rows and columns of the page: tokens or words, in order."""
        hidden = self.special != "show"
        return units(capture, merge_words=self.merge_words, hide_special=hidden)

    def shown_weights(self, capture: AttentionCapture, weights: np.ndarray) -> np.ndarray:
        """Convert weights between tokens, (..., T, T), to weights between the page's units."""
        renormalise = self.special == "renormalise"
        return unit_weights(weights, self.shown(capture), renormalise=renormalise)

    def selected_head(self, model: AttentionCapture | LoadedModel) -> tuple[int, int]:
        """Return the selected layer and head; the model's last ones if it has fewer."""
        return min(self.layer, model.n_layers - 1), min(self.head, model.n_heads - 1)

    def link_with_heads_off(self, heads: list[tuple[int, int]], asked: int) -> str:
        """Return a link to the Heads page with some heads of the model, at least one, off.

        The page states the effect on the asked unit.
        """
        layer, head = heads[0]
        query: dict[str, str] = {
            "part": "change",
            "text": VIEW["text"].write(self.text),
            **({"pair": VIEW["pair"].write(self.text_pair)} if self.text_pair else {}),
            "left": self.models["left"],
            "right": self.models["right"],
            "layer": str(layer),
            "head": str(head),
            "side": self.side,
            "off": write_pairs(heads),
            "asked": write_indices([asked]),
            **({"words": write_flag(True)} if self.merge_words else {}),
            **({"special": self.special} if self.special != "show" else {}),
        }
        return f"/heads?{urlencode(query)}"


def read_side(view: str, side: str) -> LinkedSide | None:
    """Read one side of a view; None if its page shows no sentence.

    Args:
        view: A path of this site with its query string.
        side: ``left`` or ``right``; the view's own side for anything else.

    Raises:
        HeadlightError: If the view is no link to a page of this site, or its model is not
            available.
    """
    path, values = _read_view(view)
    if path not in TWO_MODEL_PATHS or values is None:
        return None
    chosen: Side = "left" if (side or values.get("side", "right")) == "left" else "right"
    unlinked = chosen == "right" and not values.get("linked", True)
    prefix = "right_" if unlinked else ""
    return LinkedSide(
        chosen,
        {"left": values["left"], "right": values["right"]},
        values["text"],
        _second_sentence(values[chosen], values["pair"]),
        values[f"{prefix}layer"],
        values[f"{prefix}head"],
        next(iter(values.get("picked", ())), None),
        values["words"],
        values["special"],
        values["kind"] if path == "/layers" and values["part"] == "layers" else "head",
    )


def read_prompt(view: str) -> tuple[str, str] | None:
    """Read the model and the text of the Decoder page's Generate part; None for any other view.

    Raises:
        HeadlightError: If the view is no link to a page of this site.
    """
    path, values = _read_view(view)
    if path != "/decoder" or values is None or values["part"] != "generate" or values["talk"]:
        return None
    return (values["model"], values["text"]) if values["text"].strip() else None


def read_lesson(view: str, *, solve: bool = True) -> dict[str, Any] | None:
    """Return kind, prompt, items and truth of the lesson's step in a view; None without a lesson.

    Args:
        solve: Whether the models compute items and truth; otherwise they are left out.

    Raises:
        HeadlightError: If the view is no link to a page of this site, or the models cannot compute
            the numbers of the question.
    """
    _read_view(view)
    place = dict(parse_qsl(urlsplit(view).query)).get("lesson")
    return lesson_question(place, solve=solve) if place else None


def _read_view(view: str) -> tuple[str, dict[str, Any] | None]:
    """Return a view's path and its parameters' values; None for a page without parameters.

    Raises:
        HeadlightError: If the view is no link to a page of this site.
    """
    parts = urlsplit(view)
    if parts.scheme or parts.netloc or not view.startswith("/"):
        raise HeadlightError("A view must be a link to a page of this site.")
    path, query = "/" + parts.path.strip("/"), dict(parse_qsl(parts.query))
    parameters = parameters_of(path, query.get("part", ""))
    if parameters is None:
        return path, None
    values = {name: deepcopy(parameter.default) for name, parameter in parameters.items()}
    for name in values.keys() & query.keys():
        try:
            values[name] = parameters[name].parse(query[name])
        except (ValueError, KeyError):
            continue  # the default
    return path, values


def _second_sentence(model: str, pair: str) -> str | None:
    """Return the second sentence; None for a decoder, which reads the first one only."""
    if not pair.strip() or loaded_model(model).stack == "decoder":
        return None
    return pair
