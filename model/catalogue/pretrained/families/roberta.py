"""RoBERTa (Liu et al. 2019): BERT without segments, with positions counted from the padding id."""

from transformers import PretrainedConfig

from model.catalogue.pretrained.family import Family, HeadParts, LayerParts


def _after_the_padding_id(config: PretrainedConfig) -> int:
    return int(config.pad_token_id) + 1


FAMILY = Family(
    model_type="roberta",
    projections=("query", "key", "value"),
    output="attention.output.dense",
    parts=LayerParts(
        attention="attention.output.dense",
        feed_forward="output.dense",
        norms=("attention.output.LayerNorm", "output.LayerNorm"),
    ),
    head=HeadParts(
        table="lm_head.decoder",
        transform=("lm_head.dense", "", "lm_head.layer_norm"),
    ),
    first_position=_after_the_padding_id,
)
