"""ModernBERT (Warner et al. 2024): rotary positions, local and global layers, one fused map.

Axes: T tokens, H n_heads, K d_head.
"""

from typing import Any

from torch import Tensor
from transformers import PretrainedConfig
from transformers.models.modernbert.modeling_modernbert import apply_rotary_pos_emb

from model.capture.sites import Heads
from model.catalogue.pretrained.family import Family, HeadParts, LayerParts


def _rotated(config: PretrainedConfig, projected: list[Tensor], kwargs: dict[str, Any]) -> Heads:
    """Take q, k and v apart, and rotate q and k by their positions as the module does next."""
    n_heads = config.num_attention_heads
    q, k, v = projected[0].unflatten(-1, (3, n_heads, -1)).unbind(-3)  # 3 x (1, T, H, K)
    cos, sin = kwargs["position_embeddings"]
    q, k = apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=2)
    # The rotated q and k are tensors of their own. A view of v would keep all of the fused one
    # alive, and a capture would hold five tensors where three are read.
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
    split=_rotated,
    position_table=None,
)
