"""BERT (Devlin et al. 2019)."""

from model.catalogue.pretrained.family import Family, LayerParts

FAMILY = Family(
    model_type="bert",
    projections=("query", "key", "value"),
    output="attention.output.dense",
    parts=LayerParts(
        attention="attention.output.dense",
        feed_forward="output.dense",
        norms=("attention.output.LayerNorm", "output.LayerNorm"),
    ),
    segments=True,
)
