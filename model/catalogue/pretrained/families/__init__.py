"""Supported model families, one file each.

To add a family, add a file, its name in this list, and a tiny checkpoint in
tests/model/checkpoints.py (or in the file for decoders or encoder-decoders). All tests of families
then run on it.
"""

from dataclasses import replace

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

DESCRIBED = (t5.FAMILY, bart.FAMILY, marian.FAMILY)

SAME_MODULES = {"mt5": t5.FAMILY, "mbart": bart.FAMILY, "m2m_100": bart.FAMILY}
"""Types whose modules have the names of another family. NLLB is a model of type m2m_100."""

ENCODER_DECODERS = {
    **{family.model_type: family for family in DESCRIBED},
    **{name: replace(family, model_type=name) for name, family in SAME_MODULES.items()},
}
"""Encoder-decoders by their type in config.json."""
