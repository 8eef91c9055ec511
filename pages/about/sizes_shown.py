"""Results of the size counter: sentences, bars, tables, published values."""

import pandas as pd
import streamlit as st

from model.transformer.cost import BITS
from model.transformer.sizes import (
    PLAIN,
    Architecture,
    build,
    cached_numbers,
    flops_per_token,
    n_bytes,
    parameters,
)
from pages.about.notebook import sizes_lines
from pages.about.presets import presets, remark
from pages.about.url import key
from viz.figures.sizes import parts_figure
from web.cache.shared_cache import SMALL_BYTES, shared
from web.language import _
from web.widgets.charts import chart
from web.widgets.export import export_menu
from web.widgets.tables import cells

UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")


def names() -> dict[str, str]:
    """Return the names of stacks and parts, in the reader's language."""
    return {
        "encoder": _("encoder"),
        "decoder": _("decoder"),
        "token embedding": _("token embedding"),
        "positions": _("positions"),
        "relative positions": _("relative positions"),
        "segments": _("segments"),
        "embedding norm": _("embedding norm"),
        "attention": _("attention"),
        "attention products": _("attention over tokens"),
        "cross-attention": _("cross-attention"),
        "cross-attention products": _("cross-attention over tokens"),
        "feed-forward": _("feed-forward"),
        "router": _("router"),
        "layer norms": _("layer norms"),
        "cross-attention memory": _("keys and values for the decoder"),
        "pooler": _("pooler"),
        "output": _("output"),
    }


def draw_costs(chosen: Architecture) -> None:
    """Draw the totals: parameters, bytes, arithmetic."""
    kind = st.session_state[key("type")]
    bits, total = BITS[kind], _total(chosen)
    sentences = [
        _("**{count:,}** parameters, which take **{size}** in {type}.").format(
            count=total, size=in_bytes(n_bytes(total, bits)), type=kind
        )
    ]
    n_tokens, n_source = _used(chosen)
    for stack, parts in flops_per_token(chosen, n_tokens, n_source).items():
        sentences.append(
            _arithmetic(chosen, stack).format(
                flops=sum(parts.values()), n=n_tokens, source=n_source
            )
        )
    if chosen.decoder is not None:
        cached = cached_numbers(chosen, n_tokens, n_source)
        size = in_bytes(n_bytes(sum(cached.values()), bits))
        if chosen.encoder is None:
            words = _("The key/value cache of {n:,} tokens takes **{size}**.")
        else:
            words = _(
                "The key/value cache of {n:,} target and {source:,} source tokens takes **{size}**."
            )
        sentences.append(words.format(n=n_tokens, source=n_source, size=size))
    else:
        sentences.append(
            _("An encoder needs no key/value cache, because it reads all tokens together.")
        )
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))


def _arithmetic(chosen: Architecture, stack: str) -> str:
    if chosen.decoder is None:
        return _("The forward pass takes **{flops:,}** FLOPs for each of {n:,} tokens.")
    if chosen.encoder is None:
        return _("The forward pass for the next token after {n:,} takes **{flops:,}** FLOPs.")
    if stack == "encoder":
        return _("The forward pass takes **{flops:,}** FLOPs for each of {source:,} source tokens.")
    return _("The forward pass for the last of {n:,} target tokens takes **{flops:,}** FLOPs.")


def draw_parts(chosen: Architecture) -> None:
    """Draw the parameters by part as bars, with the table beside them."""
    counts = parameters(chosen)
    title = _("{count:,} parameters, by part").format(count=_total(chosen))
    picture, table = st.columns(2)
    with picture:
        figure = parts_figure(counts, title=title, names=names(), translate=_)
        alt = _("{title}; a table follows.").format(title=title)
        chart(figure, "parts", f"parameters_{_total(chosen)}", alt)
        n_tokens, n_source = _used(chosen)
        export_menu("sizes", sizes_lines(chosen, n_tokens, n_source))
    with table:
        _table(chosen)


def _table(chosen: Architecture) -> None:
    """Draw a table of every part's parameters, arithmetic and memory."""
    bits = BITS[st.session_state[key("type")]]
    counts = parameters(chosen)
    flops = flops_per_token(chosen, *_used(chosen))
    known = names()
    rows = [
        {
            _("stack"): known[stack],
            _("part"): known[part],
            _("parameters"): counts[stack].get(part, 0),
            _("share"): 100 * counts[stack].get(part, 0) / _total(chosen),
            _("bytes"): n_bytes(counts[stack].get(part, 0), bits),
            _("FLOPs per token"): flops[stack].get(part, 0),
        }
        for stack in counts
        for part in _in_order(counts[stack], flops[stack])
    ]
    table = cells(pd.DataFrame(rows))
    whole = [_("parameters"), _("bytes"), _("FLOPs per token")]
    shown = table.style.format({_("share"): "{:.2f} %", **dict.fromkeys(whole, "{:,}")})
    st.dataframe(shown, hide_index=True, height="content")


def _in_order(*parts: dict[str, int]) -> list[str]:
    """Return all parts once, in the order of the forward pass."""
    return [part for part in names() if any(part in of for of in parts)]


def explain_costs(chosen: Architecture) -> None:
    """Draw the formulas of arithmetic and memory and their limits."""
    layer = r"4 d^2 + 2 d\, d_{ff} + 2 n d"
    if chosen.variants != PLAIN or any(stack.head_width for stack in chosen.stacks.values()):
        layer = r"2\, d\, d_k (h + g) + m\, e\, d\, d_{ff} + 2 n\, h\, d_k"
    if chosen.encoder is None:
        st.latex(rf"\text{{FLOPs}} = 2\,\Big(L\,({layer}) + d\,V\Big)")
    else:
        st.latex(rf"\text{{FLOPs}} = 2\,L\,({layer})")
    st.caption(
        _(
            "A multiply-add counts as 2. W^Q, W^K, W^V and W^O take 4d². The feed-forward part "
            "takes 2·d·d_ff. The scores of a token with n tokens and the sum of their values "
            "take 2nd. Biases, norms, softmax and activations are thousands of times smaller "
            "and not counted. Training takes about three times the forward pass."
        )
    )
    if chosen.variants != PLAIN:
        st.caption(
            _(
                "h is the number of heads, g of key/value heads, d_k the head width. m is 3 with a "
                "gate, otherwise 2. e is the number of experts per token."
            )
        )
    if chosen.encoder is not None and chosen.decoder is not None:
        st.caption(
            _(
                "This is the formula of the encoder. A decoder layer adds cross-attention: 2d² "
                "for W^Q and W^O, and 2nd for the source tokens. W^K and W^V of cross-attention "
                "run once for each source token, so they count for the encoder. The output "
                "adds d·V."
            )
        )
    if chosen.decoder is not None:
        st.caption(
            _(
                "The cache holds K and V of every layer: 2 · L · n · g · d_k numbers. Without "
                "grouped queries, g · d_k is d_model. Cross-attention adds the same for the "
                "source tokens. The scales of 4-bit and 8-bit numbers are extra."
            )
        )


@shared(SMALL_BYTES)
def _built(architecture: Architecture) -> int:
    """Return the number of parameters of the model built with these sizes."""
    return sum(parameter.numel() for parameter in build(architecture).parameters())


def draw_built(chosen: Architecture) -> None:
    """Build the model and compare its number of parameters with the count."""
    if chosen.variants != PLAIN:
        st.markdown(_("Our own layers have no such variants, so this model is only counted."))
        return
    built = _built(chosen)
    words = _(
        "Check: our model with these sizes has **{built:,}** parameters (`sum(p.numel() for p "
        "in model.parameters())`)."
    )
    if chosen.pooler:
        words = _(
            "Check: our model with these sizes has **{built:,}** parameters (`sum(p.numel() for "
            "p in model.parameters())`). It has no pooler."
        )
    st.markdown(words.format(built=built))


def draw_published() -> None:
    """Draw the table of known models: counted and published."""
    st.markdown(_("##### Counted and published parameters"))
    rows = []
    for name, known in presets().items():
        stacks = list(known.architecture.stacks.values())
        rows.append(
            {
                _("model"): known.name,
                _("from"): known.source,
                "d_model": stacks[0].d_model,
                _("heads"): stacks[0].n_heads,
                _("layers"): " + ".join(str(stack.n_layers) for stack in stacks),
                "d_ff": stacks[0].d_ff,
                _("counted"): _total(known.architecture),
                _("published"): known.printed or "–",
                _("remark"): remark(name),
            }
        )
    table = pd.DataFrame(rows)
    numbers = dict.fromkeys(["d_model", "d_ff", _("counted")], "{:,}")
    st.dataframe(cells(table).style.format(numbers), hide_index=True, height="content")


def in_bytes(count: int) -> str:
    """Format bytes in the unit with the fewest digits, and exactly."""
    size, unit = float(count), 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    if unit == 0:
        return _("{count:,} bytes").format(count=count)
    return _("{size:.2f} {unit} ({count:,} bytes)").format(size=size, unit=UNITS[unit], count=count)


def _total(chosen: Architecture) -> int:
    return sum(sum(parts.values()) for parts in parameters(chosen).values())


def _used(chosen: Architecture) -> tuple[int, int]:
    """Return the number of tokens in the stack and in the source."""
    source = st.session_state[key("source")] if len(chosen.stacks) > 1 else 0
    return st.session_state[key("tokens")], source
