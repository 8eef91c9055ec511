"""The shuffle test: reordered words with positions on and off."""

import numpy as np
import streamlit as st

from model import LoadedModel, load_model
from model.analysis.order import Reordered, reorder, typed_words
from model.analysis.units import units
from pages.positions.shared import section, showing_errors
from pages.positions.url import Positions
from viz import attention_heatmap, shortened
from web import components
from web.cache import captures, loaded_models
from web.language import _
from web.view_state.parameters import OUR_ENCODERS
from web.widgets import present
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.head_picker import head_boxes, head_name
from web.widgets.sentence_box import cut_long_texts
from web.widgets.view_code import ViewCode, loading


def shuffle() -> None:
    """Draw the test and one head before and after."""
    cut_long_texts()
    if not Positions.text.draw().strip():
        st.info(_("Type a sentence"))
        return
    _fit_order()
    _shuffled()


def _fit_order() -> None:
    """Reset the order if the sentence has changed, also on another page."""
    state = st.session_state
    text, order = Positions.text.value, list(Positions.order.value)
    before = state.get("order_of")
    if before and before[0] != text and before[1] == order:
        Positions.order.value = []
    state["order_of"] = (text, list(Positions.order.value))


@section
def _shuffled() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if Positions.model.value not in OUR_ENCODERS:
            st.warning(_("Only our encoder lets you change positions, so it is shown."))
            Positions.model.value = Positions.model.default
        model = loaded_models.loaded_model(Positions.model.draw(options=OUR_ENCODERS))
        head_boxes(model.n_layers, model.n_heads)
        Positions.strength.draw()
    with showing_errors():
        _test(model)


def _words(model: LoadedModel) -> tuple[list[str], list[int]]:
    """Return the typed words and their new order."""
    text = Positions.text.value
    tokens = model.tokenize(text)
    words = typed_words(tokens, text)
    if tokens.left_out[0].strip():
        st.warning(_("Too long for the model: {count} words are used.").format(count=len(words)))
    order = list(Positions.order.value)
    if order and sorted(order) != list(range(len(words))):
        st.warning(_("The link's order does not fit this sentence, so it is not used."))
        order = Positions.order.value = []
    return words, order or list(range(len(words)))


def _test(model: LoadedModel) -> None:
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
    name, text = model.name, Positions.text.value
    strength = Positions.strength.value
    runs = {
        times: (
            captures.reordered_run(name, text, None, times),
            captures.reordered_run(name, text, tuple(order), times),
        )
        for times in {0.0, 1.0, strength}
    }
    _explain_effect(runs[0.0], runs[1.0], is_reordered=order != sorted(order))
    _heads(model, *runs[strength], strength, moved=order != sorted(order))


def _moved() -> None:
    """Store the order; a callback."""
    Positions.order.value = [int(word) for word in st.session_state["word_order"].moved["order"]]


def _explain_effect(
    off: tuple[Reordered, Reordered], on: tuple[Reordered, Reordered], *, is_reordered: bool
) -> None:
    """Explain the effect on the output rows; each pair is (as typed, reordered)."""
    if not is_reordered:
        st.info(_("The words are in the order that you typed. Move one to start the test."))
        return
    off_by, on_by = (after.hidden_difference(typed) for typed, after in (off, on))
    left, right = st.columns(2)
    left.success(
        _(
            "**Positions off**: the output rows are the same, in the new order. Largest "
            "difference: **{off:.1e}**, rounding of 32-bit numbers."
        ).format(off=off_by)
    )
    right.warning(
        _(
            "**Positions on**: the output rows change with the order. Largest difference: "
            "**{off:.3g}**."
        ).format(off=on_by)
    )


def _heads(
    model: LoadedModel, typed: Reordered, is_reordered: Reordered, strength: float, *, moved: bool
) -> None:
    layer = min(Positions.layer.value, model.n_layers - 1)
    head = min(Positions.head.value, model.n_heads - 1)
    before = typed.capture.weights[layer, head]
    # Rows and columns back in the typed order: the remaining difference comes from the order.
    after = is_reordered.weights_as_typed(layer, head)
    titles = (
        _("{model} · {head}, as typed").format(model=model.name, head=head_name(layer, head)),
        _("Your order, sorted as typed") if moved else _("The same order: move a word"),
    )
    subtitle = _("positions × {strength:g}; {sentence}").format(
        strength=strength, sentence=shortened(typed.capture.text, 40)
    )
    with present.stage("shuffled"):
        columns = st.columns(2)
    for column, key, title, weights in zip(
        columns, ("before", "after"), titles, (before, after), strict=True
    ):
        with column:
            chart(
                attention_heatmap(
                    weights,
                    [unit.label for unit in units(typed.capture)],
                    title=title,
                    subtitle=subtitle,
                    side="left",
                    text_colour=THEME_TEXT,
                    translate=_,
                ),
                key,
                f"{model.name}_L{layer}-H{head}_positions-{strength:g}_{key}",
                _("Attention weights, {title}.").format(title=title),
                code=_code(model.name, strength, layer, head) if key == "after" else None,
            )
    st.caption(
        _("Largest difference between both: {off:.2g}. Both colour ranges are 0 to 1.").format(
            off=float(np.abs(after - before).max())
        )
    )


def _code(model: str, strength: float, layer: int, head: int) -> ViewCode:
    """Code of a head of the reordered sentence, in the typed order."""
    text, order = Positions.text.value, Positions.order.value or None
    lines = [
        f"model = {loading(model)}",
        f"shuffled = reorder(model, {text!r}, {order}, {strength})",
        f"shuffled.weights_as_typed({layer}, {head})",
    ]
    return ViewCode("\n".join(lines), reorder, (load_model,), "Vaswani et al. 2017, 3.5")
