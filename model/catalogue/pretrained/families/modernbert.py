"""ModernBERT (Warner et al. 2024): rotary positions, local and global layers, one fused map.

Axes: T tokens, H n_heads, K d_head.
"""

from typing import Any

from torch import Tensor
from transformers import PretrainedConfig
from transformers.models.modernbert.modeling_modernbert import apply_rotary_pos_emb

from model.capture.sites import Heads
from model.catalogue.pretrained.family import Family, HeadParts, LayerParts


def _split_and_rotate(
    config: PretrainedConfig, projected: list[Tensor], kwargs: dict[str, Any]
) -> Heads:
    """Split the fused projection and rotate q and k by position, as the module does."""
    n_heads = config.num_attention_heads
    # (1, T, 3*D) -> (1, T, 3, H, K) -> 3 x (1, T, H, K)
    q, k, v = projected[0].unflatten(-1, (3, n_heads, -1)).unbind(-3)
    cos, sin = kwargs["position_embeddings"]
    q, k = apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=2)
    # The rotated q and k are new tensors. A view of v would keep the whole fused projection in
    # memory, five tensors instead of three in a capture.
    return q[0], k[0], v[0].clone()


FAMILY = Family(
    model_type="modernbert",
    projections=("Wqkv",),
    output="attn.Wo",
    parts=LayerParts(
        attention="attn.Wo",
        feed_forward="mlp.Wo",
        norms=None,
    ),
    head=HeadParts(
        table="decoder",
        final_norm="model.final_norm",
        transform=("head.dense", "head.act", "head.norm"),
    ),
    split=_split_and_rotate,
    order="kinds",
    position_table=None,
)
