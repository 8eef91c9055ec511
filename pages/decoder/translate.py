"""Part Translate: a phrase or a date, translated token by token."""

import streamlit as st

from model import HeadlightError, NotDownloadedError
from model.catalogue import translation_files
from model.catalogue.names import TRANSLATORS
from model.catalogue.translation import Translation
from model.catalogue.translation_files import TaskName
from model.languages.dates import FIRST, LAST, read_date
from model.languages.phrases import pair
from model.languages.reading import read
from model.languages.vocabulary import ENGLISH
from pages.decoder.heads import translation_heads
from pages.decoder.request import TranslationRequest
from pages.decoder.step_player import show_translation
from pages.decoder.training import training_slider
from pages.decoder.url import Translate
from pages.decoder.writing import decoding_method, set_forced
from web.cache import loaded_models
from web.language import N_, _, in_words, listed, plain, translated
from web.translators import EXTERNAL_DEFAULT, default_text, task_of
from web.view_state import address
from web.widgets.checkpoint_slider import toggle_button
from web.widgets.model_picker import box_choice, draw_catalogue_box, offer_download

STACKS = {
    "cross": N_("In cross-attention, the decoder takes information from what the encoder reads."),
    "decoder": N_("In its self-attention, the decoder takes information from its own text."),
    "encoder": N_("In its self-attention, the encoder takes information from the whole text."),
}

MAX_EXAMPLES = 10

MAX_TASKS = 3
"""Most task prefixes in a sentence: T5 has four, some Marian models a hundred languages."""


def translate() -> None:
    """Draw the part from top to bottom."""
    _form()
    if Translate.text.value.strip():
        _result(TranslationRequest.from_session())
    else:
        st.info(_("Type a text to translate, or choose an example."))
    address.keep(Translate.fields)


def _result(request: TranslationRequest) -> None:
    try:
        translation = request.result()
    except NotDownloadedError as error:
        offer_download("translator", request.model, in_words(error))
        return
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        if request.task is not None:
            _show_scope(request.task, expanded=True)
        return
    _warn_of_errors(request, translation)
    training_slider(request)
    if request.task is None:
        _describe_external(request)
    if translation.ending in ("limit", "full"):
        count = len(translation.tokens)
        stopped = _("The limit of {count} tokens stopped the model before the end.")
        st.warning(stopped.format(count=count))
    if translation.steps:
        show_translation(request, translation)
        text = _("→ **{text}**").format(text=plain(translation.text) or "–")
        st.markdown(f"{text}  \n{translated(STACKS[Translate.stack.value])}")
        translation_heads(request, translation)
    _show_scope(request.task)


def _form() -> None:
    """Draw the row of inputs: the text, the translator and the decoding method."""
    if Translate.model.value != loaded_models.cache_name(Translate.model.value):
        Translate.model.value = loaded_models.cache_name(Translate.model.value)
    task = task_of(Translate.model.value)
    with st.container(horizontal=True, vertical_alignment="center", key="sentence_form"):
        hint = _("Text to translate")
        Translate.text.draw(on_change=set_forced, args=(Translate,), placeholder=hint)
        shown = task or Translate.model.value
        draw_catalogue_box(_("Translator"), TRANSLATORS, shown, "translator_box", _change_model)
        examples = translation_files.translation(task).examples if task else _external_examples()
        menu = f"phrases_of_{task}"
        st.menu_button(_("Examples"), examples, key=menu, on_click=_take_example, args=(menu,))
        decoding_method(Translate)
        if task is not None:  # others have no training history
            toggle_button("learning", task, Translate.training)


def _external_examples() -> list[str]:
    """Examples for a model that is not ours, each with one of its task prefixes."""
    try:
        prefixes = loaded_models.translator(Translate.model.value).task_prefixes
    except HeadlightError:  # shown below the form
        prefixes = ()
    return [f"{prefix}{EXTERNAL_DEFAULT}" for prefix in prefixes[:MAX_EXAMPLES]] or [
        EXTERNAL_DEFAULT
    ]


def _take_example(menu: str) -> None:
    """Translate the chosen example; a callback, because a drawn box cannot be set."""
    Translate.text.value = st.session_state[menu]
    set_forced(Translate)


def _change_model(before: str) -> None:
    """Switch the translator, and restore the text typed for it; a callback."""
    state = st.session_state
    after = box_choice("translator_box", before)
    state[f"text_for_{before}"] = Translate.text.value
    Translate.text.value = state.get(f"text_for_{after}", default_text(after))
    Translate.model.value = after
    set_forced(Translate)


def _warn_of_errors(request: TranslationRequest, translation: Translation) -> None:
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


def _show_scope(task: TaskName | None, expanded: bool = False) -> None:
    """Show what a translator was trained on; ``task`` is None for models that are not ours."""
    if task == "phrases":
        title = _("The {count} English words of phrases").format(count=len(ENGLISH))
        with st.expander(title, expanded=expanded):
            st.write(plain(" · ".join(ENGLISH)))
        return
    note = _("Headlight does not know this model's training data and cannot check its output.")
    if task == "dates":
        note = _("**dates** reads English dates from {first} to {last}, letter by letter.")
    st.caption(note.format(first=FIRST.year, last=LAST.year))


def _describe_external(request: TranslationRequest) -> None:
    """Show task prefixes, unknown words and ignored settings of a model that is not ours."""
    model = loaded_models.translator(request.model)
    lines = []
    prefixes = tuple(task.strip() for task in model.task_prefixes)
    if prefixes and not request.text.lstrip().startswith(prefixes):
        tasks = listed(f"“{prefix}”" for prefix in prefixes[:MAX_TASKS])
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
                words=plain(listed(f"“{word}”" for word in unknown[:10]))
            )
        )
    if lines:
        st.caption("  \n".join(lines))
