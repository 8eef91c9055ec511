"""Size counter: the parameters of a Transformer by part."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import streamlit as st

from model import DecoderConfig, EncoderConfig, HeadlightError, parameter_counts
from pages.about.url import Sizes
from viz.style.labels import percent
from web.language import _, in_words, plain, sentences
from web.view_state import address
from web.view_state.widget_fields import fragment
from web.widgets.glossary import underline_terms
from web.widgets.tables import table

Values = Mapping[str, Any]
"""Values of the page's parameters; a missing one has its default."""

_BASE = {"d_model": 768, "heads": 12, "d_ff": 3072, "layers": 12}
_BERT = {
    **_BASE, "kind": "encoder", "vocab": 30_522, "positions": "learned", "length": 512,
    "segments": 2, "embedding_norm": True, "pooler": True
}  # fmt: skip
_GPT2 = {
    **_BASE, "kind": "decoder", "vocab": 50_257, "norm": "pre", "positions": "learned",
    "length": 1024
}  # fmt: skip
_LARGE = {"d_model": 1024, "heads": 16, "d_ff": 4096, "layers": 24}
_THIRD = {"d_model": 12_288, "heads": 96, "d_ff": 49_152, "layers": 96, "length": 2048}

PUBLISHED: Mapping[str, tuple[int, str, Values]] = {
    "Transformer base": (65, "Vaswani et al. 2017", {}),
    "BERT-base": (110, "Devlin et al. 2018", _BERT),
    "BERT-large": (340, "Devlin et al. 2018", {**_BERT, **_LARGE}),
    "GPT-2": (117, "Radford et al. 2019", _GPT2),
    "GPT-3": (175_000, "Brown et al. 2020", {**_GPT2, **_THIRD}),
}  # fmt: skip
"""Published models: millions of parameters in the paper, the paper, and the sizes."""

CountedStack = tuple[EncoderConfig | DecoderConfig, dict[str, bool]]
"""The sizes of a stack, and the options of ``parameter_counts``."""


def _stacks(sizes: Values) -> list[CountedStack]:
    """Return the stacks of a model; an encoder and a decoder share one token table."""
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
    kind, both = at["kind"], at["kind"] == "both"
    found: list[CountedStack] = []
    if kind != "decoder":
        options = {"pooler": kind == "encoder" and at["pooler"]}
        found.append((EncoderConfig(n_segments=at["segments"], **stack), options))
    if kind != "encoder":
        config = DecoderConfig(cross_attention=both, **stack)
        found.append((config, {"shared_tokens": both}))
    return found


@fragment("sizes")
def sizes() -> None:
    """Draw the published models, the inputs and the counts."""
    st.subheader(_("Where the parameters are"), anchor="sizes")
    choose = _("Choose a published model, or your own sizes.")
    st.markdown(sentences(_("A parameter is a number that training sets."), choose))
    chosen = {name: field.value for name, field in Sizes.fields.items()}
    defaults = {name: field.default for name, field in Sizes.fields.items()}
    with st.container(horizontal=True):
        for name, (*_paper, published) in PUBLISHED.items():
            kind: Any = "primary" if defaults | dict(published) == chosen else "secondary"
            key = f"preset_{name}"
            st.button(name, key=key, type=kind, on_click=_store, args=(published,))
        with st.popover(_("Your own sizes"), icon=":material/tune:", key="sizes_popover"):
            for field in Sizes.fields.values():
                if field.when():
                    field.draw()
    chosen = {name: field.value for name, field in Sizes.fields.items()}
    try:
        _draw_parts(chosen)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    address.keep(Sizes.fields)


def _store(chosen: Values) -> None:
    """Show a published model; a callback."""
    for name, field in Sizes.fields.items():
        field.value = chosen.get(name, field.default)


def _draw_parts(chosen: Values) -> None:
    found = [parameter_counts(config, **options) for config, options in _stacks(chosen)]
    names = {
        "token embedding": _("Token embedding (of encoder and decoder)")
        if len(found) > 1
        else _("Token embedding"),
        "positions": _("Positions"),
        "segments": _("Segments"),
        "embedding norm": _("Embedding norm"),
        "attention": _("Self-attention"),
        "cross-attention": _("Cross-attention"),
        "feed-forward": _("Feed-forward"),
        "layer norms": _("Layer norms"),
        "pooler": _("Pooler"),
    }
    counts = sum(map(Counter, found), Counter[str]())  # of both stacks
    total, [(largest, count)] = counts.total(), counts.most_common(1)
    said = _("**{name}: {count:,} parameters.** The largest part is {part}: {share:.0%}.")
    defaults = {name: field.default for name, field in Sizes.fields.items()}
    known = (name for name, (*_paper, at) in PUBLISHED.items() if defaults | dict(at) == chosen)
    name, paper = next(known, ""), ""
    if name:
        millions, source, _sizes = PUBLISHED[name]
        paper = _("{source} give {count:,} M and do not say how they were counted.")
        paper = paper.format(count=millions, source=source)
    name = name or _("Your own sizes")
    text = said.format(name=name, count=total, share=count / total, part=names[largest])
    st.markdown(underline_terms(sentences(text, paper)))
    parts = counts.most_common()
    columns = {
        _("part"): [names[part] for part, _count in parts],
        _("parameters"): [count for _part, count in parts],
        _("share"): [count / total for _part, count in parts],
    }
    table(columns, _("Where the parameters are"), {_("parameters"): "{:,}", _("share"): percent})
