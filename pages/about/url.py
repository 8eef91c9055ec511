"""URL parameters of the About page: the sizes to count."""

from collections.abc import Callable

import streamlit as st

from model import DecoderConfig, EncoderConfig
from model.transformer.cost import BITS
from model.transformer.sizes import Architecture, Variants
from web.view_state.address import Parameter, holds
from web.view_state.parameters import one_of, read_flag, whole_between, write_flag

KINDS = ("encoder", "decoder", "both")
POSITIONS = ("sinusoidal", "learned", "relative", "none")
BIASES = ("all", "qkv", "none")

LIMITS = {
    "vocab": (1, 10_000_000),
    "target": (1, 10_000_000),
    "d_model": (1, 65_536),
    "heads": (1, 1_024),
    "d_ff": (1, 1_000_000),
    "layers": (1, 256),
    "target_layers": (1, 256),
    "length": (1, 10_000_000),
    "segments": (0, 16),
    "d_embedding": (0, 65_536),
    "key_heads": (0, 1_024),
    "d_head": (0, 65_536),
    "buckets": (1, 4_096),
    "experts": (1, 1_024),
    "active": (1, 1_024),
    "tokens": (1, 10_000_000),
    "source": (1, 10_000_000),
}
"""Minimum and maximum of each number."""


def key(name: str) -> str:
    """Return the session key of a size; other pages have a d_model too."""
    return f"size_{name}"


_encoder, _both = holds(key("kind"), "encoder", "both"), holds(key("kind"), "both")


def _two_tables() -> bool:
    return _both() and not st.session_state[key("shared")]


def _number(name: str, default: int, relevant: Callable[[], bool] = lambda: True) -> Parameter:
    return Parameter(default, whole_between(*LIMITS[name]), relevant=relevant, key=key(name))


def _flag(name: str, default: bool, relevant: Callable[[], bool] = lambda: True) -> Parameter:
    return Parameter(default, read_flag, write_flag, relevant=relevant, key=key(name))


PARAMETERS: dict[str, Parameter] = {
    "kind": Parameter("both", one_of(*KINDS), always=True, key=key("kind")),
    "shared": _flag("shared", True, _both),
    "vocab": _number("vocab", 37_000),
    "target": _number("target", 37_000, _two_tables),
    "d_model": _number("d_model", 512),
    "heads": _number("heads", 8),
    "d_ff": _number("d_ff", 2_048),
    "layers": _number("layers", 6),
    "target_layers": _number("target_layers", 6, _both),
    "length": _number("length", 512),
    "norm": Parameter("post", one_of("post", "pre"), key=key("norm")),
    "positions": Parameter("sinusoidal", one_of(*POSITIONS), key=key("positions")),
    "buckets": _number("buckets", 32, holds(key("positions"), "relative")),
    "key_heads": _number("key_heads", 0),
    "d_head": _number("d_head", 0),
    "experts": _number("experts", 1),
    "active": _number("active", 1),
    "biases": Parameter("all", one_of(*BIASES), key=key("biases")),
    "gated": _flag("gated", False),
    "rms_norm": _flag("rms_norm", False),
    "qk_norm": _flag("qk_norm", False),
    "untied": _flag("untied", False, holds(key("kind"), "decoder", "both")),
    "d_embedding": _number("d_embedding", 0),
    "segments": _number("segments", 0, _encoder),
    "embedding_norm": _flag("embedding_norm", False),
    "pooler": _flag("pooler", False, holds(key("kind"), "encoder")),
    "tokens": _number("tokens", 512),
    "source": _number("source", 512, _both),
    "type": Parameter("fp32", one_of(*BITS), key=key("type")),
}
"""Defaults are the paper's base model. Parameters that decide about others come first."""


def architecture() -> Architecture:
    """Return the architecture in the session state.

    Raises:
        HeadlightError: If the sizes do not form a valid model.
    """
    at = {name: st.session_state[key(name)] for name in PARAMETERS}
    kind = at["kind"]
    stack = {
        "d_model": at["d_model"],
        "n_heads": at["heads"],
        "d_ff": at["d_ff"],
        "max_len": at["length"],
        "norm": at["norm"],
        "positions": "none" if at["positions"] == "relative" else at["positions"],
        "embedding_norm": at["embedding_norm"],
        "d_embedding": at["d_embedding"] or None,
        "head_width": at["d_head"] or None,
    }
    encoder = decoder = None
    if kind != "decoder":
        encoder = EncoderConfig(
            at["vocab"], n_layers=at["layers"], n_segments=at["segments"], **stack
        )
    if kind != "encoder":
        two_tables = kind == "both" and not at["shared"]
        decoder = DecoderConfig(
            at["target"] if two_tables else at["vocab"],
            n_layers=at["target_layers"] if kind == "both" else at["layers"],
            cross_attention=kind == "both",
            **stack,
        )
    return Architecture(
        encoder,
        decoder,
        pooler=kind == "encoder" and at["pooler"],
        shared_tokens=kind == "both" and at["shared"],
        variants=Variants(
            n_key_heads=at["key_heads"] or None,
            gated=at["gated"],
            biases=at["biases"],
            rms_norm=at["rms_norm"],
            qk_norm=at["qk_norm"],
            untied=kind != "encoder" and at["untied"],
            n_buckets=at["buckets"] if at["positions"] == "relative" else 0,
            n_experts=at["experts"],
            n_active=at["active"],
        ),
    )


def has_variants() -> bool:
    """Whether a variant of newer models differs from its default, so that its box is open."""
    names = ("key_heads", "d_head", "experts", "biases", "gated", "rms_norm", "qk_norm", "untied")
    return any(st.session_state[key(name)] != PARAMETERS[name].default for name in names)


def store(chosen: Architecture) -> None:
    """Store an architecture in the session state; used by callbacks and presets."""
    stacks = list(chosen.stacks.values())
    first, last = stacks[0], stacks[-1]
    encoder, variants = chosen.encoder, chosen.variants
    values = {
        "kind": "both" if len(stacks) > 1 else next(iter(chosen.stacks)),
        "shared": chosen.shared_tokens,
        "vocab": first.vocab_size,
        "target": last.vocab_size,
        "d_model": first.d_model,
        "heads": first.n_heads,
        "d_ff": first.d_ff,
        "layers": first.n_layers,
        "target_layers": last.n_layers,
        "length": first.max_len,
        "norm": first.norm,
        "positions": "relative" if variants.n_buckets else first.positions,
        "buckets": variants.n_buckets or 32,
        "key_heads": variants.n_key_heads or 0,
        "d_head": first.head_width or 0,
        "experts": variants.n_experts,
        "active": variants.n_active,
        "biases": variants.biases,
        "gated": variants.gated,
        "rms_norm": variants.rms_norm,
        "qk_norm": variants.qk_norm,
        "untied": variants.untied,
        "d_embedding": first.d_embedding or 0,
        "segments": encoder.n_segments if encoder else 0,
        "embedding_norm": first.embedding_norm,
        "pooler": chosen.pooler,
    }
    st.session_state.update({key(name): value for name, value in values.items()})
