"""BERT (Devlin et al. 2019)."""

from model.catalogue.pretrained.family import Family, HeadParts, LayerParts

FAMILY = Family(
    model_type="bert",
    projections=("query", "key", "value"),
    output="attention.output.dense",
    parts=LayerParts(
        attention="attention.output.dense",
        feed_forward="output.dense",
        norms=("attention.output.LayerNorm", "output.LayerNorm"),
    ),
    head=HeadParts(
        table="cls.predictions.decoder",
        transform=tuple(
            f"cls.predictions.transform.{part}"
            for part in ("dense", "transform_act_fn", "LayerNorm")
        ),
    ),
    segments=True,
)
