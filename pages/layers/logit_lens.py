"""The part "Logit lens": the prediction after every layer, and contributions to a logit."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import HeadlightError, LoadedModel, load_model
from model import logit_lens as read_lens
from model.analysis.logit_lens import LogitLens, language_head
from model.analysis.units import units
from model.capture.whitespace import show_whitespace
from model.catalogue.generated_tokens import TokenName
from model.catalogue.token_names import token_namer
from pages.layers.kinds import draw_formula
from pages.layers.lens_parts import draw_contributions, lens_line
from pages.layers.lens_place import Place, draw_boxes, draw_window, place_of, take_cell
from pages.layers.url import Layers
from viz import distinct, shortened
from viz.figures.logit_lens import lens_heatmap, lens_width, percent
from web.cache import captures, loaded_models
from web.language import _, in_words, plain
from web.subject import SIDES, Subject
from web.view_state.address import link
from web.view_state.field import write_text
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.tables import cells
from web.widgets.view_code import ViewCode, loading

LAYERS_PAGE = Path(__file__).parent / "page.py"

LISTED = 6
"""Number of candidates in the table."""


def logit_lens(row: DeltaGenerator, left: Subject, right: Subject) -> None:
    """Draw the lens of one side, the candidates of a cell and the contributions to a logit."""
    sides: dict[str, Subject] = {side.side: side for side in (left, right)}
    lacks = {of: _lack(side) for of, side in sides.items()}
    able = [of for of in sides if not lacks[of]]
    if len(able) == 2:
        with row:
            side = sides[Layers.whose.draw(options={of: sides[of].name for of in sides})]
    elif able:
        side = sides[able[0]]
    else:
        side = replace(left, model="scratch")
    _look(side)
    for lack in dict.fromkeys(filter(None, lacks.values())):
        st.caption(lack)


def _lack(side: Subject) -> str:
    """Say why the layers of a model predict no token; "" if they do."""
    try:
        language_head(loaded_models.loaded_model(side.model))
    except HeadlightError as error:
        return plain(in_words(error))
    return ""


def _look(side: Subject) -> None:
    model, capture = loaded_models.loaded_model(side.model), side.capture()
    try:
        place = place_of(side, model)
        lens = captures.logit_lens(side.model, side.text, side.text_pair, place.first, place.count)
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    labels = distinct([unit.label for unit in units(capture)])
    name = token_namer(model.tokenizer)
    picture, beside = st.columns([2, 1])
    with picture:
        _picture(side, lens, place, labels, name)
        draw_window(place, labels)
        _offer_mask(side, model, place, labels)
    with beside:
        st.markdown(_leading(side, lens, place, labels, name))
        draw_boxes(place, model.n_layers, labels)
        _candidates(lens, place, name)
        draw_contributions(side, lens, place, labels, name)
    draw_formula(r"\mathrm{softmax}(\mathrm{head}(x^{(l)}))", _meaning(model))


def _leading(
    side: Subject, lens: LogitLens, place: Place, labels: list[str], name: TokenName
) -> str:
    """Return a sentence that says from which layer on the final prediction leads."""
    column = place.at - place.first
    leaders = lens.ids[:, column, 0]
    final = int(leaders[-1])
    since = int(max(np.flatnonzero(leaders != final), default=-1)) + 1
    return _(
        "**At “{place}”, {model} predicts “{token}” with {probability}; it leads from {depth} on.**"
    ).format(
        place=plain(labels[place.at]),
        model=plain(side.name),
        token=plain(show_whitespace(name(final))),
        probability=percent(float(lens.probabilities[-1, column, 0])),
        depth=f"L{since - 1}" if since else _("the embeddings"),
    )


def _meaning(model: LoadedModel) -> str:
    """Return the explanation of the rows."""
    first = (
        _("Each row shows the token that would follow each token if the layers stopped there.")
        if model.stack == "decoder"
        else _("Each row shows the predicted tokens if the layers stopped there.")
    )
    how = _("The layer's output goes straight to the language head (nostalgebraist 2020).")
    notes = [first, how]
    if model.layers[0].norms is not None:
        notes.append(
            _("The head was trained on the last layer alone, so read early rows with care.")
        )
    parts = _(
        "The parts of a logit add up because the norms' divisors and the head's activation are "
        "held fixed. A part that adds a number need not be its cause."
    )
    return " ".join((*notes, parts))


def _offer_mask(side: Subject, model: LoadedModel, place: Place, labels: list[str]) -> None:
    """Offer to hide the selected token behind a mask."""
    capture, token = side.capture(), plain(labels[place.at])
    mask = model.tokenizer.token_to_id(model.mask_token)
    start, end = capture.offsets[place.at]
    if mask is None or mask in capture.token_ids or capture.segment_ids[place.at] or start == end:
        return
    masked = f"{side.text[:start]}{model.mask_token}{side.text[end:]}"
    view = {"part": "lens", "text": write_text(masked), "whose": str(side.side)}
    models: dict[str, str] = {name: st.session_state[name] for name in SIDES}
    st.page_link(
        LAYERS_PAGE,
        label=_("Hide “{token}” behind {mask}").format(token=token, mask=model.mask_token),
        icon=":material/visibility_off:",
        help=_("The model sees this token and mostly copies it. Hidden, it must be guessed."),
        query_params=link({**view, **models}),
    )


def _picture(
    side: Subject, lens: LogitLens, place: Place, labels: list[str], name: TokenName
) -> None:
    candidates = [
        [[show_whitespace(name(int(i))) for i in cell] for cell in row] for row in lens.ids
    ]
    tokens = [labels[position] for position in lens.positions]
    what = _("prediction after each layer")
    title = f"{shortened(side.name, 28)} · {what}"
    figure = lens_heatmap(
        candidates,
        lens.probabilities,
        tokens,
        title=title,
        side=side.side,
        chosen=(place.depth, place.at - place.first),
        text_colour=THEME_TEXT,
        translate=_,
    )
    column = place.at - place.first
    alt = _(
        "{what}; the model predicts {token} at {place} with probability {probability:.4f}."
    ).format(
        what=title,
        token=candidates[-1][column][0],
        place=labels[place.at],
        probability=float(lens.probabilities[-1, column, 0]),
    )
    lines = [
        f"model = {loading(side.model)}",
        lens_line(side, lens),
        "tokens = [[model.tokenizer.id_to_token(int(ids[0])) for ids in row] for row in lens.ids]",
        "lens.probabilities[..., 0]",
    ]
    code = ViewCode("\n".join(lines), read_lens, (load_model,), "Belrose et al. 2023, 2")
    chart(
        figure,
        "lens",
        stem("logit-lens", side.model, side.text.lower()),
        alt,
        partial(take_cell, place),
        width=lens_width(place.count),
        code=code,
        sides=[side],
    )


def _candidates(lens: LogitLens, place: Place, name: TokenName) -> None:
    column = place.at - place.first
    table = pd.DataFrame(
        {
            _("candidate"): [
                show_whitespace(name(int(i))) for i in lens.ids[place.depth, column, :LISTED]
            ],
            _("probability"): lens.probabilities[place.depth, column, :LISTED],
        }
    )
    st.dataframe(
        cells(table).style.format({_("probability"): percent}), hide_index=True, height="content"
    )
