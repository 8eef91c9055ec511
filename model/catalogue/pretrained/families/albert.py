"""ALBERT (Lan et al. 2020): layers that share their weights."""

from transformers import PretrainedConfig

from model.catalogue.pretrained.family import Family, HeadParts, LayerParts
from model.errors import HeadlightError


def _refuse_several_attentions_a_layer(name: str, config: PretrainedConfig) -> None:
    if config.inner_group_num != 1:  # no published ALBERT has another number
        raise HeadlightError(
            "{name} has {n_inner} attention parts per layer (inner_group_num in its "
            "config.json). Headlight shows models with one.",
            name=name,
            n_inner=config.inner_group_num,
        )


FAMILY = Family(
    model_type="albert",
    projections=("query", "key", "value"),
    output="attention.dense",
    parts=LayerParts(
        attention="attention.dense",
        feed_forward="ffn_output",
        norms=("attention.LayerNorm", "full_layer_layer_norm"),
    ),
    head=HeadParts(
        table="predictions.decoder",
        transform=tuple(f"predictions.{part}" for part in ("dense", "activation", "LayerNorm")),
    ),
    segments=True,
    refuse=_refuse_several_attentions_a_layer,
)
