"""The Positions page: how attention learns about order."""

import streamlit as st

from model import HeadlightError
from pages.positions.schemes import schemes
from pages.positions.shuffle import shuffle
from pages.positions.sinusoids import sinusoids
from pages.positions.url import Positions
from web.inference.compute_queue_ui import queue_fragment
from web.language import in_words, plain
from web.view_state import address
from web.widgets import present

DRAW = {"sinusoidal": sinusoids, "shuffle": shuffle, "schemes": schemes}


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(Positions.fields)
    kind = Positions.kind.draw()
    part(kind)
    present.caption_line(Positions.kind.names()[kind])


@queue_fragment("positions")
def part(kind: str) -> None:
    """Draw a part, or its error."""
    try:
        DRAW[kind]()
    except HeadlightError as error:
        st.error(plain(in_words(error)), icon=":material/error:")
    address.keep(Positions.fields)


main()
