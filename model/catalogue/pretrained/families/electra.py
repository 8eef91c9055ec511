"""ELECTRA (Clark et al. 2020): BERT's architecture, trained to detect replaced tokens."""

from model.catalogue.pretrained.family import Family, HeadParts, LayerParts

FAMILY = Family(
    model_type="electra",
    projections=("query", "key", "value"),
    output="attention.output.dense",
    parts=LayerParts(
        attention="attention.output.dense",
        feed_forward="output.dense",
        norms=("attention.output.LayerNorm", "output.LayerNorm"),
    ),
    head=HeadParts(
        table="generator_lm_head",
        transform=tuple(
            f"generator_predictions.{part}" for part in ("dense", "activation", "LayerNorm")
        ),
    ),
    segments=True,
)
