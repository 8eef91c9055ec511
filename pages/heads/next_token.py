"""What a decoder would write next: with heads off, or trained further."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.intervention import Intervention, next_tokens, total_variation
from model.capture.blanks import seen_breaks
from model.catalogue.causal import LoadedCausal
from pages.heads.selection import named
from pages.shared import captures, loading
from pages.shared.language import _, plain
from pages.shared.recipe import Shown
from pages.shared.tables import cells, share_column

TOP, MOVED = 6, 6
"""Tokens that are listed: the most probable ones of either run, and those that moved most."""

MOST_TOKENS = 128
"""Behind so many tokens, the last of a text, it is worked out how far what comes next moved: a
second on one core."""

MOST_LETTERS = 28
"""Of the end of a text."""


def next_changed(shown: Shown, before: Intervention, after: Intervention) -> None:
    """Draw what comes next in both runs, behind the words that are chosen.

    Args:
        shown: The side, unchanged.
        before: The run that it is compared with.
        after: The heads that are off.
    """
    model = loading.decoder(shown.recipe.model)
    hidden = [_states(shown, change) for change in (before, after)]
    positions = choose_behind(shown)
    names = _("all heads on"), _("heads off")
    for position, column in zip(positions, _two_by_two(len(positions)), strict=True):
        with column:
            runs = [next_tokens(model, states[[position]])[0] for states in hidden]
            draw(shown, position, model, dict(zip(names, runs, strict=True)))


def next_of_both(left: Shown, right: Shown) -> None:
    """Draw what comes next by two decoders that know the same tokens.

    Args:
        left: The base.
        right: The one that was trained further.
    """
    names = named(left, right), named(right, left)
    models = [loading.decoder(shown.recipe.model) for shown in (left, right)]
    hidden = [_states(shown, Intervention()) for shown in (left, right)]
    positions = choose_behind(left)
    for position, column in zip(positions, _two_by_two(len(positions)), strict=True):
        with column:
            runs = [
                next_tokens(model, states[[position]])[0]
                for model, states in zip(models, hidden, strict=True)
            ]
            draw(left, position, models[0], dict(zip(names, runs, strict=True)))


def _two_by_two(count: int) -> list[DeltaGenerator]:
    """Columns, two in a row."""
    return [column for _row in range(0, count, 2) for column in st.columns(2)][:count]


def choose_behind(shown: Shown) -> list[int]:
    """Draw the choice of words behind which it is told what comes next.

    Returns:
        The tokens that end them, by position; the last of all, if none is chosen.
    """
    labels = shown.labels
    words = range(len(labels))
    st.session_state["next_behind"] = [i for i in st.session_state["next_behind"] if i in words]
    st.pills(
        _("What comes next behind (at the end, if none is chosen)"),
        words,
        format_func=lambda i: plain(labels[i]),
        selection_mode="multi",
        key="next_behind",
        persist_state="session",
    )
    chosen = sorted(st.session_state["next_behind"]) or [len(labels) - 1]
    return [shown.units[i].positions[-1] for i in chosen]


def draw(shown: Shown, position: int, model: LoadedCausal, runs: Mapping[str, np.ndarray]) -> None:
    """Draw what comes next behind a token in two runs, and how far apart they are.

    Args:
        shown: The side whose sentence it is.
        position: Of the token.
        model: Whose tokens.
        runs: Probabilities (V,) by what the run is called; two of them.
    """
    first, second = runs.values()
    st.markdown(
        _("Behind “{token}”: total variation **{moved:.4f}**").format(
            token=plain(_behind(shown, position)), moved=total_variation(first, second)
        ),
        help=_(
            "Half of what the probabilities of all {count:,} tokens differ by, summed: 0 where "
            "nothing moved, 1 where nothing that was possible still is."
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
        alt=_("Tokens that come next, by probability"),
        column_config={
            "token": _("comes next"),
            **{name: share_column(name) for name in runs},
            "moved": st.column_config.NumberColumn(_("moved by"), format="%+.4f"),
        },
    )


def spelled(model: LoadedCausal, token_id: int) -> str:
    """A token as it is written: its space can be seen, and so can a new line."""
    return f"“{seen_breaks(model.token_name(token_id))}”"


def moved_next(shown: Shown, before: Intervention, after: Intervention) -> np.ndarray:
    """How far what comes next moved behind every token, (T,); not a number where it is too long."""
    recipe, n_tokens = shown.recipe, len(shown.capture.tokens)
    last = min(n_tokens, MOST_TOKENS)
    moved = captures.moved_next(recipe.model, recipe.text, before, after, last)
    return np.concatenate([np.full(n_tokens - last, np.nan), moved])


def _states(shown: Shown, change: Intervention) -> np.ndarray:
    recipe = shown.recipe
    return captures.intervened(recipe.model, recipe.text, recipe.text_pair, change).hidden


def _behind(shown: Shown, position: int) -> str:
    """The end of the text up to a token, as it was typed."""
    start, end = shown.capture.offsets[position]
    if end == start:  # a control token
        return shown.capture.tokens[position]
    said = shown.capture.text[:end]
    return said if len(said) <= MOST_LETTERS else f"…{said[-MOST_LETTERS:].partition(' ')[2]}"


def _listed(first: np.ndarray, second: np.ndarray) -> list[int]:
    """The most probable tokens of either run and those that moved most, by the first's opinion."""
    best = [np.argsort(-values, kind="stable")[:TOP] for values in (first, second)]
    change = np.abs(second - first)
    moved = [i for i in np.argsort(-change, kind="stable")[:MOVED] if change[i] > 0]
    ids = np.unique(np.concatenate([*best, moved]).astype(int))
    return ids[np.argsort(-first[ids], kind="stable")].tolist()
