"""DistilBERT (Sanh et al. 2019): half of BERT's layers, and no segments."""

from model.catalogue.pretrained.family import Family

FAMILY = Family(
    model_type="distilbert",
    projections=("q_lin", "k_lin", "v_lin"),
    output="attention.out_lin",
)
