"""Supported model families, one file each.

To add a family, add a file, its name in this list, and a tiny checkpoint in
tests/model/checkpoints.py (or in the file for decoders or encoder-decoders). All tests of families
then run on it.
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
"""Encoders and decoders by their type in config.json, in the order in which messages list them."""

ENCODER_DECODERS = {module.FAMILY.model_type: module.FAMILY for module in (t5, bart, marian)}
"""Encoder-decoders by their type in config.json."""
