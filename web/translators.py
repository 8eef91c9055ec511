"""Names, default texts and forced tokens of translators, in URLs and on pages."""

import re
from collections.abc import Iterable

from model.catalogue.names import TRANSLATORS, canonical_name, is_listed, model_info
from model.catalogue.translation_files import TaskName
from web.view_state.field import read_index, read_name

DEFAULT = {"phrases": "the blue flower is not small", "dates": "3rd of May, 2019"}
"""Default text of each translator in this repository."""

EXTERNAL_DEFAULT = "The house is small, but the garden is not."
"""Default text of every other translator."""

MAX_EXTERNAL_TOKENS = 64
"""Largest number of tokens of another translator, whose text may have no end."""

MAX_FORCED = 64
"""Most forced tokens that a URL can hold; further ones are ignored."""

_ESCAPES = {"%": "%25", "|": "%7C", "~": "%7E"}


def read_translator(text: str) -> str:
    """Read the name of a translator, of one of its checkpoints, or of an uncatalogued model."""
    name = read_name(text)
    if is_listed(name) and model_info(name).kind != "translator":
        raise ValueError(text)
    return canonical_name(name) if is_listed(name) else name


def task_of(name: str) -> TaskName | None:
    """The task of a translator or checkpoint of this repository; None for every other model."""
    if not is_listed(name):
        return None
    return next((task for task in TRANSLATORS if name.partition("@")[0] == task), None)


def default_text(name: str) -> str:
    """The text that a translator reads before anything is typed."""
    task = task_of(name)
    return EXTERNAL_DEFAULT if task is None else DEFAULT[task]


def length_limit(name: str) -> dict[str, int]:
    """The length limit as a generation option; none for ours, which have their own."""
    return {"max_new_tokens": MAX_EXTERNAL_TOKENS} if task_of(name) is None else {}


def read_forced(text: str) -> list[tuple[int, str]]:
    """Read forced tokens by step, ``2~ Paris|3~.``; see :func:`write_forced`.

    A ``%`` that starts no escape is itself, so URLs written without escapes stay readable.
    """
    forced = []
    for part in text.split("|")[:MAX_FORCED]:
        step, separator, token = part.partition("~")
        if not separator or not token:
            raise ValueError(text)
        for character, escape in reversed(_ESCAPES.items()):  # % last: it is in every escape
            token = token.replace(escape, character)
        forced.append((read_index(step), token))
    return forced


def write_forced(forced: Iterable[tuple[int, str]]) -> str:
    """Write forced tokens by step; ``%``, ``|`` and ``~`` in a token are percent-encoded."""
    return "|".join(
        f"{step}~{re.sub('[%|~]', lambda character: _ESCAPES[character[0]], token)}"
        for step, token in forced
    )


def visible_token(token: str) -> str:
    """A token without surrounding spaces; a token that is only a space becomes ``␣``."""
    return token.replace("▁", " ").strip(" ") or "␣"
