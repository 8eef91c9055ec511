"""URL parameters of the Decoder page: each of its parts has its own."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from model.transformer.beam import MOST_BEAMS
from pages.decoder.mask_spec import (
    MASK_KINDS,
    MAX_PADDING,
    MAX_TOKENS,
    PADDED_MASKS,
    read_drawn,
)
from web.translators import DEFAULT, read_forced, read_translator, task_of, write_forced
from web.view_state import address, initial_texts
from web.view_state.address import Parameter, holds
from web.view_state.parameters import (
    VIEW,
    between,
    fold,
    one_of,
    read_flag,
    read_index,
    read_name,
    read_text,
    whole_between,
    write_flag,
    write_text,
)

PARTS = ("translate", "generate", "masks", "efficient")

PART = Parameter(PARTS[0], one_of(*PARTS), always=True, key="decoder_part")


def requested_part() -> str:
    """The part whose URL parameters apply to this rerun.

    The URL decides on entering the page and after a step through the browser's history, otherwise
    the widget.
    """
    named = st.query_params.get("part")
    entering = address.is_entering()
    if named in PARTS and (entering or address.stepped()):
        return named
    return str(st.session_state.get("decoder_part", PART.default))


# -- Translate and Generate ----------------------------------------------------------------------


@dataclass(frozen=True)
class WritingKeys:
    """Session keys of settings that Translate and Generate share: a prefix and a name."""

    prefix: str
    methods: tuple[str, ...]
    max_top_k: int

    def __getitem__(self, name: str) -> str:
        return self.prefix + name


TRANSLATE_KEYS = WritingKeys("t_", ("greedy", "beam", "sample"), 100)
GENERATE_KEYS = WritingKeys("g_", ("greedy", "sample"), 1000)

DEFAULT_MODEL = "smollm2"

MAX_NEW_TOKENS = 200
"""Most tokens of one request; "Write more" continues up to the model's context length."""


def _shown_head(keys: WritingKeys, layer: int, head: int) -> dict[str, Parameter]:
    return {
        "layer": Parameter(layer, read_index, always=True, key=keys["layer"]),
        "head": Parameter(head, read_index, always=True, key=keys["head"]),
        "mean": Parameter(False, read_flag, write_flag, key=keys["mean"]),
        "view": Parameter("heatmap", one_of("heatmap", "lines"), key=keys["view"]),
    }


def _sampling(keys: WritingKeys) -> dict[str, Parameter]:
    sampling = holds(keys["how"], "sample")
    share, text = between(0.01, 1.0), "{:g}".format
    temperature, top_k = between(0.1, 5.0), whole_between(0, keys.max_top_k)
    return {
        "temperature": Parameter(
            1.0, temperature, text, relevant=sampling, key=keys["temperature"]
        ),
        "top_k": Parameter(0, top_k, relevant=sampling, key=keys["top_k"]),
        "top_p": Parameter(1.0, share, text, relevant=sampling, key=keys["top_p"]),
        "seed": Parameter(0, whole_between(0, 10**6), relevant=sampling, key=keys["seed"]),
    }


def training_opens_by_default() -> bool | None:
    """Whether the training slider opens: for a checkpoint; None for models without a history."""
    name = st.session_state["translator"]
    return None if task_of(name) is None else "@" in name


TRANSLATE: dict[str, Parameter] = {
    "part": PART,
    "how": Parameter("greedy", one_of(*TRANSLATE_KEYS.methods), key="t_how"),
    "model": Parameter("phrases", read_translator, always=True, key="translator"),
    "text": Parameter(DEFAULT["phrases"], read_text, write_text, always=True, key="phrase"),
    "stack": Parameter("cross", one_of("cross", "decoder", "encoder")),
    **_shown_head(TRANSLATE_KEYS, layer=1, head=0),
    "beams": Parameter(
        4, whole_between(2, MOST_BEAMS), relevant=holds("t_how", "beam"), key="n_beams"
    ),
    **_sampling(TRANSLATE_KEYS),
    "forced": Parameter([], read_forced, write_forced, key=TRANSLATE_KEYS["forced"]),
    "training": fold("learning_open", training_opens_by_default),
}
"""Parameters of Translate. ``how`` comes first: it decides which of the others are relevant. The
browser alone writes ``step``; see decoding/step_url.js."""

_in_conversation = holds("g_talk", True)

GENERATE: dict[str, Parameter] = {
    "part": PART,
    "how": Parameter("greedy", one_of(*GENERATE_KEYS.methods), key="g_how"),
    "talk": Parameter(False, read_flag, write_flag, key="g_talk"),
    "model": Parameter(DEFAULT_MODEL, read_name, always=True, key="g_model"),
    "text": Parameter(initial_texts.PROMPT, read_text, write_text, always=True, key="g_text"),
    "system": Parameter("", read_text, write_text, relevant=_in_conversation, key="g_system"),
    # SmolLM2's L17·H5 is an induction head: it attends to the token after an earlier occurrence.
    **_shown_head(GENERATE_KEYS, layer=17, head=5),
    **_sampling(GENERATE_KEYS),
    "tokens": Parameter(24, whole_between(1, MAX_NEW_TOKENS), key="g_tokens"),
    "until": Parameter(0, whole_between(0, 10_000), key="g_until"),
    "forced": Parameter([], read_forced, write_forced, key=GENERATE_KEYS["forced"]),
}
"""Parameters of Generate. ``how`` and ``talk`` come first: they decide which of the others are
relevant. ``until`` is the length at which this text was stopped or continued; 0: ``tokens``."""


# -- Masks and Efficient attention ---------------------------------------------------------------

ENCODERS = ("scratch", "scratch-minilm", "scratch-untrained")

SIZE_KEYS = {
    "window": "reach",
    "global": "reach",
    "low_rank": "rank",
    "features": "features",
    "hashing": "buckets",
}
"""Methods of efficient attention, and the session key of the size of each."""

_SENTENCE: dict[str, Parameter] = {
    "text": VIEW["text"],
    "encoder": Parameter("scratch", one_of(*ENCODERS)),
}

_padded, _drawn = holds("mask_kind", *PADDED_MASKS), holds("mask_kind", "drawn")


def _head(prefix: str) -> dict[str, Parameter]:
    # scratch's L2·H0 often attends to a later verb: a causal mask visibly removes that weight.
    defaults = {"layer": 2, "head": 0}
    return {
        name: replace(VIEW[name], default=default, key=f"{prefix}{name}")
        for name, default in defaults.items()
    }


MASKS: dict[str, Parameter] = {
    "part": PART,
    **_SENTENCE,
    "mask": Parameter("causal", one_of(*MASK_KINDS), always=True, key="mask_kind"),
    "inverted": Parameter(False, read_flag, write_flag),
    "pads": Parameter(3, whole_between(0, MAX_PADDING), relevant=_padded),
    "cells": Parameter("", read_drawn, relevant=_drawn, key="drawn_mask"),
    **_head("mask_"),
    "changed": Parameter(-1, whole_between(-1, MAX_TOKENS - 1)),
    "below": Parameter("weight", one_of("weight")),  # old links have others: removed_parts.py
}
"""Parameters of Masks. ``mask`` comes first: it decides which others are relevant."""


def _for(*methods: str) -> Callable[[], bool]:
    return holds("efficient_method", *methods)


EFFICIENT: dict[str, Parameter] = {
    "part": PART,
    **_SENTENCE,
    "method": Parameter("window", one_of(*SIZE_KEYS), always=True, key="efficient_method"),
    "reach": Parameter(2, whole_between(0, 4096), relevant=_for("window", "global")),
    "global": Parameter(1, whole_between(0, 64), relevant=_for("global"), key="n_global"),
    "rank": Parameter(4, whole_between(1, 4096), relevant=_for("low_rank")),
    "features": Parameter(64, whole_between(1, 65_536), relevant=_for("features")),
    "buckets": Parameter(4, whole_between(2, 64), relevant=_for("hashing")),
    "seed": Parameter(
        0, whole_between(0, 10**6), relevant=_for("features", "hashing"), key="efficient_seed"
    ),
    **_head("e_"),
}
"""Parameters of Efficient attention. ``method`` comes before those that it makes relevant."""

PARAMETERS = {
    "translate": TRANSLATE,
    "generate": GENERATE,
    "masks": MASKS,
    "efficient": EFFICIENT,
}
"""Parameters by part."""
