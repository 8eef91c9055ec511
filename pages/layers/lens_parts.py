"""Contributions to a token's logit: heads, feed-forward parts, embeddings and biases."""

import streamlit as st

from model import HeadlightError, contributions, load_model, logit_lens
from model.analysis.logit_lens import Contributions, LogitLens, language_head
from model.capture.whitespace import show_whitespace
from model.catalogue.generated_tokens import TokenName
from pages.layers.lens_place import Place
from pages.layers.url import Layers
from viz import shortened
from viz.figures.logit_lens import contributions_heatmap, contributions_width
from viz.style.labels import number
from web.cache import captures, loaded_models
from web.language import _, in_words, plain
from web.model_name import model_name
from web.subject import Subject
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.view_code import ViewCode, attended, texts


def draw_contributions(
    side: Subject, lens: LogitLens, place: Place, labels: list[str], name: TokenName
) -> None:
    """Draw the contributions to a token's logit, and their sum beside the model's own logit."""
    n_tokens = len(language_head(loaded_models.loaded_model(side.model)).table)
    token_id = _choose_token(lens, place, name, n_tokens)
    try:
        parts = captures.logit_contributions(
            side.model, side.text, side.text_pair, place.first, place.count, place.at, token_id
        )
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    token = show_whitespace(name(token_id))
    title = _("Parts of the logit of “{token}”").format(token=shortened(token, 24))
    figure = contributions_heatmap(
        parts.heads,
        parts.feed_forward,
        title=title,
        subtitle=_("{model}, logit at “{place}”").format(
            model=model_name(side.model), place=shortened(labels[place.at], 24)
        ),
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = _("{title}; the parts come to {total}, the model's logit is {logit}.").format(
        title=title, total=number(parts.total, "z.4f"), logit=number(parts.logit, "z.4f")
    )
    _sum(parts)
    lines = [
        attended(side),
        lens_line(side, lens),
        f"contributions(model, capture, lens, {place.at}, {token_id}).heads",
    ]
    chart(
        figure,
        "contributions",
        stem("contributions", side.model, token, side.text.lower()),
        alt,
        width=contributions_width(parts.heads.shape[1]),
        code=ViewCode("\n".join(lines), contributions, (load_model, logit_lens)),
        sides=[side],
    )


def lens_line(side: Subject, lens: LogitLens) -> str:
    """Return code of the lens."""
    positions = range(lens.positions[0], lens.positions[-1] + 1)
    return f"lens = logit_lens(model, {texts(side)}, positions={positions})"


def _choose_token(lens: LogitLens, place: Place, name: TokenName, n_tokens: int) -> int:
    """Draw the picker of candidates at the end and at the depth; return the chosen id."""
    column = place.at - place.first
    ids = [int(i) for i in (*lens.ids[-1, column], *lens.ids[place.depth, column])]
    chosen = Layers.token.value
    if not 0 <= chosen < n_tokens:  # not chosen, or from a link with another vocabulary
        chosen = ids[0]
    tokens = {token_id: show_whitespace(name(token_id)) for token_id in (*ids, chosen)}
    Layers.token.draw_as(chosen, options=tokens)
    return chosen


def _sum(parts: Contributions) -> None:
    st.markdown(
        _(
            "embeddings {embeddings}, heads {heads}, feed-forward {feed_forward}, biases {biases}: "
            "together **{total}**. The model's logit: **{logit}**."
        ).format(
            embeddings=number(parts.embeddings, "+z.3f"),
            heads=number(float(parts.heads.sum()), "+z.3f"),
            feed_forward=number(float(parts.feed_forward.sum()), "+z.3f"),
            biases=number(parts.biases, "+z.3f"),
            total=number(parts.total, "z.3f"),
            logit=number(parts.logit, "z.3f"),
        )
    )
