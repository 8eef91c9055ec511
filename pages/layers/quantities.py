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
            "The length of each token's vector as it enters the layer (the residual stream). "
            "The embeddings enter L0."
        ),
    ),
    "attention_share": Quantity(
        "attention_share",
        N_("Attention ratio"),
        "‖a‖ / ‖x‖",
        N_(
            "The length of the output of attention (a, after W^O), divided by the "
            "length of the vector to which it is added (x). Above 1, the addition "
            "is longer. Lengths ignore directions: an addition can also cancel a "
            "part of x."
        ),
    ),
    "attended": Quantity(
        "attention_sum",
        N_("After attention"),
        "‖x + a‖",
        N_("The length of the sum, before any norm."),
    ),
    "feed_forward_share": Quantity(
        "feed_forward_share",
        N_("Feed-forward ratio"),
        "‖f‖ / ‖x′‖",
        N_(
            "The length of the output of the feed-forward network (f), divided by "
            "the length of the vector to which it is added. x′ is LayerNorm(x + a) "
            "in a post-norm model, and x + a in a pre-norm model."
        ),
    ),
    "fed": Quantity(
        "feed_forward_sum",
        N_("After feed-forward"),
        "‖x′ + f‖",
        N_("The length of the sum, before any norm."),
    ),
    "leaving": Quantity(
        "layer_output",
        N_("Layer output"),
        "‖y‖",
        N_(
            "The input of the next layer: LayerNorm(x′ + f) in a post-norm model, x′ + f in a "
            "pre-norm model."
        ),
    ),
}
"""By their names in a link, in the order of the forward pass."""
