"""DistilBERT (Sanh et al. 2019): half of BERT's layers, no segments."""

from model.catalogue.pretrained.family import Family, HeadParts, LayerParts

FAMILY = Family(
    model_type="distilbert",
    projections=("q_lin", "k_lin", "v_lin"),
    output="attention.out_lin",
    parts=LayerParts(
        attention="attention.out_lin",
        feed_forward="ffn.lin2",
        norms=("sa_layer_norm", "output_layer_norm"),
    ),
    head=HeadParts(
        table="vocab_projector",
        transform=("vocab_transform", "activation", "vocab_layer_norm"),
    ),
)
