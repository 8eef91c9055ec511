"""The mode "A real head": one head of a model on the reader's text, step by step."""

import streamlit as st

from model import AttentionCapture, HeadlightError, load_model, model_info
from model.calculator import Calculation, Settings
from model.calculator.real_head import from_head, largest_difference
from pages.calculator.cards import draw_steps, write_link
from pages.calculator.controls import choose_settings, show_code
from pages.calculator.head_calculation import WINDOW, HeadCalculation
from pages.calculator.request_form import request_form
from pages.calculator.url import Calculator, settings
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain, translated
from web.model_name import model_name
from web.subject import Subject
from web.widgets import present
from web.widgets.head_picker import head_boxes, head_name, layers_without_attention
from web.widgets.share_link import copy_link


def draw() -> None:
    """Draw the choice of stack, model and text, settings, and the head's calculation."""
    request = request_form()
    if request is None:
        return
    try:
        request.capture().check_softmax()
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    choose_settings()
    _steps(request)
    copy_link()


@queue_fragment("calculation")
def _steps(request: Subject) -> None:
    """Draw the choice of the head and its steps, in a fragment: nothing else reruns."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        capture = request.capture()
        head_boxes(capture.n_layers, capture.n_heads)
        _choose_window(max(len(capture.tokens), len(capture.key_tokens)))
    head, wanted = HeadCalculation.of_session(request), settings()
    if head.layer in capture.without_attention():
        st.info(layers_without_attention(capture))
        return
    _draw_mask_note(capture, head)
    _draw_shared_note(capture, head)
    calculated = head.show(wanted, Calculator.decimals.value, Calculator.mistake.value)
    if calculated.calculation is not None:
        _draw_difference(
            calculated.calculation,
            largest_difference(calculated.calculation, head.weights()),
            wanted,
        )
    draw_steps(
        calculated,
        head.names(),
        key="steps",
        side="left" if model_info(request.model).from_scratch else "right",
        selection=head.initial_selection(Calculator.look.value),
    )
    show_code(head.code(wanted), load_model, from_head)
    walk = present.Walk(capture.n_layers, capture.n_heads)
    present.caption_line(model_name(request.model), request.sentence, walk=walk)
    write_link()


def _choose_window(n_tokens: int) -> None:
    """Draw the choice of the first token to draw, if not all of them fit."""
    last = max(n_tokens - WINDOW, 0)
    field = Calculator.first
    field.value = min(field.value, last)
    if last:
        field.draw(translated(field.label).format(shown=WINDOW, count=n_tokens), max_value=last)


def _draw_mask_note(capture: AttentionCapture, head: HeadCalculation) -> None:
    """Draw a note that the model's own mask stays in force."""
    own = capture.allowed[head.layer]
    if own is not None:
        st.caption(
            _("The model's own mask hides {hidden} of {count} pairs. “Mask” hides more.").format(
                hidden=int((~own).sum()), count=own.size
            )
        )


def _draw_shared_note(capture: AttentionCapture, head: HeadCalculation) -> None:
    """Draw a note on the heads that share keys and values (grouped queries), if any."""
    n_keys, n_heads = capture.k[head.layer].shape[1], capture.n_heads
    if n_keys < n_heads:
        ours = capture.key_head(head.head)
        others = [h for h in range(n_heads) if capture.key_head(h) == ours and h != head.head]
        st.caption(
            _(
                "{others} use the same K and V: {n_heads} query heads share {n_keys} heads "
                "of keys and values (Ainslie et al. 2023)."
            ).format(
                others=", ".join(head_name(head.layer, h) for h in others),
                n_heads=n_heads,
                n_keys=n_keys,
            )
        )


def _draw_difference(calculation: Calculation, off: float, wanted: Settings) -> None:
    """Draw the largest difference from the model's own weights."""
    if wanted == Settings():
        st.caption(
            _(
                "Computed again in 64 bits from the head's q, k and v. No weight differs "
                "from the model's own (32 bits) by more than {off:.1g}."
            ).format(off=off)
        )
    else:
        st.caption(
            _(
                ":material/edit: Your settings differ from the model's: it {does}, and uses "
                "only its own mask. Weights differ by up to {off:.4f}."
            ).format(does=_own_scaling(calculation), off=off)
        )


def _own_scaling(calculation: Calculation) -> str:
    """How the model scales its raw scores."""
    own, biased = calculation.own_scale, calculation.bias is not None
    if own is None:
        return _("divides by √d_k and adds its bias") if biased else _("divides by √d_k")
    text = (
        _("divides by {divisor:.6g}, not by √d_k, and adds its bias")
        if biased
        else _("divides by {divisor:.6g}, not by √d_k")
    )
    return text.format(divisor=1 / own)
