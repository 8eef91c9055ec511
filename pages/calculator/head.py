"""A real head on the reader's text: its true q, k and v, and all that follows from them."""

import streamlit as st

from model import AttentionCapture, model_info
from model.calculator import Calculation, Settings
from model.calculator.real_head import largest_difference
from pages.calculator.address import settings
from pages.calculator.ask import ask
from pages.calculator.asked import STACKS, Asked
from pages.calculator.cards import draw_steps, keep_link
from pages.calculator.controls import choose_settings
from pages.calculator.head_task import WINDOW, Head
from pages.calculator.take_away import remember, show_working, take_away
from pages.shared import present
from pages.shared.head_picker import head_boxes, head_name
from pages.shared.language import _
from pages.shared.model_name import model_name
from pages.shared.turns import part


def draw() -> None:
    """Draw the choice of stack, model and text, settings, and the head's calculation."""
    asked = ask(_("Whose head"), *STACKS)
    if asked is None:
        return
    choose_settings()
    _steps(asked)
    take_away("headlight_head")


@part("calculation")
def _steps(asked: Asked) -> None:
    """The choice of the head and its steps: a fragment, so that nothing else is repainted."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        capture = asked.captured()
        head_boxes("", capture.n_layers, capture.n_heads, _("Layer"), _("Head"))
        _choose_window(max(len(capture.tokens), len(capture.key_tokens)))
    head, wanted = Head.of_session(asked), settings()
    _say_mask(capture, head)
    _say_shared(capture, head)
    remember(head)
    worked = head.show(wanted, st.session_state["mistake"])
    if worked.calculation is not None:
        _compare(worked.calculation, largest_difference(worked.calculation, head.weights()), wanted)
    draw_steps(
        worked,
        head.names(),
        key="steps",
        side="left" if model_info(asked.model).from_scratch else "right",
        look=head.look(st.session_state["look"]),
    )
    show_working("qkv")
    walk = present.Walk(capture.n_layers, capture.n_heads)
    present.caption_line(model_name(asked.model), asked.in_words(), walk=walk)
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


def _say_mask(capture: AttentionCapture, head: Head) -> None:
    """Say that a mask of the model's own stays, whatever is chosen above."""
    own = capture.allowed[head.layer]
    if own is not None:
        st.caption(
            _(
                "The model's own mask stays: {hidden} of {count} pairs are hidden. What is chosen "
                "under “Mask” hides more."
            ).format(hidden=int((~own).sum()), count=own.size)
        )


def _say_shared(capture: AttentionCapture, head: Head) -> None:
    """Say which other heads read the same keys and values, if any do."""
    n_keys, n_heads = capture.k[head.layer].shape[1], capture.n_heads
    if n_keys < n_heads:
        ours = capture.key_head(head.head)
        others = [h for h in range(n_heads) if capture.key_head(h) == ours and h != head.head]
        st.caption(
            _(
                "K and V are shared with {others}: {n_heads} query heads read {n_keys} heads of "
                "keys and values (Ainslie et al. 2023)."
            ).format(
                others=", ".join(head_name(head.layer, h) for h in others),
                n_heads=n_heads,
                n_keys=n_keys,
            )
        )


def _compare(calculation: Calculation, off: float, wanted: Settings) -> None:
    """Say how far the weights are from what the model itself computed."""
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
                ":material/edit: Changed by your settings: the model itself {does} under no mask "
                "but its own. Weights differ by up to {off:.4f} from its own."
            ).format(does=_own_way(calculation), off=off)
        )


def _own_way(calculation: Calculation) -> str:
    """What the model does to its raw scores."""
    own, biased = calculation.own_scale, calculation.bias is not None
    if own is None:
        return _("divides by √d_k and adds its bias") if biased else _("divides by √d_k")
    told = (
        _("divides by {divisor:.6g}, not by √d_k, adds its bias,")
        if biased
        else _("divides by {divisor:.6g}, not by √d_k,")
    )
    return told.format(divisor=1 / own)
