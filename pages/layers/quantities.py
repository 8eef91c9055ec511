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
        "lengths",
        N_("Length entering a layer"),
        N_("length of x"),
        N_(
            "A cell is the length (norm) ‖x‖ of a token's vector as it enters a layer (last row: "
            "as it leaves the last one). This vector is called the residual stream."
        ),
    ),
    "attention_share": Quantity(
        "attention_share",
        N_("Added by attention"),
        N_("length of a ÷ length of x"),
        N_(
            "A cell of 0.5: attention adds a vector (a) half as long as the token's own (x). Near "
            "0, attention hardly changes the token. The token's vector on its way through the "
            "layers is called the residual stream."
        ),
    ),
    "feed_forward_share": Quantity(
        "feed_forward_share",
        N_("Added by feed-forward"),
        N_("length of f ÷ length of x′"),
        N_(
            "A cell of 0.5: the feed-forward network adds a vector (f) half as long as the one "
            "that is there (x′). Above 1, it adds more than was there."
        ),
    ),
}
"""By their names in a link, in the order of the forward pass."""
