"""ELECTRA (Clark et al. 2020): BERT's architecture, trained to tell replaced tokens."""

from model.catalogue.pretrained.family import Family

FAMILY = Family(
    model_type="electra",
    projections=("query", "key", "value"),
    output="attention.output.dense",
    segments=True,
)
