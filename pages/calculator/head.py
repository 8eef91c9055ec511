"""The part "A real head": one head of a model on the reader's text, step by step."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from model import HeadlightError, load_model
from model.calculator import CalculatorSettings
from model.calculator.real_head import from_head, largest_difference
from model.catalogue.names import TRANSLATORS
from pages.calculator.cards import draw_steps, write_link
from pages.calculator.controls import options, say_weight, show_code
from pages.calculator.head_calculation import WINDOW, HeadCalculation
from pages.calculator.selection import Selection
from pages.calculator.url import Calculator, settings
from web import settings as server
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain, translated
from web.model_name import model_name
from web.subject import Subject
from web.translators import DEFAULT, EXTERNAL_DEFAULT, default_text
from web.widgets import present, sentence_box
from web.widgets.capture_view import capture_part, capture_state, capture_view
from web.widgets.head_picker import head_boxes, layers_without_attention, shared_keys
from web.widgets.model_picker import described, draw_picker, load_picked_model
from web.widgets.text_warnings import beyond_training


def draw() -> None:
    """Draw the choice of stack, model and text, and the head's calculation."""
    try:
        request = _choose_subject()
        if request is None:
            return
        request.capture().check_softmax()
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    _steps(request)


def _choose_subject() -> Subject | None:
    """Draw the form; None if there is no text."""
    sentence_box.cut_long_texts()
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        if (stack := Calculator.stack.draw()) != "encoder":
            return _translation(stack)
        sentence_box.first_box()
        sentence_box.second_button()
        draw_picker(Calculator.left, label_visibility="collapsed", width=240)
    model = load_picked_model(Calculator.left)
    if not sentence_box.second_box():
        return None
    beyond_training(model.name)
    pair = Calculator.pair.value
    return Subject("right", model.name, Calculator.text.value, pair if pair.strip() else None)


def _translation(stack: str) -> Subject:
    """Draw the text and the translator, and what it writes."""
    text = Calculator.source.draw(on_change=_clear_forced)
    chosen = Calculator.translator.value
    translator = Calculator.translator.draw(
        options=TRANSLATORS if chosen in TRANSLATORS else (*TRANSLATORS, chosen),
        format_func=described,
        accept_new_options=server.now().any_model,
        on_change=_on_translator,
    )
    forced = tuple(Calculator.forced.value)
    request = Subject("right", translator, text, stack=stack, forced=forced)
    written = plain(request.translation().text) or "–"
    st.markdown(f"→ **{written}**", width="content")
    if stack != "source":
        named = _(
            "A row is named by its query, the last token read; on Decoder, by the token that it "
            "writes next."
        )
        st.caption(named, width="content")
    if forced:
        st.button(_("Remove the forced tokens"), on_click=_clear_forced, type="tertiary")
    return request


def _clear_forced() -> None:
    """Remove the forced tokens, which belong to one text; a callback."""
    Calculator.forced.value = []


def _on_translator() -> None:
    """Replace the example of another translator; a callback."""
    if Calculator.source.value in (*DEFAULT.values(), EXTERNAL_DEFAULT):
        Calculator.source.value = default_text(Calculator.translator.value)
    _clear_forced()


@queue_fragment("calculation")
def _steps(request: Subject) -> None:
    """Draw the choice of the head and its steps, in a fragment: nothing else reruns."""
    capture = request.capture()
    with st.container(horizontal=True, key="head_row"):
        head_boxes(capture.n_layers, capture.n_heads, label_visibility="collapsed")
        with options():
            _choose_window(max(len(capture.tokens), len(capture.key_tokens)))
        Calculator.mistake.draw()
    head, wanted = HeadCalculation.of_session(request), settings()
    if head.layer in capture.without_attention():
        st.info(layers_without_attention(capture))
        return
    calculated = head.show(wanted, Calculator.decimals.value, Calculator.mistake.value)
    selection = head.selection(Calculator.look.value)
    link = selection if selection.family == "pair" else head.selection(Selection())
    say_weight(calculated, link.row, link.column)
    own = calculated.calculation
    off = None if own is None else largest_difference(own, head.weights())
    changed = wanted != CalculatorSettings()
    if off is not None and changed:  # the map below has the model's own numbers
        _draw_difference(off, changed)
    with present.stage("map"):
        part = capture_part(capture, "left", model=model_name(request.model))
        capture_view(part, key="calculated", show=("head",))
    picked = [link.row + head.window().along("query", len(capture.tokens))[0]]
    place = {"left": [head.layer, head.head], "picked": picked}
    capture_state(place, partial(_choose_query, request), key="calculated")
    draw_steps(calculated, head.names(), key="steps", side=request.hue, selection=selection)
    if off is not None and not changed:
        _draw_difference(off, changed)
    if shared := shared_keys(capture):
        st.caption(shared[capture.key_head(head.head)])
    show_code(head.code(wanted), load_model, from_head)
    walk = present.Walk(capture.n_layers, capture.n_heads)
    present.caption_line(model_name(request.model), request.sentence, walk=walk)
    write_link()


def _choose_query(request: Subject, changed: Mapping[str, Any]) -> None:
    """Select the clicked row of the map and its largest weight; a callback."""
    if not changed.get("picked"):
        return
    query, n_tokens = int(changed["picked"][-1]), len(request.capture().tokens)
    start, stop = HeadCalculation.of_session(request).window().along("query", n_tokens)
    if not start <= query < stop:
        Calculator.first.value = query
    head = HeadCalculation.of_session(request)
    row = query - head.window().along("query", n_tokens)[0]
    column = int(head.weights()[query].argmax())
    Calculator.look.value = replace(Calculator.look.value, family="pair", row=row, column=column)


def _choose_window(n_tokens: int) -> None:
    """Draw the choice of the first token to draw, if not all of them fit."""
    last = max(n_tokens - WINDOW, 0)
    field = Calculator.first
    field.value = min(field.value, last)
    if last:
        field.draw(translated(field.label).format(shown=WINDOW, count=n_tokens), max_value=last)


def _draw_difference(off: float, changed: bool) -> None:
    """Draw the largest difference from the model's own weights."""
    says = (
        _(
            "**Your options differ from the model's**, whose weights the map shows: they differ by "
            "up to {off:.4f}."
        )
        if changed
        else _("Computed again step by step: the weights agree with the model's to {least}.")
    )
    least = np.format_float_positional(off, precision=1, fractional=False)
    st.caption(says.format(off=off, least=least))
