"""Notes on a translation: whether it is right, what the translator was trained on, its size."""

import streamlit as st

from model import HeadlightError
from model.catalogue.translation import Translation
from model.catalogue.translation_files import TaskName
from model.languages.dates import FIRST, LAST
from model.languages.phrases import pair
from model.languages.reading import read
from model.languages.reading_dates import read_date
from model.languages.vocabulary import ENGLISH
from pages.decoder.request import TranslationRequest
from web.cache import loaded_models
from web.language import _, in_words, plain

MAX_TASKS = 3
"""Most task prefixes in a sentence: T5 has four, some Marian models a hundred languages."""


def warn_of_errors(request: TranslationRequest, translation: Translation) -> None:
    """Warn if our translators were not trained on such a text, or if by the rules it is wrong."""
    if request.task is None:
        return
    try:
        right = _by_rule(request.task, request.text)
    except HeadlightError as error:
        outside = _("**Outside its training.** {why}").format(why=plain(in_words(error)))
        st.warning(outside)
    else:
        if translation.text != right:
            st.warning(_("Wrong: by the rule it is **{right}**.").format(right=plain(right)))


def _by_rule(task: TaskName, source: str) -> str:
    if task == "phrases":
        return pair(read(source)).target
    return read_date(source).isoformat()


def show_scope(task: TaskName | None) -> None:
    """Show what a translator was trained on; ``task`` is None for models that are not ours."""
    if task == "phrases":
        with st.expander(_("The {count} English words of phrases").format(count=len(ENGLISH))):
            st.write(plain(" · ".join(ENGLISH)))
        return
    note = _("Headlight does not know this model's training data and cannot check its output.")
    if task == "dates":
        note = _("**dates** reads English dates from {first} to {last}, letter by letter.")
    st.caption(note.format(first=FIRST.year, last=LAST.year))


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
    if lines:
        st.caption("  \n".join(lines))
