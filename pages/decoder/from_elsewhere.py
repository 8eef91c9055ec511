"""What is said of a translator that is not ours: its sizes, its tasks, what it does not know."""

import streamlit as st

from model import AttentionCapture, LoadedTranslator
from model.catalogue.translation import Translation
from pages.decoder.asked import Asked
from pages.shared import loading
from pages.shared.language import _, plain
from pages.shared.translators import ELSEWHERE

MOST_TASKS = 3
"""Named in a sentence; T5 has four, and some of Marian's models a hundred languages."""


def examples(model: LoadedTranslator) -> list[str]:
    """Texts to begin with, each with one of the tasks that the model was trained on."""
    return [f"{task}{ELSEWHERE}" for task in model.tasks[:10]] or [ELSEWHERE]


def describe(asked: Asked, translation: Translation) -> None:
    """Say it, under what was written."""
    model = loading.translator(asked.model)
    said = [_sizes(model, translation.encoder, translation.decoder)]
    if model.tasks and not asked.text.lstrip().startswith(tuple(t.strip() for t in model.tasks)):
        tasks = ", ".join(f"“{task.strip()}”" for task in model.tasks[:MOST_TASKS])
        said.append(
            ":material/info: "
            + _(
                "It was trained to be told first what to do with a text: {tasks}. Without that, "
                "what it writes may be anything."
            ).format(tasks=plain(tasks))
        )
    if unknown := model.unknown(asked.text):
        said.append(
            ":material/warning: "
            + _("Its vocabulary lacks {words}, which it reads as unknown.").format(
                words=plain(", ".join(f"“{word}”" for word in unknown[:10]))
            )
        )
    if model.unheeded:
        settings = ", ".join(f"{name} = {value}" for name, value in model.unheeded.items())
        said.append(
            _("Its own settings ask for {settings}; here it writes as is chosen above.").format(
                settings=plain(settings)
            )
        )
    st.caption("  \n".join(said))


def _sizes(model: LoadedTranslator, encoder: AttentionCapture, decoder: AttentionCapture) -> str:
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
