"""Published models: their sizes, and the parameter counts that their papers state."""

from dataclasses import dataclass, replace

from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.sizes import Architecture


@dataclass(frozen=True)
class Published:
    """A published model.

    Attributes:
        name: Its name in the paper.
        source: The paper.
        architecture: Its sizes, with biases everywhere as in our layers.
        printed: Number of parameters as published; empty if the paper states none.
    """

    name: str
    source: str
    architecture: Architecture
    printed: str = ""


def _transformer(d_model: int, n_heads: int, d_ff: int) -> Architecture:
    """Vaswani et al. 2017: one table of about 37,000 pieces for both languages (5.1, 3.4)."""
    encoder = EncoderConfig(37_000, d_model=d_model, n_heads=n_heads, d_ff=d_ff)
    decoder = DecoderConfig(37_000, d_model=d_model, n_heads=n_heads, d_ff=d_ff)
    return Architecture(encoder, decoder, shared_tokens=True)


_TUTORIAL = EncoderConfig(30_000, d_model=768, n_heads=12, d_ff=3072, n_layers=12)

_BERT = replace(
    _TUTORIAL,
    vocab_size=30_522,
    activation="gelu",
    positions="learned",
    n_segments=2,
    embedding_norm=True,
)

_GPT2 = DecoderConfig(
    50_257,
    d_model=768,
    n_heads=12,
    d_ff=3072,
    n_layers=12,
    max_len=1024,
    norm="pre",
    activation="gelu",
    positions="learned",
    cross_attention=False,
)

_GPT3 = replace(_GPT2, d_model=12_288, n_heads=96, d_ff=49_152, n_layers=96, max_len=2048)

PUBLISHED = {
    "base": Published("Transformer base", "Vaswani et al. 2017", _transformer(512, 8, 2048), "65M"),
    "big": Published(
        "Transformer big", "Vaswani et al. 2017", _transformer(1024, 16, 4096), "213M"
    ),
    "tutorial": Published(
        "Transformer encoder", "Vaswani et al. 2017", Architecture(_TUTORIAL), "110.1M"
    ),
    "bert-base": Published(
        "BERT-base", "Devlin et al. 2018", Architecture(_BERT, pooler=True), "110M"
    ),
    "bert-large": Published(
        "BERT-large",
        "Devlin et al. 2018",
        Architecture(replace(_BERT, d_model=1024, n_heads=16, d_ff=4096, n_layers=24), pooler=True),
        "340M",
    ),
    "minilm": Published(
        "all-MiniLM-L6-v2",
        "Reimers et al. 2019",
        Architecture(replace(_BERT, d_model=384, d_ff=1536, n_layers=6), pooler=True),
    ),
    "gpt-2": Published("GPT-2", "Radford et al. 2019", Architecture(decoder=_GPT2), "117M"),
    "gpt-3": Published("GPT-3", "Brown et al. 2020", Architecture(decoder=_GPT3), "175B"),
}
"""The models by id."""
