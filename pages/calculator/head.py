"""A real head on the reader's sentence: its true q, k and v, and all that follows from them."""

import streamlit as st

from model import model_info
from model.calculator import Settings
from model.calculator.real_head import largest_difference
from pages.calculator.address import PARAMETERS, settings
from pages.calculator.cards import draw_steps, keep_link
from pages.calculator.controls import choose_settings
from pages.calculator.head_task import WINDOW, Head
from pages.calculator.take_away import remember, show_working, take_away
from pages.calculator.work import Worked
from pages.shared import cache, sentence
from pages.shared.head_picker import head_boxes
from pages.shared.language import _
from pages.shared.model_picker import pick_model
from pages.shared.trained_length import beyond_training


def draw() -> None:
    """Draw sentence, model, settings, and the head's calculation."""
    ready = sentence.ask()
    model = pick_model(PARAMETERS["left"].key, _("Model"))
    if not ready:
        return
    beyond_training(model.name)
    choose_settings()
    _steps(model.name)
    take_away("headlight_head")


@st.fragment(key="calculation")
def _steps(name: str) -> None:
    """The choice of the head and its steps: a fragment, so that nothing else is repainted."""
    model = cache.loaded_model(name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head_boxes("", model.n_layers, model.n_heads, _("Layer"), _("Head"))
        _choose_window(len(Head.of_session(name).names().keys))
    head, wanted = Head.of_session(name), settings()
    remember(head)
    worked = head.show(wanted, st.session_state["mistake"])
    _compare(head, worked, wanted)
    draw_steps(
        worked,
        head.names(),
        key="steps",
        side="left" if model_info(name).from_scratch else "right",
        look=head.look(st.session_state["look"]),
    )
    show_working("qkv")
    keep_link()


def _choose_window(n_tokens: int) -> None:
    """Draw the choice of the tokens that are drawn, where not all of them are."""
    last = max(n_tokens - WINDOW, 0)
    st.session_state["first"] = min(st.session_state["first"], last)
    if last:
        st.slider(
            _("First token drawn ({shown} of {count} fit; all of them take part)").format(
                shown=WINDOW, count=n_tokens
            ),
            min_value=0,
            max_value=last,
            key="first",
            persist_state="session",
        )


def _compare(head: Head, worked: Worked, wanted: Settings) -> None:
    """Say how far the steps are from what the model itself computed."""
    if worked.calculation is None:
        return
    off = largest_difference(worked.calculation, head.weights())
    if wanted == Settings():
        st.caption(
            _(
                "Worked out anew in 64 bits from the head's own q, k and v: no weight differs by "
                "more than {off:.1g} from what the model computed in 32."
            ).format(off=off)
        )
    else:
        st.caption(
            _(
                ":material/edit: Changed by your settings: the model itself divides by √d_k and "
                "has no such mask. Weights differ by up to {off:.4f} from its own."
            ).format(off=off)
        )
