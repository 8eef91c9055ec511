"""What a link shows, read outside of any session: by whom a question is asked, of what it is.

The pages' own parsers read the address. What they refuse falls back to the page's default here as
it does there.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from model import AttentionCapture, HeadlightError
from model.analysis.distances import jensen_shannon_of_pairs
from model.analysis.intervention import Intervention
from model.analysis.links import ranked
from pages.calculator.address import PARAMETERS as CALCULATOR
from pages.explore.address import PARAMETERS as EXPLORE
from pages.heads.address import PARAMETERS as HEADS
from pages.layers.address import PARAMETERS as LAYERS
from pages.shared import captures
from pages.shared.address import Parameters
from pages.shared.loading import loaded_model
from pages.shared.parameters import VIEW, write_pairs
from viz import Side

MODELS: dict[str, Parameters] = {"/": EXPLORE, "/layers": LAYERS, "/heads": HEADS}
"""Pages that show a sentence through two models, by their paths."""


@dataclass(frozen=True)
class Looked:
    """One side of a link: a model on a sentence, and the head that is selected.

    Attributes:
        side: Left or right.
        models: Of both sides, by any of their names.
        text: The sentence.
        text_pair: The second one, or None.
        layer: Of the selected head, as the link says it.
        head: Its number there.
        picked: The first token that is picked, or None; nor where units are no tokens.
    """

    side: Side
    models: Mapping[Side, str]
    text: str
    text_pair: str | None
    layer: int
    head: int
    picked: int | None

    @property
    def model(self) -> str:
        """The side's own."""
        return self.models[self.side]

    def capture(self) -> AttentionCapture:
        """What the model did; shared with everybody.

        Raises:
            HeadlightError: If the model is not to be had, or there is no sentence.
        """
        return captures.capture(self.model, self.text, self.text_pair)

    def place(self, capture: AttentionCapture) -> tuple[int, int]:
        """The selected layer and head, inside what the model has, as the pages show it."""
        return min(self.layer, capture.n_layers - 1), min(self.head, capture.n_heads - 1)

    def without(self, heads: list[tuple[int, int]]) -> str:
        """The address of the Heads page with these heads of the model switched off.

        Args:
            heads: At least one. The page opens at the head that this moves most.
        """
        layer, head = self._most_moved(heads)
        said: dict[str, str] = {
            "part": "change",
            "text": VIEW["text"].write(self.text),
            **({"pair": VIEW["pair"].write(self.text_pair)} if self.text_pair else {}),
            "left": self.models["left"],
            "right": self.models["right"],
            "layer": str(layer),
            "head": str(head),
            "side": self.side,
            "off": write_pairs(heads),
        }
        return f"/heads?{urlencode(said)}"

    def _most_moved(self, off: list[tuple[int, int]]) -> tuple[int, int]:
        """The head whose weights move most; the first of those that are off, where none does.

        The weights of a head that is off stay, and so do those of its layer's others.
        """
        changes = (Intervention(), Intervention(frozenset(off)))
        runs = (
            captures.intervened(self.model, self.text, self.text_pair, each) for each in changes
        )
        moved = jensen_shannon_of_pairs(*(run.capture.weights for run in runs))  # (L, H)
        return ranked(moved)[0] if moved.any() else off[0]


def looked_at(view: str, side: str) -> Looked | None:
    """The model, sentence and head of one side of a link; None where a page shows no such thing.

    Args:
        view: A path of this site, with its query.
        side: Left or right; the link's own where it is neither.
    """
    path, said = _split(view)
    if path not in MODELS:
        return None
    values = _read(MODELS[path], said)
    chosen: Side = "left" if (side or values.get("side", "right")) == "left" else "right"
    own = chosen == "right" and not values.get("linked", True)
    before = "right_" if own else ""
    return Looked(
        chosen,
        {"left": values["left"], "right": values["right"]},
        values["text"],
        _second(values[chosen], values["pair"]),
        values[f"{before}layer"],
        values[f"{before}head"],
        _picked(values),
    )


def practised(view: str) -> dict[str, Any] | None:
    """What a link to the Calculator's practice says: level, seed, exercise, ask and decimals.

    Returns:
        None where it leads elsewhere.
    """
    path, said = _split(view)
    if path != "/calculator":
        return None
    values = _read(CALCULATOR, said)
    return values if values["mode"] == "practice" else None


def _split(view: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(view)
    if parts.scheme or parts.netloc or not view.startswith("/"):
        raise HeadlightError("A view is a link to a page of this site.")
    return "/" + parts.path.strip("/"), dict(parse_qsl(parts.query))


def _read(parameters: Parameters, said: Mapping[str, str]) -> dict[str, Any]:
    values = {}
    for name, parameter in parameters.items():
        values[name] = deepcopy(parameter.default)
        if name in said:
            try:
                values[name] = parameter.parse(said[name])
            except (ValueError, KeyError):
                continue
    return values


def _picked(values: Mapping[str, Any]) -> int | None:
    tokens = not values["words"] and values["special"] == "show"
    return next(iter(values.get("picked", ())), None) if tokens else None


def _second(model: str, pair: str) -> str | None:
    """The second sentence; a decoder reads the first alone."""
    if not pair.strip() or loaded_model(model).stack == "decoder":
        return None
    return pair
