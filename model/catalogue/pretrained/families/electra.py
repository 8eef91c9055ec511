"""ELECTRA (Clark et al. 2020): BERT's architecture, trained to tell replaced tokens."""

from model.catalogue.pretrained.family import Family, LayerParts

FAMILY = Family(
    model_type="electra",
    projections=("query", "key", "value"),
    output="attention.output.dense",
    parts=LayerParts(
        attention="attention.output.dense",
        feed_forward="output.dense",
        norms=("attention.output.LayerNorm", "output.LayerNorm"),
    ),
    segments=True,
)
