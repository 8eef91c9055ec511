"""BERT (Devlin et al. 2019)."""

from model.catalogue.pretrained.family import Family

FAMILY = Family(
    model_type="bert",
    projections=("query", "key", "value"),
    output="attention.output.dense",
    segments=True,
)
