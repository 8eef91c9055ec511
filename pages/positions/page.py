"""The Positions page: how attention learns about order."""

import streamlit as st

from pages.positions.alibi import alibi
from pages.positions.learned import learned
from pages.positions.relative import relative
from pages.positions.rotary import rotary
from pages.positions.shift import shift
from pages.positions.shuffle import shuffle
from pages.positions.sinusoids import sinusoids
from pages.positions.url import Positions
from web.language import _
from web.view_state import address
from web.widgets import present
from web.widgets.share_link import copy_link

DRAW = {
    "sinusoidal": sinusoids,
    "learned": learned,
    "shift": shift,
    "relative": relative,
    "rotary": rotary,
    "alibi": alibi,
    "shuffle": shuffle,
}


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(Positions.fields)
    kind = Positions.kind.draw()
    st.markdown(_what_to_see()[kind])
    DRAW[kind]()
    present.caption_line(Positions.kind.names()[kind])
    copy_link()


def _what_to_see() -> dict[str, str]:
    """Return the introduction of every kind: why it exists, and what to look for."""
    return {
        "sinusoidal": _(
            "A model holds each word as a vector, a list of numbers. Attention alone does not know "
            "the order of the words, so a vector for the position is added. **Each pair of columns "
            "is a wave, from fast to slow. Together they give every position its own pattern.**"
        ),
        "learned": _(
            "BERT learned one vector for each of its 512 positions; our encoder `scratch` computes "
            "them. **Compare the two: do near positions have similar vectors?**"
        ),
        "shift": _(
            "Attention should find “the word k places earlier” from any position. **Look at the "
            "line chart: one rotation R moves every position, so the points lie on the line.**"
        ),
        "relative": _(
            "Relative positions tell attention how far apart two tokens are, not where they are. "
            "**Along each diagonal the distance is the same, and so is the number.**"
        ),
        "rotary": _(
            "Llama and SmolLM2 turn the query and the key, each by an angle that grows with its "
            "position. **Move both by the same number of tokens: both arrows turn, and their "
            "product stays.**"
        ),
        "alibi": _(
            "ALiBi adds no position vector. It lowers each score by the distance times a slope. "
            "**Each head has its own slope: some heads look far, others only nearby.**"
        ),
        "shuffle": _(
            "Without positions, attention sees a sentence as a set of words. **Drag a word. If "
            "positions are off, each word keeps its output; only the order of the rows changes.**"
        ),
    }


main()
