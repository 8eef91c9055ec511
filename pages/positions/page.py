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
from web.language import N_, translated
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
    st.markdown(translated(WHAT_TO_SEE[kind]))
    DRAW[kind]()
    present.caption_line(Positions.kind.names()[kind])
    copy_link()


WHAT_TO_SEE = {
    "sinusoidal": N_(
        "A model holds each word as a vector, a list of numbers. Attention alone does not know "
        "the order of the words, so a vector for the position is added. **Each pair of columns "
        "is a wave, from fast to slow. Together they give every position its own pattern.**"
    ),
    "learned": N_(
        "BERT learned one vector for each of its 512 positions; our encoder `scratch` computes "
        "them. **Compare the two: do near positions have similar vectors?**"
    ),
    "shift": N_(
        "Attention should find “the word k places earlier” from any position. **Look at the "
        "line chart: one rotation R moves every position, so the points lie on the line.**"
    ),
    "relative": N_(
        "Relative positions tell attention how far apart two tokens are, not where they are. "
        "**Along each diagonal the distance is the same, and so is the number.**"
    ),
    "rotary": N_(
        "Llama and SmolLM2 turn the query and the key, each by an angle that grows with its "
        "position. **Move both by the same number of tokens: both arrows turn, and their "
        "product stays.**"
    ),
    "alibi": N_(
        "ALiBi adds no position vector. It lowers each score by the distance times a slope. "
        "**Each head has its own slope: some heads look far, others only nearby.**"
    ),
    "shuffle": N_(
        "Without positions, attention sees a sentence as a set of words. **Drag a word. If "
        "positions are off, each word keeps its output; only the order of the rows changes.**"
    ),
}


main()
