"""Fields of the Explore page."""

from model.catalogue.names import TRAINED, checkpoint_step
from web.language import N_
from web.view_state import field
from web.view_state.field import Fields
from web.view_state.parameters import View


def training_opens_by_default() -> bool | None:
    """Whether the training opens: for a checkpoint; None without such a history."""
    models = [View.left.value, View.right.value]
    if any(checkpoint_step(model) is not None for model in models):
        return True
    return False if TRAINED in models else None


class Explore(Fields):
    """One sentence, two models, a head of each, and how the weights are drawn."""

    text, pair = View.text, View.pair
    left, right = View.left, View.right
    layer, head = View.layer, View.head
    linked = field.flag(N_("Sides move together"), True)
    right_layer = field.index(N_("Layer of {model}"), 3, when=linked.among(False))
    right_head = field.index(N_("Head of {model}"), 1, when=linked.among(False))
    view = field.choice(N_("View"), {"heatmap": N_("Heatmap"), "lines": N_("Lines")})
    scale = field.choice(N_("Colour"), {"linear": N_("Linear"), "sqrt": N_("Square root")})
    range = field.choice(N_("Range"), {"unit": "0 – 1", "data": N_("Data")})
    special, words = View.special, View.words
    picked = field.indices()
    overlaid = field.pairs(
        N_("Other heads in the same figure (or select them in an overview with the Shift key)")
    )
    training = field.fold("training_open", training_opens_by_default)


PARAMETERS = Explore.fields
