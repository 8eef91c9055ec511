"""What both writing parts have: the decoding method, and forced tokens."""

from collections.abc import Callable, Iterable

import streamlit as st

from model.capture.whitespace import show_line_breaks
from pages.decoder.request import Request
from pages.decoder.url import Generate, Translate, Writing
from web.language import N_, _, listed, plain, translated
from web.translators import MAX_FORCED


def decoding_method(
    of: Writing,
    on_change: Callable[[], None] | None = None,
    draw_more: Callable[[], None] = lambda: None,
) -> None:
    """Draw the popover; ``draw_more`` draws further options in it."""
    with st.popover(
        of.how.names()[of.how.value], icon=":material/tune:", key=f"{of.prefix}how_popover"
    ):
        method = of.how.draw(on_change=on_change)
        st.caption(translated(EXPLANATIONS[method]))
        if method == "beam":
            Translate.beams.draw()
        elif method == "sample":
            for field in (of.temperature, of.top_k, of.top_p, of.seed):
                field.draw(on_change=on_change)
        draw_more()


EXPLANATIONS = {
    "greedy": N_("Each step writes the most probable token."),
    "beam": N_(
        "Each step keeps the best hypotheses, so a token that is second best at "
        "first can win in the end."
    ),
    "sample": N_("Each step draws a token at random. The same seed gives the same text."),
}


def set_forced(of: Writing, forced: Iterable[tuple[int, str]] = ()) -> None:
    """Set the forced tokens, for a text that starts over; a callback."""
    of.forced.value = [*forced][:MAX_FORCED]
    if of is Generate:
        Generate.until.value = 0


def force_clicked_token(of: Writing, component: str) -> None:
    """Force the token that was clicked, and drop forced tokens after it; a callback."""
    event = st.session_state[component].forced
    step, token = int(event["step"]), str(event["token"])
    earlier = [(at, text) for at, text in of.forced.value if at < step]
    set_forced(of, [*earlier, (step, token)])


def list_forced(request: Request, of: Writing) -> None:
    """Draw the forced tokens, if there are any, and the button that removes them."""
    if not request.forced:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        at_step = _("“{token}” at step {step}")
        tokens = listed(
            at_step.format(token=show_line_breaks(token), step=step + 1)
            for step, token in request.forced
        )
        st.caption(_("Forced: {tokens}.").format(tokens=plain(tokens)), width="content")
        st.button(
            _("Remove the forced tokens"),
            on_click=set_forced,
            args=(of,),
            type="tertiary",
            key=f"{of.prefix}free",
        )
