"""The translators in an address and on a page: names, first texts, tokens that are forced."""

from collections.abc import Iterable

from model.catalogue.names import TRANSLATORS, canonical_name, is_listed, model_info
from model.catalogue.translation_files import TaskName
from pages.shared.parameters import read_index, read_name

DEFAULT: dict[TaskName, str] = {
    "phrases": "the blue flower is not small",
    "dates": "3rd of May, 2019",
}
"""What each translator of ours reads at first."""

ELSEWHERE = "The house is small, but the garden is not."
"""What one from elsewhere does."""

LONGEST = 64
"""Tokens that one from elsewhere writes here: what it writes it need not end."""

MOST_FORCED = 64

Forced = tuple[tuple[int, str], ...]
"""Tokens by the step at which they stand."""


def read_translator(text: str) -> str:
    """Read the name of a translator, of a checkpoint of one, or of any other model."""
    name = read_name(text)
    if is_listed(name) and model_info(name).kind != "translator":
        raise ValueError(text)
    return canonical_name(name) if is_listed(name) else name


def base_of(name: str) -> TaskName | None:
    """Which of our translators a name means, be it that of a checkpoint; None: one of elsewhere."""
    if not is_listed(name):
        return None
    return next((base for base in TRANSLATORS if name.partition("@")[0] == base), None)


def first_text(name: str) -> str:
    """What a translator reads at first."""
    base = base_of(name)
    return ELSEWHERE if base is None else DEFAULT[base]


def limit(name: str) -> dict[str, int]:
    """How much a translator writes here at most, as it takes it; ours know it themselves."""
    return {"max_new_tokens": LONGEST} if base_of(name) is None else {}


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
    """A token as it is drawn: without the space before a word, but a blank is a token too."""
    return token.replace("▁", " ").strip(" ") or "␣"
