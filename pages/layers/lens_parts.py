"""Contributions to a token's logit: heads, feed-forward parts, embeddings and biases."""

import numpy as np
import streamlit as st

from model import HeadlightError, contributions, load_model, logit_lens
from model.analysis.logit_lens import Contributions, language_head
from pages.layers.lens_place import Lens
from pages.layers.url import Layers
from viz import shortened
from viz.figures.logit_lens import contributions_heatmap, contributions_width
from viz.style.labels import number
from web.cache import captures, loaded_models
from web.language import _, in_words, plain, sentences
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_name
from web.widgets.view_code import ViewCode, attended


def draw_contributions(lens: Lens) -> None:
    """Draw what each part adds to a token's lead over its best rival."""
    side, token_id = lens.side, _choose_token(lens)
    best = lens.found.ids[-1, lens.column]
    rival = int(best[int(best[0] == token_id)])
    at = side.model, side.text, side.text_pair, lens.first, lens.count, lens.at
    try:
        parts, theirs = (captures.logit_contributions(*at, each) for each in (token_id, rival))
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    token, other = lens.token(token_id), lens.token(rival)
    title = _("Logit of “{token}” − logit of “{other}”").format(
        token=shortened(token, 18), other=shortened(other, 18)
    )
    figure = contributions_heatmap(
        parts.heads - theirs.heads,
        parts.feed_forward - theirs.feed_forward,
        title=title,
        subtitle=f"{side.name} · {shortened(lens.label, 24)}",
        text_colour=THEME_TEXT,
        translate=_,
    )
    st.markdown(underline_terms(_lead(parts, theirs, token, other)))
    lines = [
        attended(side),
        lens.code,
        "parts, theirs = (",
        f"    contributions(model, capture, lens, {lens.at}, token)",
        f"    for token in ({token_id}, {rival})",
        ")",
        "parts.heads - theirs.heads",
    ]
    chart(
        figure,
        "contributions",
        stem("contributions", side.model, token, side.text.lower()),
        title,
        width=contributions_width(parts.heads.shape[1]),
        code=ViewCode("\n".join(lines), contributions, (load_model, logit_lens)),
        sides=[side],
    )


def _choose_token(lens: Lens) -> int:
    """Draw the picker of candidates at the end and at the depth; return the chosen id."""
    found, column = lens.found.ids, lens.column
    ids = [int(i) for i in (*found[-1, column], *found[lens.depth, column])]
    chosen = Layers.token.value
    n_tokens = len(language_head(loaded_models.loaded_model(lens.side.model)).table)
    if not 0 <= chosen < n_tokens:  # not chosen, or from a link with another vocabulary
        chosen = ids[0]
    Layers.token.draw_as(chosen, options={each: lens.token(each) for each in (*ids, chosen)})
    return chosen


def _lead(parts: Contributions, theirs: Contributions, token: str, other: str) -> str:
    """Return the lead over another token, the head that adds most to it, and the sum."""
    heads, lead = parts.heads - theirs.heads, parts.total - theirs.total
    layer, at = np.unravel_index(heads.argmax(), heads.shape)
    text = (
        _("**The score (logit) of “{token}” is {lead:.3f} above that of “{other}”.**")
        if lead > 0
        else _("**The score (logit) of “{token}” is {lead:.3f} below that of “{other}”.**")
    )
    most = _(
        "All heads together add {heads} to this difference; {head} adds most ({most}). With "
        "feed-forward {feed_forward}, embeddings {embeddings} and biases {biases} (the last two "
        "have no cell), the sum is {total}. Green cells are for “{token}”, magenta ones for "
        "“{other}”. A cell is what a head (last column: a feed-forward network) adds directly; it "
        "can also act through later layers."
    )
    added = {
        "most": heads.max(),
        "embeddings": parts.embeddings - theirs.embeddings,
        "heads": heads.sum(),
        "feed_forward": (parts.feed_forward - theirs.feed_forward).sum(),
        "biases": parts.biases - theirs.biases,
        "total": lead,
    }
    return sentences(text, most).format(
        token=plain(token),
        other=plain(other),
        lead=abs(lead),
        head=head_name(int(layer), int(at)),
        **{name: number(float(value), "+z.3f") for name, value in added.items()},
    )
