"""Notes on a translation: whether it is right, what the translator was trained on, its size."""

import streamlit as st

from model import HeadlightError
from model.catalogue.translation import Translation
from model.catalogue.translation_files import TaskName
from model.languages.dates import FIRST, LAST
from model.languages.phrases import pair
from model.languages.reading import OutsideTraining, read
from model.languages.reading_dates import read_date
from model.languages.vocabulary import ENGLISH
from pages.decoder.request import TranslationRequest
from web.cache import loaded_models
from web.language import _, in_words, plain

MAX_TASKS = 3
"""Most task prefixes in a sentence: T5 has four, some Marian models a hundred languages."""


def is_valid_input(request: TranslationRequest) -> bool:
    """Refuse a text that is no date (31 February), at which the model would guess, and show why."""
    if request.task != "dates":
        return True
    try:
        read_date(request.text)
    except OutsideTraining:
        return True  # shown beside the translation
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        st.caption(_("The model does not run: its output would be a guess."))
        return False
    return True


def show_result(request: TranslationRequest, translation: Translation) -> None:
    """Show the translation, and for our own translators whether the rules agree with it."""
    line = f"→ **{plain(translation.text) or '–'}**"
    if request.task is not None:
        line += f" &nbsp; {_verdict(request.task, request.text, translation.text)}"
    st.markdown(line, width="content")


def _verdict(task: TaskName, source: str, translation: str) -> str:
    try:
        right = pair(read(source)).target if task == "phrases" else read_date(source).isoformat()
    except OutsideTraining as error:
        why = plain(in_words(error))
        return ":material/warning: " + _("**Outside its training.** {why}").format(why=why)
    if translation == right:
        return ":material/check: " + _("correct by the rule")
    return ":material/close: " + _("wrong: by the rule it is **{right}**").format(
        right=plain(right)
    )


def show_scope(task: TaskName | None) -> None:
    """Show what a translator was trained on; ``task`` is None for models that are not ours."""
    if task is None:
        st.caption(
            _("Headlight does not know this model's training data and cannot check its output.")
        )
        return
    if task == "dates":
        st.caption(
            _(
                "**dates** reads English dates from {first} to {last}, character by "
                "character, and nothing else."
            ).format(first=FIRST.year, last=LAST.year)
        )
        return
    with st.expander(_("The {count} English words of phrases").format(count=len(ENGLISH))):
        st.caption(
            _(
                "It translates noun phrases and short sentences of these words, with "
                "articles, adjectives, possession, negation and a few verbs in the "
                "present. It knows no pronouns, no questions and no other tense. Translations "
                "of other texts are wrong, and a note warns you."
            )
        )
        st.write(plain(" · ".join(ENGLISH)))


def describe_external(request: TranslationRequest) -> None:
    """Show task prefixes, unknown words and ignored settings of a model that is not ours."""
    model = loaded_models.translator(request.model)
    lines = []
    prefixes = tuple(task.strip() for task in model.task_prefixes)
    if prefixes and not request.text.lstrip().startswith(prefixes):
        tasks = ", ".join(f"“{prefix}”" for prefix in prefixes[:MAX_TASKS])
        lines.append(
            ":material/info: "
            + _(
                "Its training texts start with a task: {tasks}. Without one, its output is "
                "unpredictable."
            ).format(tasks=plain(tasks))
        )
    if unknown := model.unknown_words(request.text):
        lines.append(
            ":material/warning: "
            + _("Its vocabulary does not have {words}: it reads an unknown token.").format(
                words=plain(", ".join(f"“{word}”" for word in unknown[:10]))
            )
        )
    if model.ignored_settings:
        settings = ", ".join(f"{name} = {value}" for name, value in model.ignored_settings.items())
        lines.append(
            _(
                "Its own settings are {settings}. This page uses the decoding method that"
                " you choose."
            ).format(settings=plain(settings))
        )
    if lines:
        st.caption("  \n".join(lines))
