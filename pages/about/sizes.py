"""Size counter: the parameters of a Transformer by part."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from model import DecoderConfig, EncoderConfig, HeadlightError, parameter_counts
from pages.about.url import Sizes
from web.language import _, in_words, plain
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.export import code_menu
from web.widgets.tables import cells
from web.widgets.view_code import ViewCode

Values = Mapping[str, Any]
"""Values of the page's parameters; a missing one has its default."""

_BERT = {
    "kind": "encoder", "vocab": 30_522, "d_model": 768, "heads": 12, "d_ff": 3072, "layers": 12,
    "positions": "learned", "length": 512, "segments": 2, "embedding_norm": True, "pooler": True
}  # fmt: skip
_GPT2 = {
    "kind": "decoder", "vocab": 50_257, "d_model": 768, "heads": 12, "d_ff": 3072, "layers": 12,
    "norm": "pre", "positions": "learned", "length": 1024
}  # fmt: skip


@dataclass(frozen=True)
class Published:
    """A published model, with the number of parameters as its paper prints it."""

    name: str
    source: str
    sizes: Values
    printed: str
    remark: str


def published() -> dict[str, Published]:
    """Return the published models by id, in the order of the table."""
    tutorial = {name: _BERT[name] for name in ("kind", "d_model", "heads", "d_ff", "layers")}
    large = {"d_model": 1024, "heads": 16, "d_ff": 4096, "layers": 24}
    third = {"d_model": 12_288, "heads": 96, "d_ff": 49_152, "layers": 96, "length": 2048}
    return {
        "base": Published(
            "Transformer base",
            "Vaswani et al. 2017",
            {},
            "65M",
            _("One table of “about 37,000” tokens; biases everywhere, as in our model"),
        ),
        "tutorial": Published(
            "Transformer encoder",
            "Vaswani et al. 2017",
            {**tutorial, "vocab": 30_000},
            "110.1M",
            _("BERT-base's sizes, vocabulary 30,000; a tutorial's 110.1M is wrong"),
        ),
        "bert-base": Published(
            "BERT-base",
            "Devlin et al. 2018",
            _BERT,
            "110M",
            _("With its pooler, which our model does not have; published rounded"),
        ),
        "bert-large": Published(
            "BERT-large",
            "Devlin et al. 2018",
            {**_BERT, **large},
            "340M",
            _("With its pooler; the published number is larger than the count"),
        ),
        "gpt-2": Published(
            "GPT-2",
            "Radford et al. 2019",
            _GPT2,
            "117M",
            _("117M was a mistake, according to its authors; output: the token table"),
        ),
        "gpt-3": Published(
            "GPT-3",
            "Brown et al. 2020",
            {**_GPT2, **third},
            "175B",
            _("Published rounded; output: the token table, as in GPT-2"),
        ),
    }


Stack = tuple[EncoderConfig | DecoderConfig, dict[str, bool]]
"""The sizes of a stack, and the options of ``parameter_counts``."""


def counts(sizes: Values) -> dict[str, dict[str, int]]:
    """Count the parameters by stack and part; an encoder and a decoder share one token table."""
    return {
        stack: parameter_counts(config, **options)
        for stack, (config, options) in _stacks(sizes).items()
    }


def _stacks(sizes: Values) -> dict[str, Stack]:
    """Return the stacks of a model."""
    at = {name: field.default for name, field in Sizes.fields.items()} | dict(sizes)
    stack = {
        "vocab_size": at["vocab"],
        "d_model": at["d_model"],
        "n_heads": at["heads"],
        "d_ff": at["d_ff"],
        "n_layers": at["layers"],
        "max_len": at["length"],
        "norm": at["norm"],
        "positions": at["positions"],
        "embedding_norm": at["embedding_norm"],
    }
    kind = at["kind"]
    found: dict[str, Stack] = {}
    if kind != "decoder":
        encoder = EncoderConfig(n_segments=at["segments"], **stack)
        pooler = kind == "encoder" and at["pooler"]
        found["encoder"] = encoder, {"pooler": pooler}
    if kind != "encoder":
        both = kind == "both"
        decoder = DecoderConfig(cross_attention=both, **stack)
        found["decoder"] = decoder, {"shared_tokens": both}
    return found


@fragment("sizes")
def sizes() -> None:
    """Draw the inputs, the counts, and the published models."""
    st.subheader(_("Where the parameters are"), anchor="sizes")
    _inputs()
    chosen = {name: field.value for name, field in Sizes.fields.items()}
    try:
        found = counts(chosen)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    else:
        _parts(found)
        code_menu("sizes", _code(chosen))
    _published()
    address.keep(Sizes.fields)


def _code(sizes: Values) -> ViewCode:
    calls = [
        f"parameter_counts({config}, {name}={value})"
        for config, options in _stacks(sizes).values()
        for name, value in options.items()
    ]
    uses = (EncoderConfig, DecoderConfig)
    return ViewCode(f"[{', '.join(calls)}]", parameter_counts, uses, "Kaplan et al. 2020, 2.1")


def _inputs() -> None:
    with st.container(horizontal=True):
        for name, known in published().items():
            st.button(known.name, key=f"preset_{name}", on_click=_store, args=(known.sizes,))
    kind = Sizes.kind.draw()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for field in (Sizes.vocab, Sizes.d_model, Sizes.heads, Sizes.d_ff):
            field.draw()
        Sizes.layers.draw(_("Layers of each") if kind == "both" else "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name in ("norm", "positions", "length", "segments", "embedding_norm", "pooler"):
            if Sizes.fields[name].when():
                Sizes.fields[name].draw()


def _store(chosen: Values) -> None:
    """Show a published model; a callback."""
    for name, field in Sizes.fields.items():
        field.value = chosen.get(name, field.default)


def _parts(found: dict[str, dict[str, int]]) -> None:
    names = {
        "encoder": _("encoder"),
        "decoder": _("decoder"),
        "token embedding": _("token embedding"),
        "positions": _("positions"),
        "segments": _("segments"),
        "embedding norm": _("embedding norm"),
        "attention": _("attention"),
        "cross-attention": _("cross-attention"),
        "feed-forward": _("feed-forward"),
        "layer norms": _("layer norms"),
        "pooler": _("pooler"),
    }
    total = _total(found)
    st.markdown(_("**{count:,}** parameters.").format(count=total))
    rows = [
        {
            **({_("stack"): names[stack]} if len(found) > 1 else {}),
            _("part"): names[part],
            _("parameters"): count,
            _("share"): count / total,
        }
        for stack, parts in found.items()
        for part, count in parts.items()
    ]
    table = cells(pd.DataFrame(rows))
    styled = table.style.format({_("parameters"): "{:,}", _("share"): "{:.1%}"})
    st.dataframe(styled, hide_index=True, height="content")


def _published() -> None:
    st.markdown(_("##### Counted and published parameters"))
    rows = []
    for known in published().values():
        at = {name: field.default for name, field in Sizes.fields.items()} | dict(known.sizes)
        rows.append(
            {
                _("model"): known.name,
                _("from"): known.source,
                "d_model": at["d_model"],
                _("heads"): at["heads"],
                _("layers"): "6 + 6" if not known.sizes else str(at["layers"]),
                "d_ff": at["d_ff"],
                _("counted"): _total(counts(known.sizes)),
                _("published"): known.printed,
                _("remark"): known.remark,
            }
        )
    table = cells(pd.DataFrame(rows))
    numbers = dict.fromkeys(["d_model", "d_ff", _("counted")], "{:,}")
    st.dataframe(table.style.format(numbers), hide_index=True, height="content")


def _total(found: dict[str, dict[str, int]]) -> int:
    return sum(sum(parts.values()) for parts in found.values())
