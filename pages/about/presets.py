"""Presets of the size counter: published models and ours."""

from model import HeadlightError
from model.catalogue.scratch import CONFIG
from model.catalogue.translation_files import TASK_NAMES, translation
from model.transformer.published import PUBLISHED, Published
from model.transformer.sizes import Architecture
from web.language import _


def presets() -> dict[str, Published]:
    """Return the presets by id, in the order of the buttons."""
    ours = {"scratch": Published("scratch", "Headlight", Architecture(CONFIG))}
    for task in TASK_NAMES:
        try:
            shipped = translation(task)
        except HeadlightError:  # its weights are missing here; other pages report it
            continue
        sizes = Architecture(shipped.encoder, shipped.decoder)
        ours[task] = Published(task, "Headlight", sizes)
    return {**PUBLISHED, **ours}


def remark(name: str) -> str:
    """Return a remark on the difference between counted and published sizes."""
    return {
        "base": _("One table of “about 37,000” pieces for all; biases everywhere, as ours"),
        "big": _("The same table, wider; published rounded"),
        "tutorial": _("BERT-base's sizes, vocabulary 30,000; a tutorial prints 110.1M: wrong"),
        "bert-base": _("With its pooler, which ours is built without; published rounded"),
        "bert-large": _("With its pooler; what was published is more than the count"),
        "minilm": _("With its pooler; half of BERT-base's layers and width"),
        "gpt-2": _("117M was a mistake, as its authors say today; output: the token table"),
        "gpt-3": _("Published rounded; output: the token table, as in GPT-2"),
        "phrases": _("Our translator of phrases, a vocabulary for each language"),
        "dates": _("Our reader of dates, character by character"),
        "scratch": _("Our encoder, its language head not counted"),
    }.get(name, "")
