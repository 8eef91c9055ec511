"""Published models: their sizes, and the parameter counts that their papers state."""

from dataclasses import dataclass, replace
from typing import Any

from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.sizes import Architecture, Variants


@dataclass(frozen=True)
class Published:
    """A published model.

    Attributes:
        name: Its name in the paper.
        source: The paper.
        architecture: Its sizes. Without variants, biases are everywhere as in our layers.
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


def _llama(
    vocab_size: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, variants: Variants
) -> Architecture:
    """Touvron et al. 2023: pre-norm and rotary positions, which have no parameters."""
    decoder = DecoderConfig(
        vocab_size,
        d_model=d_model,
        n_heads=n_heads,
        d_ff=d_ff,
        n_layers=n_layers,
        norm="pre",
        positions="none",
        cross_attention=False,
    )
    return Architecture(decoder=decoder, variants=variants)


_GATED = Variants(gated=True, biases="none", rms_norm=True, untied=True)

_T5 = Variants(biases="none", rms_norm=True, n_buckets=32)


def _t5(d_model: int, n_heads: int, d_ff: int, n_layers: int, variants: Variants) -> Architecture:
    """Raffel et al. 2020: heads of 64, and one table for both sides."""
    stack: dict[str, Any] = {
        "d_model": d_model, "n_heads": n_heads, "head_width": 64, "d_ff": d_ff,
        "n_layers": n_layers, "norm": "pre", "positions": "none",
    }  # fmt: skip
    encoder, decoder = EncoderConfig(32_128, **stack), DecoderConfig(32_128, **stack)
    return Architecture(encoder, decoder, shared_tokens=True, variants=variants)


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
    "t5-small": Published(
        "T5-small", "Raffel et al. 2020", _t5(512, 8, 2048, 6, _T5), "60,506,624"
    ),
    "flan-t5-small": Published(
        "Flan-T5-small",
        "Chung et al. 2022",
        _t5(512, 6, 1024, 8, replace(_T5, gated=True, untied=True)),
        "76,961,152",
    ),
    "llama-2": Published(
        "Llama-2-7B",
        "Touvron et al. 2023",
        _llama(32_000, 4096, 32, 11_008, 32, _GATED),
        "6,738,415,616",
    ),
    "mistral": Published(
        "Mistral-7B-v0.1",
        "Jiang et al. 2023",
        _llama(32_000, 4096, 32, 14_336, 32, replace(_GATED, n_key_heads=8)),
        "7,241,732,096",
    ),
    "mixtral": Published(
        "Mixtral-8x7B",
        "Jiang et al. 2024",
        _llama(
            32_000, 4096, 32, 14_336, 32, replace(_GATED, n_key_heads=8, n_experts=8, n_active=2)
        ),
        "46,702,792,704",
    ),
    "tinyllama": Published(
        "TinyLlama-1.1B",
        "Zhang et al. 2024",
        _llama(32_000, 2048, 32, 5632, 22, replace(_GATED, n_key_heads=4)),
        "1,100,048,384",
    ),
    "smollm2": Published(
        "SmolLM2-135M",
        "Allal et al. 2025",
        _llama(49_152, 576, 9, 1536, 30, replace(_GATED, n_key_heads=3, untied=False)),
        "134,515,008",
    ),
    "qwen2.5": Published(
        "Qwen2.5-0.5B",
        "Yang et al. 2024",
        _llama(
            151_936, 896, 14, 4864, 24, replace(_GATED, n_key_heads=2, biases="qkv", untied=False)
        ),
        "494,032,768",
    ),
}
"""The models by id."""
