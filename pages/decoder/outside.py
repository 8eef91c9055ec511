"""What a text should become, what lies outside the training, and what can be no date at all."""

import streamlit as st

from model import HeadlightError
from model.catalogue.translation import Translation
from model.catalogue.translation_files import TaskName
from model.languages.dates import FIRST, LAST
from model.languages.phrases import pair
from model.languages.reading import OutsideTraining, read
from model.languages.reading_dates import read_date
from model.languages.vocabulary import ENGLISH
from pages.decoder.asked import Asked
from pages.shared.language import _, in_words, plain


def before_writing(asked: Asked) -> bool:
    """Say of a date that cannot be one why it can't; True if there is something to write.

    A model that is asked for 31 February would guess: the page does not let it.
    """
    if asked.base != "dates":
        return True
    try:
        read_date(asked.text)
    except OutsideTraining:
        return True  # said beside what it writes
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        st.caption(_("The model is not asked: whatever it wrote would be a guess."))
        return False
    return True


def how_right(asked: Asked, translation: Translation) -> None:
    """Say in a line what was written, and whether rules say the same: of ours they can."""
    if asked.base is None:
        st.markdown(f"→ **{plain(translation.text) or '–'}**", width="content")
        return
    try:
        right = (
            pair(read(asked.text)).target
            if asked.base == "phrases"
            else read_date(asked.text).isoformat()
        )
    except OutsideTraining as error:
        judged = ":material/warning: " + _("**Outside its training.** {why}").format(
            why=plain(in_words(error))
        )
    else:
        if translation.text == right:
            judged = ":material/check: " + _("right: the rule says the same")
        else:
            judged = ":material/close: " + _("wrong: the rule says **{right}**").format(
                right=plain(right)
            )
    st.markdown(f"→ **{plain(translation.text) or '–'}** &nbsp; {judged}", width="content")


def scope(base: TaskName | None) -> None:
    """Say what a translator knows, so that nobody takes it for more."""
    if base is None:
        st.caption(
            _(
                "What a model from elsewhere was trained on, whoever made it can tell. No rule "
                "here says whether this is right."
            )
        )
        return
    if base == "dates":
        st.caption(
            _(
                "**dates** reads days of {first} to {last}, letter by letter, in the ways in which "
                "people write them in English; it knows nothing else."
            ).format(first=FIRST.year, last=LAST.year)
        )
        return
    with st.expander(_("What phrases knows: {count} English words").format(count=len(ENGLISH))):
        st.caption(
            _(
                "Noun phrases and short sentences of these words, with articles, adjectives, "
                "possession, negation and a few verbs in the present. It knows no other word, no "
                "pronoun, no tense but the present and no question; what is built otherwise it "
                "translates all the same, badly, and the page says that it lies outside its "
                "training."
            )
        )
        st.write(plain(" · ".join(ENGLISH)))
