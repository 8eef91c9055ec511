"""T5 (Raffel et al. 2020): order is a bias on the scores, and nothing is divided by sqrt(d_k).

The bias is learned by distance, in buckets, once a stack: the first layer computes it and hands it
on. Axes: H n_heads, Tq queries, Tk keys.
"""

from torch import Tensor

from model.capture.sites import Call
from model.catalogue.pretrained.encoder_decoder_family import (
    EncoderDecoderFamily,
    as_far_as_captured,
)


def _third_output(call: Call) -> Tensor | None:
    """``(output, position bias, weights)``."""
    weights: Tensor | None = call.output[2]
    return weights


def _position_bias(call: Call) -> Tensor | None:
    """(1, H, Tq, Tk). Cross-attention has one too, of zeros, which is none."""
    bias: Tensor | None = call.output[1]
    return bias


def _mask(call: Call) -> Tensor | None:
    """Of numbers, 0 where attention is allowed."""
    mask: Tensor | None = call.kwargs.get("mask")
    return mask


FAMILY = EncoderDecoderFamily(
    model_type="t5",
    attentions={
        "encoder": "SelfAttention",
        "decoder": "SelfAttention",
        "cross": "EncDecAttention",
    },
    projections=("q", "k", "v"),
    output="o",
    n_heads="n_heads",
    counts=(("num_layers", "num_heads"), ("num_decoder_layers", "num_heads")),
    scale=1.0,
    weights=_third_output,
    mask=_mask,
    bias={"encoder": _position_bias, "decoder": _position_bias},
    max_len=as_far_as_captured,
)
