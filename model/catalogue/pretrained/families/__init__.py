"""The families of models that can be looked at, a file each.

A new one is a file here, its name in this list, and a tiny checkpoint of it in
tests/model/checkpoints.py, or the like for decoders: every test of a family then runs on it too.
"""

from model.catalogue.pretrained.families import (
    albert,
    bart,
    bert,
    distilbert,
    electra,
    gpt2,
    llama,
    marian,
    mistral,
    modernbert,
    qwen2,
    roberta,
    t5,
)

FAMILIES = {
    module.FAMILY.model_type: module.FAMILY
    for module in (
        *(bert, roberta, electra, albert, distilbert, modernbert),
        *(gpt2, llama, mistral, qwen2),
    )
}
"""By what config.json calls them, in the order in which a message lists them: encoders first."""

ENCODER_DECODERS = {module.FAMILY.model_type: module.FAMILY for module in (t5, bart, marian)}
"""Likewise, those that read one text and write another."""
