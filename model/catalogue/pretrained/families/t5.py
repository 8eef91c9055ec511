"""T5 (Raffel et al. 2020): relative positions as a bias on the scores, which are not scaled.

The bias depends on distance in buckets. The first layer of a stack computes it for all layers.
Axes: H n_heads, Tq queries, Tk keys.
"""

from torch import Tensor
from transformers import PretrainedConfig

from model.capture.sites import Call
from model.catalogue.pretrained.encoder_decoder_family import (
    EncoderDecoderFamily,
    capture_limit,
)
from model.errors import HeadlightError


def _third_output(call: Call) -> Tensor | None:
    """Read the weights of ``(output, position bias, weights)``."""
    weights: Tensor | None = call.output[2]
    return weights


def _position_bias(call: Call) -> Tensor | None:
    """Read the bias, (1, H, Tq, Tk). The bias of cross-attention is zero and is not read."""
    bias: Tensor | None = call.output[1]
    return bias


def _mask(call: Call) -> Tensor | None:
    """Read the mask, numbers that are 0 where attention is allowed."""
    mask: Tensor | None = call.kwargs.get("mask")
    return mask


def _refuse_no_distances(name: str, config: PretrainedConfig) -> None:
    """Half of a side's buckets hold one distance each; the others need larger distances."""
    n_buckets, farthest = (
        config.relative_attention_num_buckets,
        config.relative_attention_max_distance,
    )
    if n_buckets < 4 or farthest <= n_buckets // 2:
        raise HeadlightError(
            "The config.json of {name} has {n_buckets} buckets for distances up to {farthest}. "
            "T5 does not work with these numbers.",
            name=name,
            farthest=farthest,
            n_buckets=n_buckets,
        )


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
    max_len=capture_limit,
    refuse=_refuse_no_distances,
)
