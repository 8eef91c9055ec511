"""Quantities of the residual stream that the page shows, by token and layer."""

from dataclasses import dataclass

from web.language import N_


@dataclass(frozen=True)
class Quantity:
    """A quantity of every token in every layer.

    Attributes:
        attribute: Of :class:`model.capture.residual_stream.ResidualStream`.
    """

    attribute: str
    name: str
    sign: str
    explanation: str


QUANTITIES = {
    "entering": Quantity(
        "layer_input",
        N_("Layer input"),
        "‖x‖",
        N_(
            "Each layer adds to a token's vector. A cell is the vector's length ‖x‖ as it enters a "
            "layer. Where it is long, one more addition changes its direction less."
        ),
    ),
    "attention_share": Quantity(
        "attention_share",
        N_("Attention ratio"),
        "‖a‖ / ‖x‖",
        N_(
            "A cell is the length of what attention adds (a), divided by the length of the vector "
            "to which it is added (x). Above 1, the addition is longer. It can also cancel a part "
            "of x."
        ),
    ),
    "feed_forward_share": Quantity(
        "feed_forward_share",
        N_("Feed-forward ratio"),
        "‖f‖ / ‖x′‖",
        N_(
            "A cell is the length of what the feed-forward network adds (f), divided by the length "
            "of the vector to which it is added (x′): LayerNorm(x + a) in a post-norm model, x + a "
            "in a pre-norm model."
        ),
    ),
}
"""By their names in a link, in the order of the forward pass."""
