"""One side of a linked view of a sentence, read outside of any session."""

from copy import deepcopy
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from model import AttentionCapture
from viz import Side
from web.subject import Subject
from web.view_state.address import ParametersOf

TWO_MODEL_PATHS = ("/", "/layers", "/heads")
"""Pages that show a sentence in two models."""


@dataclass(frozen=True)
class LinkedView:
    """One side of a linked view, and its selected head.

    Attributes:
        layer: As the link says, like ``head``; the model may have fewer.
        picked: Index of the first selected unit.
    """

    subject: Subject
    layer: int
    head: int
    picked: int | None

    def selected_head(self, capture: AttentionCapture) -> tuple[int, int]:
        """Return the selected layer and head; the model's last ones if it has fewer."""
        return min(self.layer, capture.n_layers - 1), min(self.head, capture.n_heads - 1)


def linked_view(view: str, parameters_of: ParametersOf) -> LinkedView | None:
    """Return the side of a view that its link names, or the right one; None without a sentence.

    A value that the page's parameters refuse becomes the default, as on the page. Raises a
    HeadlightError if the model is not available.
    """
    parts = urlsplit(view)
    path, query = "/" + parts.path.strip("/"), dict(parse_qsl(parts.query))
    parameters = parameters_of(path, query.get("part", ""))
    if path not in TWO_MODEL_PATHS or parameters is None:
        return None
    values = {name: deepcopy(parameter.default) for name, parameter in parameters.items()}
    for name in values.keys() & query.keys():
        try:
            values[name] = parameters[name].parse(query[name])
        except (ValueError, KeyError):
            continue  # the default
    chosen: Side = "left" if values.get("side") == "left" else "right"
    unlinked = chosen == "right" and not values.get("linked", True)
    prefix = "right_" if unlinked else ""
    return LinkedView(
        Subject.from_session(chosen, values[chosen], values),
        values[f"{prefix}layer"],
        values[f"{prefix}head"],
        next(iter(values.get("picked", ())), None),
    )
