"""Fields of the Explore page."""

from typing import Any

from web.language import N_
from web.subject import SIDES
from web.view_state import field
from web.view_state.field import Field, Fields
from web.view_state.parameters import View


class Explore(Fields):
    """One sentence, two models, a head of each, and how the weights are drawn."""

    text, pair = View.text, View.pair
    left, right = View.left, View.right
    layer, head = View.layer, View.head
    # Both sides show the same layer and head; otherwise the right side has its own.
    linked = field.flag("", True)
    right_layer = field.index("", 3, when=linked.among(False))
    right_head = field.index("", 1, when=linked.among(False))
    # The side of the head that was selected last: the sentence is about it.
    side: Field[Any] = field.choice("", SIDES, "right", key="clicked_side")
    # A selected head selects the same place on the other side, and not the most similar head.
    same = field.flag(N_("Same place on both sides"))
    view = field.choice(N_("View"), {"heatmap": N_("Map"), "lines": N_("Lines")})
    scale = field.choice(N_("Colour"), {"linear": N_("Linear"), "sqrt": N_("Square root")})
    # Heads with another label are pale in the picture of all heads.
    label: Field[str] = field.choice(
        N_("Heads"),
        {
            "all": N_("All"),
            "previous": N_("previous token"),
            "next": N_("next token"),
            "cls": "[CLS]",
            "same": N_("same word"),
        },
        key="label",
    )
    special, words = View.special, View.words
    picked = field.indices()
    overlaid = field.pairs()
    training = field.flag("", key="training_open")


PARAMETERS = Explore.fields
