"""The shuffle test: reordered words with positions on and off."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import LoadedModel, load_model
from model.analysis.order import Reordered, reorder, typed_words
from model.analysis.units import units
from pages.positions.url import Positions
from viz import attention_heatmap
from web import components
from web.cache import captures, loaded_models
from web.language import _, plain, sentences
from web.view_state.parameters import OUR_ENCODERS
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_boxes, head_name
from web.widgets.model_picker import described
from web.widgets.sentence_box import cut_long_texts
from web.widgets.view_code import ViewCode, loading

Runs = Sequence[Reordered]
"""The runs on the words as typed, and in the new order."""

Picture = tuple[Reordered, float]
"""A run, and the strength of its positions."""


def shuffle() -> None:
    """Draw the words, the effect of their order, and one head before and after."""
    cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Positions.text.draw(placeholder=_("Type a sentence"))
        with st.popover(_("Options"), icon=":material/tune:", key="shuffle_options"):
            model = _choose_model()
            head_boxes(model.n_layers, model.n_heads)
            strength = Positions.strength.draw()
    if not Positions.text.value.strip():
        st.info(_("Type a sentence"))
        return
    _fit_order()
    words, order = _words(model)
    components.order(
        {
            "words": words,
            "order": order,
            "strings": {
                "shuffle": _("Shuffle"),
                "reverse": _("Reverse"),
                "typed": _("As typed"),
                "label": _("Words; arrow keys move the focused word"),
            },
        },
        key="word_order",
        on_moved=_moved,
    )
    without, with_positions = (
        [
            captures.reordered_run(model.name, Positions.text.value, words, times)
            for words in (None, tuple(order))
        ]
        for times in (0.0, strength or 1.0)
    )
    changed = None
    if order == sorted(order):
        st.markdown(_("**The words are in the order that you typed. Move one.**"))
    else:
        changed = _draw_effect(without, with_positions)
    pictures = [(run, strength or 1.0) for run in with_positions]
    if not strength:
        pictures = [*((run, 0.0) for run in without), *pictures]
    _draw_heads(model.name, pictures, order, changed)


def _choose_model() -> LoadedModel:
    if Positions.model.value not in OUR_ENCODERS:
        st.warning(_("Only our encoder lets you change positions, so it is shown."))
        Positions.model.value = Positions.model.default
    return loaded_models.loaded_model(
        Positions.model.draw(options=OUR_ENCODERS, format_func=described)
    )


def _fit_order() -> None:
    """Reset the order if the sentence has changed, also on another page."""
    state = st.session_state
    text, order = Positions.text.value, list(Positions.order.value)
    before = state.get("order_of")
    if before and before[0] != text and before[1] == order:
        Positions.order.value = []
    state["order_of"] = (text, list(Positions.order.value))


def _words(model: LoadedModel) -> tuple[list[str], list[int]]:
    """Return the typed words and their new order: reversed until a word is moved."""
    text = Positions.text.value
    tokens = model.tokenize(text)
    words = typed_words(tokens, text)
    if tokens.left_out[0].strip():
        st.warning(_("Too long for the model: {count} words are used.").format(count=len(words)))
    order = list(Positions.order.value)
    if order and sorted(order) != list(range(len(words))):
        st.warning(_("The link's order does not fit this sentence, so it is not used."))
        order = Positions.order.value = []
    return words, order or list(reversed(range(len(words))))


def _moved() -> None:
    """Store the order; a callback."""
    Positions.order.value = [int(word) for word in st.session_state["word_order"].moved["order"]]


def _draw_effect(without: Runs, with_positions: Runs) -> tuple[int, int]:
    """Say how the head changes with the order, without positions and with them.

    Returns:
        The cell that changes most with positions, in the typed order.
    """
    (typed, after), place = with_positions, (Positions.layer.value, Positions.head.value)
    before, now = typed.capture.weights[place], after.weights_as_typed(*place)
    change, tokens = np.abs(now - before), typed.capture.tokens
    of_words = np.asarray([any(map(str.isalnum, token)) for token in tokens])
    of_words &= ~np.asarray(typed.capture.special)
    if of_words.any():
        change = np.where(np.outer(of_words, of_words), change, -1)
    query, key = np.unravel_index(change.argmax(), now.shape)
    off = without[1].weights_as_typed(*place) - without[0].capture.weights[place]
    none = _(
        "**Without positions, the new order changes no weight of {model}'s {head} (only "
        "rounding: up to {off}): “{query}” gives “{key}” {without:.2f} in both orders.**"
    )
    some = (
        _(
            "**With positions × {strength:g}, “{query}” gives “{key}” {before:.2f} as typed, and "
            "{now:.2f} in the new order.**"
        )
        if Positions.strength.value
        else _(
            "**With positions, “{query}” gives “{key}” {before:.2f} as typed, and {now:.2f} in the "
            "new order.**"
        )
    )
    pairs = _(
        "All pictures keep the typed order, so each cell is the same pair of words in all of them."
    )
    unplaced = without[0].capture.weights[place][query, key]
    said = sentences(none, pairs, some).format(
        model=plain(Positions.model.value),
        head=head_name(*place),
        off=np.format_float_positional(np.abs(off).max(), precision=1, fractional=False),
        strength=Positions.strength.value,
        query=plain(tokens[query]),
        key=plain(tokens[key]),
        now=now[query, key],
        before=before[query, key],
        without=unplaced,
    )
    grey = _(
        "The number on a word is its place in your sentence, from 0; a coloured border marks a "
        "word that has moved."
    )
    ours = _(
        "scratch-minilm is our program with minilm's parameters. It was trained with positions; "
        "two of the pictures run it without them."
    )
    ours = ours if typed.capture.model == "scratch-minilm" else ""
    text = f"{said}\n\n{sentences(grey, ours)}"  # no slide has the words of the second paragraph
    present.headline("headline_shuffle").markdown(underline_terms(text))
    return int(query), int(key)


def _draw_heads(
    model: str, pictures: Sequence[Picture], order: list[int], changed: tuple[int, int] | None
) -> None:
    """Draw the head before and after, with the words in the typed order and a frame."""
    layer, head = Positions.layer.value, Positions.head.value
    new = _("Reversed") if order == sorted(order, reverse=True) else _("New order")
    new = _("As typed") if order == sorted(order) else new
    labels = [unit.label for unit in units(pictures[0][0].capture)]
    columns: list[DeltaGenerator] = []
    for half in st.columns(len(pictures) // 2):  # on a projector, one pair at a time
        with half, present.stage(f"shuffled_{len(columns)}"):
            columns += st.columns(2)
    for number, (column, (run, strength)) in enumerate(zip(columns, pictures, strict=True)):
        words = new if number % 2 else _("As typed")
        positions = {0.0: _("Without positions"), 1.0: _("With positions")}.get(strength)
        positions = positions or _("Positions × {strength:g}").format(strength=strength)
        title = f"{positions} · {words}"
        weights = run.weights_as_typed(layer, head)
        with column:
            chart(
                attention_heatmap(
                    weights,
                    labels,
                    title=title,
                    subtitle=f"{labels[changed[0]]} → {labels[changed[1]]}: {weights[changed]:.2f}"
                    if changed
                    else f"{model} · {head_name(layer, head)}",
                    side="left",
                    framed=[changed] if changed else [],
                    height=420 if len(pictures) > 2 else None,
                    text_colour=THEME_TEXT,
                    translate=_,
                ),
                f"run_{number}",
                f"{model}_L{layer}-H{head}_positions-{strength:g}_{number}",
                title,
                code=_code(model, order if number % 2 else None, strength),
            )


def _code(model: str, order: list[int] | None, strength: float) -> ViewCode:
    """Code of a head of the reordered sentence, in the typed order; None: the words as typed."""
    lines = [
        f"model = {loading(model)}",
        f"new = reorder(model, {Positions.text.value!r}, {order}, {strength})",
        f"new.weights_as_typed({Positions.layer.value}, {Positions.head.value})",
    ]
    return ViewCode("\n".join(lines), reorder, (load_model,), "Vaswani et al. 2017, 3.5")
