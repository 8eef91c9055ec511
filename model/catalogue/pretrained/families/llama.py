"""Llama (Touvron et al. 2023), and SmolLM: rotary positions, grouped queries.

Axes: T tokens, H n_heads, G heads of keys and values, K d_head.
"""

from typing import Any

from torch import Tensor
from transformers import PretrainedConfig
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from model.capture.sites import Heads
from model.catalogue.pretrained.family import Family, HeadParts, LayerParts
from model.errors import HeadlightError


def _split_and_rotate(
    config: PretrainedConfig, projected: list[Tensor], kwargs: dict[str, Any]
) -> Heads:
    """Split the projections into heads and rotate q and k by position, as the module does."""
    n_heads, n_key_heads = config.num_attention_heads, config.num_key_value_heads
    q = projected[0].unflatten(-1, (n_heads, -1))  # (1, T, H*K) -> (1, T, H, K)
    k, v = (
        x.unflatten(-1, (n_key_heads, -1)) for x in projected[1:]
    )  # (1, T, G*K) -> (1, T, G, K)
    cos, sin = kwargs["position_embeddings"]
    q, k = apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=2)
    return q[0], k[0], v[0]


def _refuse_uneven_groups(name: str, config: PretrainedConfig) -> None:
    n_heads, n_key_heads = config.num_attention_heads, config.num_key_value_heads
    if n_key_heads < 1 or n_heads % n_key_heads:
        raise HeadlightError(
            "In the config.json of {name}, {n_heads} query heads cannot share {n_key_heads} key "
            "heads evenly.",
            name=name,
            n_heads=n_heads,
            n_key_heads=n_key_heads,
        )


FAMILY = Family(
    model_type="llama",
    projections=("q_proj", "k_proj", "v_proj"),
    output="self_attn.o_proj",
    parts=LayerParts(attention="self_attn.o_proj", feed_forward="mlp.down_proj", norms=None),
    head=HeadParts(table="lm_head", final_norm="model.norm"),
    split=_split_and_rotate,
    position_table=None,
    refuse=_refuse_uneven_groups,
    stack="decoder",
)
