"""GPT-2 (Radford et al. 2019): one fused map to q, k and v, learned positions.

Axes: T tokens, H n_heads, K d_head, D d_model.
"""

from typing import Any

from torch import Tensor, nn
from transformers import PretrainedConfig

from model.capture.sites import Heads
from model.catalogue.pretrained.family import Family, HeadParts, LayerParts
from model.errors import HeadlightError


def _split_fused(
    config: PretrainedConfig, projected: list[Tensor], kwargs: dict[str, Any]
) -> Heads:
    # (1, T, 3*D) -> (T, 3, H, K) -> 3 x (T, H, K)
    q, k, v = projected[0][0].unflatten(-1, (3, config.num_attention_heads, -1)).unbind(1)
    return q, k, v


def _scale(attention: nn.Module) -> float | None:
    """Scale of a layer; some configurations also divide by the layer's number, or do not scale."""
    d_head, scaling = attention.head_dim, attention.scaling
    return None if scaling == d_head**-0.5 else float(scaling)  # type: ignore[arg-type, operator]


def _refuse_cross_attention(name: str, config: PretrainedConfig) -> None:
    if config.add_cross_attention:
        raise HeadlightError(
            "{name} needs an encoder (add_cross_attention in its config.json). Choose the "
            "complete model.",
            name=name,
        )


FAMILY = Family(
    model_type="gpt2",
    projections=("c_attn",),
    output="attn.c_proj",
    parts=LayerParts(attention="attn.c_proj", feed_forward="mlp.c_proj", norms=None),
    head=HeadParts(table="lm_head", final_norm="transformer.ln_f"),
    split=_split_fused,
    order="kinds",
    position_table="wpe",
    refuse=_refuse_cross_attention,
    stack="decoder",
    scale=_scale,
)
