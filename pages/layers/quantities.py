"""Quantities of the residual stream that the page shows, by token and layer."""

from dataclasses import dataclass

from web.language import N_


@dataclass(frozen=True)
class Quantity:
    """A quantity of every token in every layer.

    Attributes:
        attribute: Of :class:`model.capture.residual_stream.ResidualStream`.
        said: Sentence on the medians of the layers, and on the largest value.
    """

    attribute: str
    name: str
    sign: str
    said: str
    explanation: str


QUANTITIES = {
    "entering": Quantity(
        "layer_input",
        N_("Length entering a layer"),
        "‖x‖",
        N_(
            "In {model}, the median length is {first:,.1f} entering L0 and {last:,.1f} entering "
            "L{end}."
        ),
        N_(
            "A cell is the length (norm) ‖x‖ of a token's vector as it enters a layer: the "
            "residual stream."
        ),
    ),
    "attention_share": Quantity(
        "attention_share",
        N_("Attention ratio"),
        "‖a‖ / ‖x‖",
        N_(
            "In {model}, attention adds, in the median, {first:.2f} times the length of a token's "
            "vector in L0 and {last:.2f} times in L{end}; the most is {value:.2f} (“{token}”, "
            "L{layer})."
        ),
        N_(
            "A cell is ‖a‖ / ‖x‖: the length of what attention adds (a), in lengths of the token's "
            "vector (x). Far below 1, most of the token stays as it was. An addition can also "
            "cancel a part of x."
        ),
    ),
    "feed_forward_share": Quantity(
        "feed_forward_share",
        N_("Feed-forward ratio"),
        "‖f‖ / ‖x′‖",
        N_(
            "In {model}, the feed-forward network adds, in the median, {first:.2f} times the "
            "length of a token's vector in L0 and {last:.2f} times in L{end}; the most is "
            "{value:.2f} (“{token}”, L{layer})."
        ),
        N_(
            "A cell is ‖f‖ / ‖x′‖: the length of what the feed-forward network adds (f), in "
            "lengths of the vector to which it is added (x′): LayerNorm(x + a) in a post-norm "
            "model, x + a in a pre-norm model."
        ),
    ),
}
"""By their names in a link, in the order of the forward pass."""
