"""Notes on a translation: whether it is right, what the translator was trained on, its size."""

import streamlit as st

from model import AttentionCapture, HeadlightError, LoadedTranslator
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
    """Check a date before it is translated, and show why it is no date.

    The model would guess at 31 February, so the page does not run it.
    """
    if request.task != "dates":
        return True
    try:
        read_date(request.text)
    except OutsideTraining:
        return True  # shown beside the translation
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        st.caption(_("The model is not asked: whatever it wrote would be a guess."))
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
        return ":material/check: " + _("right: the rule says the same")
    return ":material/close: " + _("wrong: the rule says **{right}**").format(right=plain(right))


def show_scope(task: TaskName | None) -> None:
    """Show what a translator was trained on.

    Args:
        task: Task of one of our translators; None for every other model.
    """
    if task is None:
        st.caption(
            _(
                "What a model from elsewhere was trained on, whoever made it can tell. No rule "
                "here says whether this is right."
            )
        )
        return
    if task == "dates":
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


def describe_external(request: TranslationRequest, translation: Translation) -> None:
    """Show size, task prefixes, unknown words and ignored settings of a model that is not ours."""
    model = loaded_models.translator(request.model)
    lines = [_size(model, translation.encoder, translation.decoder)]
    prefixes = tuple(task.strip() for task in model.task_prefixes)
    if prefixes and not request.text.lstrip().startswith(prefixes):
        tasks = ", ".join(f"“{prefix}”" for prefix in prefixes[:MAX_TASKS])
        lines.append(
            ":material/info: "
            + _(
                "It was trained to be told first what to do with a text: {tasks}. Without that, "
                "what it writes may be anything."
            ).format(tasks=plain(tasks))
        )
    if unknown := model.unknown_words(request.text):
        lines.append(
            ":material/warning: "
            + _("Its vocabulary lacks {words}, which it reads as unknown.").format(
                words=plain(", ".join(f"“{word}”" for word in unknown[:10]))
            )
        )
    if model.ignored_settings:
        settings = ", ".join(f"{name} = {value}" for name, value in model.ignored_settings.items())
        lines.append(
            _("Its own settings ask for {settings}; here it writes as is chosen above.").format(
                settings=plain(settings)
            )
        )
    st.caption("  \n".join(lines))


def _size(model: LoadedTranslator, encoder: AttentionCapture, decoder: AttentionCapture) -> str:
    return _(
        "Pretrained. Encoder {encoder_layers} × {encoder_heads} heads, decoder {decoder_layers} × "
        "{decoder_heads} twice, {parameters:.1f} M parameters."
    ).format(
        encoder_layers=encoder.n_layers,
        encoder_heads=encoder.n_heads,
        decoder_layers=decoder.n_layers,
        decoder_heads=decoder.n_heads,
        parameters=model.n_parameters / 1e6,
    )
