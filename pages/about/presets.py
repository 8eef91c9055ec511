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
        "base": _("One table of “about 37,000” tokens; biases everywhere, as in our model"),
        "big": _("The same table, wider; published rounded"),
        "tutorial": _("BERT-base's sizes, vocabulary 30,000; a tutorial's 110.1M is wrong"),
        "bert-base": _("With its pooler, which our model does not have; published rounded"),
        "bert-large": _("With its pooler; the published number is larger than the count"),
        "minilm": _("With its pooler; half of BERT-base's layers and width"),
        "gpt-2": _("117M was a mistake, according to its authors; output: the token table"),
        "gpt-3": _("Published rounded; output: the token table, as in GPT-2"),
        "t5-small": _("One table for input and output; 32 learned scores for distances"),
        "flan-t5-small": _("Heads of 64, which is not d_model / heads; a separate output table"),
        "llama-2": _("Rotary positions, which have no parameters; gated feed-forward, RMSNorm"),
        "mistral": _("Four query heads share a key/value head"),
        "mixtral": _("Eight experts per layer; a token uses two of them"),
        "tinyllama": _("Eight query heads share a key/value head"),
        "smollm2": _("Output: the token table, a fifth of the model"),
        "qwen2.5": _("Biases only for q, k and v; output: the token table"),
        "phrases": _("Our translator of phrases, with a vocabulary for each language"),
        "dates": _("Our reader of dates, character by character"),
        "scratch": _("Our encoder, without its language head"),
    }.get(name, "")
