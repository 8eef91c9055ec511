"""A decoder's next-token predictions: with heads off, or before and after fine-tuning."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.intervention import Intervention, next_tokens, total_variation
from model.capture.whitespace import show_line_breaks
from model.catalogue.causal import LoadedCausal
from pages.heads.selection import named
from pages.heads.url import Heads
from web.cache import captures, loaded_models
from web.language import _, plain
from web.subject import Subject
from web.widgets.tables import cells, share_column

TOP, CHANGED = 6, 6
"""Listed tokens: the most probable ones of each run, and those that changed most."""

MOST_LETTERS = 28
"""Characters of the text that are shown before the predicted token."""


def knows_language_head(view: Subject) -> bool:
    """Return whether a decoder's next tokens can be computed; if not, say so."""
    known = loaded_models.decoder(view.model).language_head is not None
    if not known:
        st.caption(
            _(
                "Headlight does not know how {model} computes its predictions from the last "
                "hidden states, so it shows none."
            ).format(model=plain(view.name))
        )
    return known


def next_before_and_after(view: Subject, before: Intervention, after: Intervention) -> None:
    """Draw the next-token predictions of two runs after the chosen words."""
    model = loaded_models.decoder(view.model)
    hidden = [_hidden_states(view, change) for change in (before, after)]
    positions = choose_words(view)
    names = _("all heads on"), _("heads off")
    for position, column in zip(positions, _two_by_two(len(positions)), strict=True):
        with column:
            runs = [next_tokens(model, states[[position]])[0] for states in hidden]
            draw(view, position, model, dict(zip(names, runs, strict=True)))


def next_of_both(left: Subject, right: Subject) -> None:
    """Draw the next-token predictions of two decoders with one vocabulary."""
    names = named(left, right), named(right, left)
    models = [loaded_models.decoder(view.model) for view in (left, right)]
    hidden = [_hidden_states(view, Intervention()) for view in (left, right)]
    positions = choose_words(left)
    for position, column in zip(positions, _two_by_two(len(positions)), strict=True):
        with column:
            runs = [
                next_tokens(model, states[[position]])[0]
                for model, states in zip(models, hidden, strict=True)
            ]
            draw(left, position, models[0], dict(zip(names, runs, strict=True)))


def _two_by_two(count: int) -> list[DeltaGenerator]:
    """Return ``count`` columns, two in a row."""
    return [column for _row in range(0, count, 2) for column in st.columns(2)][:count]


def choose_words(view: Subject) -> list[int]:
    """Draw the picker of words; return each one's last token, or the text's last token."""
    words = dict(enumerate(map(plain, view.labels)))
    chosen = sorted(Heads.behind.draw(options=words)) or [len(words) - 1]
    return [view.units[i].positions[-1] for i in chosen]


def draw(view: Subject, position: int, model: LoadedCausal, runs: Mapping[str, np.ndarray]) -> None:
    """Draw the predictions of two runs, (V,) each, and their total variation distance."""
    first, second = runs.values()
    st.markdown(
        _("After “{token}”: total variation **{moved:.4f}**").format(
            token=plain(_text_before(view, position)), moved=total_variation(first, second)
        ),
        help=_(
            "Half the sum of the absolute differences of all {count:,} probabilities. 0: nothing "
            "changed. 1: no token is possible in both runs."
        ).format(count=len(first)),
    )
    ids = _listed(first, second)
    st.dataframe(
        cells(
            pd.DataFrame(
                {
                    "token": [spelled(model, id_) for id_ in ids],
                    **{name: values[ids] for name, values in runs.items()},
                    "moved": (second - first)[ids],
                }
            )
        ),
        hide_index=True,
        height="content",
        alt=_("Next tokens by probability"),
        column_config={
            "token": _("next token"),
            **{name: share_column(name) for name in runs},
            "moved": st.column_config.NumberColumn(_("change"), format="%+.4f"),
        },
    )


def spelled(model: LoadedCausal, token_id: int) -> str:
    """Return a token in quotes with visible spaces and line breaks."""
    return f"“{show_line_breaks(model.token_name(token_id))}”"


def _hidden_states(view: Subject, change: Intervention) -> np.ndarray:
    return captures.intervention_outcome(view.model, view.text, view.text_pair, change).hidden


def _text_before(view: Subject, position: int) -> str:
    """Return the end of the typed text up to a token."""
    start, end = view.capture().offsets[position]
    if end == start:  # a control token
        return view.capture().tokens[position]
    text = view.capture().text[:end]
    return text if len(text) <= MOST_LETTERS else f"…{text[-MOST_LETTERS:].partition(' ')[2]}"


def _listed(first: np.ndarray, second: np.ndarray) -> list[int]:
    """Return the ids of the most probable and most changed tokens, sorted by the first run."""
    best = [np.argsort(-values, kind="stable")[:TOP] for values in (first, second)]
    change = np.abs(second - first)
    most_changed = [i for i in np.argsort(-change, kind="stable")[:CHANGED] if change[i] > 0]
    ids = np.unique(np.concatenate([*best, most_changed]).astype(int))
    return ids[np.argsort(-first[ids], kind="stable")].tolist()
