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
    """Draw the contributions to a token's logit."""
    side, token_id = lens.side, _choose_token(lens)
    text = side.model, side.text, side.text_pair
    try:
        parts = captures.logit_contributions(*text, lens.first, lens.count, lens.at, token_id)
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    token = lens.token(token_id)
    title = _("Parts of the logit of “{token}”").format(token=shortened(token, 24))
    figure = contributions_heatmap(
        parts.heads,
        parts.feed_forward,
        title=title,
        subtitle=f"{side.name} · {shortened(lens.label, 24)}",
        text_colour=THEME_TEXT,
        translate=_,
    )
    st.markdown(underline_terms(_margin(parts, lens, token_id)))
    st.markdown(_sum(parts))
    lines = [
        attended(side),
        lens.code,
        f"contributions(model, capture, lens, {lens.at}, {token_id}).heads",
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


def _margin(parts: Contributions, lens: Lens, token_id: int) -> str:
    """Return the lead over the best other token, and the head that adds most."""
    token = plain(lens.token(token_id))
    layer, at = np.unravel_index(parts.heads.argmax(), parts.heads.shape)
    most = _(
        "Of all heads, {head} adds most to the logit of “{token}” ({most}). In the picture, green "
        "cells raise it, magenta ones lower it."
    ).format(
        token=token,
        head=head_name(int(layer), int(at)),
        most=number(float(parts.heads.max()), "+z.2f"),
    )
    ids, shares = (each[-1, lens.column] for each in (lens.found.ids, lens.found.probabilities))
    if token_id not in ids or not shares.all():  # a probability was rounded to 0
        return most
    rival = int(ids[0] == token_id)
    # Probabilities are exponentials of logits over one sum: their logarithms differ alike.
    lead = float(np.log(shares[ids == token_id][0] / shares[rival]))
    text = (
        _("**The score (logit) of “{token}” is {lead} above that of “{other}”.**")
        if lead > 0
        else _("**The score (logit) of “{token}” is {lead} below that of “{other}”.**")
    )
    margin = text.format(token=token, lead=f"{abs(lead):.3f}", other=plain(lens.token(ids[rival])))
    return sentences(margin, most)


def _sum(parts: Contributions) -> str:
    """Return the sum of the parts, in words."""
    return _(
        "The parts add up to the logit: embeddings {embeddings}, heads {heads}, feed-forward "
        "{feed_forward}, biases {biases}; together {total}. Only differences between logits count."
    ).format(
        embeddings=number(parts.embeddings, "+z.3f"),
        heads=number(float(parts.heads.sum()), "+z.3f"),
        feed_forward=number(float(parts.feed_forward.sum()), "+z.3f"),
        biases=number(parts.biases, "+z.3f"),
        total=number(parts.total, "z.3f"),
    )
