"""The translators in an address and on a page: names, first texts, tokens that are forced."""

from collections.abc import Iterable

from model.catalogue.names import TRANSLATORS, canonical_name, is_listed, model_info
from model.catalogue.translation_files import TaskName
from pages.shared.parameters import read_index

DEFAULT: dict[TaskName, str] = {
    "phrases": "the blue flower is not small",
    "dates": "3rd of May, 2019",
}
"""What each translator reads at first."""

MOST_FORCED = 64

Forced = tuple[tuple[int, str], ...]
"""Tokens by the step at which they stand."""


def read_translator(text: str) -> str:
    """Read the name of a translator, or of a checkpoint of one."""
    if not is_listed(text) or model_info(text).kind != "translator":
        raise ValueError(text)
    return canonical_name(text)


def base_of(name: str) -> TaskName:
    """Which of the translators a name means, be it that of a checkpoint."""
    return next(base for base in TRANSLATORS if name.partition("@")[0] == base)


def read_forced(text: str) -> list[tuple[int, str]]:
    """Read tokens by step, ``2~fleur|3~bleu``."""
    forced = []
    for part in text.split("|")[:MOST_FORCED]:
        step, mark, token = part.partition("~")
        if not mark or not token:
            raise ValueError(text)
        forced.append((read_index(step), token))
    return forced


def write_forced(value: Iterable[tuple[int, str]]) -> str:
    """Write what :func:`read_forced` reads."""
    return "|".join(f"{step}~{token}" for step, token in value)


def seen(token: str) -> str:
    """A token as it is drawn: a blank is one too, for the dates."""
    return "␣" if token == " " else token
