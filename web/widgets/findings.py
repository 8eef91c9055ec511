"""Findings: links to views with a sentence on what to see; a test computes their numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from web.language import N_, _, translated
from web.view_state.address import Parameters, link
from web.view_state.parameters import OTHER_TEXT, VIEW
from web.widgets.glossary import introduction, underline_terms

DENIED = "The food was not fantastic."
"""A complaint that minilm-sentiment takes for praise."""


@dataclass(frozen=True)
class Finding:
    """A view, what to see in it, and its URL parameters; others have the page's defaults."""

    page: str
    text: str
    view: Mapping[str, str]
    numbers: Mapping[str, float]

    @property
    def file(self) -> Path:
        """The file of its page, as Streamlit identifies pages."""
        return Path(__file__).parents[2] / "pages" / self.page / "page.py"

    def address(self) -> dict[str, str]:
        """Return the URL parameters of its link, with the current ones such as the language."""
        always = {name: part.write(part.default) for name, part in VIEW.items() if part.always}
        return link({**always, **self.view})


FINDINGS = {
    "animal": Finding(
        "explore",
        N_(
            "**“It” attends to “animal”: {weight:.2f} in minilm's L3·H1. With “wide” in place of "
            "“tired”, “it” means the street, but “animal” ({wide:.2f}) still gets more than "
            "“street” ({street:.2f}).** With “wide”, the largest share goes to [CLS] "
            "({rest:.2f}). Attention is not understanding."
        ),
        {"text": OTHER_TEXT, "layer": "3", "head": "1", "picked": "10"},
        {"weight": 0.68, "wide": 0.28, "street": 0.12, "rest": 0.33},
    ),
    "previous": Finding(
        "explore",
        N_(
            "**A head for the previous token.** Both heads attend to the token before: scratch's "
            "L1·H10 with {ours:.2f} of its attention, minilm's L0·H2 with {theirs:.2f}."
        ),
        {"layer": "1", "head": "10", "linked": "0", "right_layer": "0", "right_head": "2"},
        {"ours": 1.0, "theirs": 1.0},
    ),
    "untrained": Finding(
        "explore",
        N_(
            "**Before training.** L1·H10 puts {before:.2f} of its attention on the previous token "
            "in scratch@0, which is untrained, and {after:.2f} in scratch, which is trained."
        ),
        {"left": "scratch@0", "right": "scratch", "layer": "1", "head": "10"},
        {"before": 0.06, "after": 1.0},
    ),
    "induction": Finding(
        "explore",
        N_(
            "**An induction head.** At the last *blue*, smollm2's L17·H5 attends to the token that "
            "followed *blue* earlier: {weight:.2f} on *green*. On repeated random tokens it does "
            "so with {score:.2f} of its attention. It can miss: in *one two three one two*, "
            "*three* gets {missed:.2f}. Nor does one head decide: here the model's first guess is "
            "*blue* ({guess:.2f}), not *green* ({green:.2f})."
        ),
        {
            "text": "a red blue green red blue",  # " red" is another token than "red"
            "left": "smollm2",
            "right": "scratch",
            "layer": "17",
            "head": "5",
            "linked": "0",
            "side": "left",
        },
        {"weight": 0.75, "score": 0.83, "missed": 0.04, "guess": 0.18, "green": 0.09},
    ),
    "sentiment": Finding(
        "heads",
        N_(
            "**The fine-tuned model.** minilm-sentiment is minilm, trained further to tell praise "
            "(*positive*) from complaint (*negative*); it decides by the vector of "
            "[CLS].\n\n**Does L5·H1 decide?** In another sentence, “The food was not fantastic.”, "
            "[CLS] gives *fantastic* {denied:.3f} of its attention in L5·H1, and the model wrongly "
            "says *positive* ({score:.2%}). With the head off, the model still says *positive* "
            "({without:.2%}): the head does not decide alone."
        ),
        {
            "part": "tuned",
            "text": "Everyone had a fantastic time at the street party.",
            "left": "minilm",
            "right": "minilm-sentiment",
            "layer": "5",
            "head": "1",
        },
        {"denied": 0.9957, "without": 0.9932, "score": 0.9998},
    ),
}


CARDS = {
    "animal": N_("tired / wide: what is “it”?"),
    "previous": N_("previous token"),
    "untrained": N_("before training"),
    "induction": N_("repeats"),
}


def cards() -> None:
    """Draw a row of findings, each of which sets the sentence, the models and the head.

    It is empty beside a lesson, which tells what to look at.
    """
    with st.container(horizontal=True, key="cards"):
        if st.session_state.get("lesson"):
            return
        with st.container(key="introduction", horizontal=True):  # its text on a laptop only
            course = Path(__file__).parents[2] / "pages" / "course" / "page.py"
            st.markdown(introduction())
            st.page_link(course, label=_("30-minute course"), query_params=link({"part": "short"}))
        titles = {translated(title): name for name, title in CARDS.items()}
        first, *others = titles
        chosen = first if st.button(first, key="card_first") else None
        chosen = st.menu_button(_("Examples"), others, key="card_others") or chosen
        if chosen:
            finding = FINDINGS[titles[chosen]]
            st.switch_page(finding.file, query_params=finding.address())


def explain_current(page: str, parameters: Parameters) -> None:
    """Draw what to look for if a finding is on screen."""
    for name in FINDINGS:
        if _on_screen(name, page, parameters):
            st.markdown(what_to_see(name))


def what_to_see(name: str) -> str:
    """Return what to look for, in one or two sentences."""
    found = FINDINGS[name]
    return underline_terms(translated(found.text).format(**found.numbers))


def link_to(name: str, label: str) -> None:
    """Draw a link to a finding."""
    found = FINDINGS[name]
    st.page_link(
        found.file, label=label, icon=":material/visibility:", query_params=found.address()
    )


def _on_screen(name: str, page: str, parameters: Parameters) -> bool:
    """Return whether the session shows a finding's view, with any colour settings."""
    found = FINDINGS[name]
    return found.page == page and all(
        st.session_state[parameter.key]
        == (parameter.parse(found.view[what]) if what in found.view else parameter.default)
        for what, parameter in parameters.items()
        if what in (*found.view, *VIEW, "linked")
    )
