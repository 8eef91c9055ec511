"""Models whose sizes are a click away: published ones, and ours."""

from model.catalogue.scratch import CONFIG
from model.transformer.published import PUBLISHED, Published
from model.transformer.sizes import Architecture
from pages.shared.language import _


def presets() -> dict[str, Published]:
    """By id, in the order of their buttons."""
    ours = {"scratch": Published("scratch", "Headlight", Architecture(CONFIG))}
    return {**PUBLISHED, **ours}


def remark(name: str) -> str:
    """What is to be said of a model's count beside what was printed."""
    return {
        "base": _("One table of “about 37,000” pieces for all; biases everywhere, as ours"),
        "big": _("The same table, wider; published rounded"),
        "tutorial": _("BERT-base's sizes, vocabulary 30,000; a tutorial prints 110.1M: wrong"),
        "bert-base": _("With its pooler, which ours is built without; published rounded"),
        "bert-large": _("With its pooler; what was published is more than the count"),
        "minilm": _("With its pooler; half of BERT-base's layers and width"),
        "gpt-2": _("117M was a mistake, as its authors say today; output: the token table"),
        "gpt-3": _("Published rounded; output: the token table, as in GPT-2"),
        "scratch": _("Our encoder, its language head not counted"),
    }.get(name, "")
