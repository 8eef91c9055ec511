"""The families of models that can be looked at, a file each.

A new one is a file here, its name in this list, and a tiny checkpoint of it in
tests/model/checkpoints.py: every test of a family then runs on it too.
"""

from model.catalogue.pretrained.families import (
    albert,
    bert,
    distilbert,
    electra,
    gpt2,
    llama,
    mistral,
    modernbert,
    qwen2,
    roberta,
)

FAMILIES = {
    module.FAMILY.model_type: module.FAMILY
    for module in (
        *(bert, roberta, electra, albert, distilbert, modernbert),
        *(gpt2, llama, mistral, qwen2),
    )
}
"""By what config.json calls them, in the order in which a message lists them: encoders first."""
