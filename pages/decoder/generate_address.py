"""What the address of the part Generate carries."""

import re
from collections.abc import Iterable

from pages.decoder.part import PART
from pages.shared.address import Parameter, holds
from pages.shared.parameters import (
    between,
    one_of,
    read_flag,
    read_index,
    read_name,
    whole_between,
    write_flag,
    write_text,
)
from pages.shared.translators import MOST_FORCED

DEFAULT_MODEL = "smollm2"
DEFAULT_PROMPT = "When Mary and John went to the store, John gave a drink to"
WAYS = ("greedy", "sample")
MOST_TOP_K = 1000
MOST_TOKENS = 200
"""That may be asked for at once; what stands can be written on until the model reads no further."""

_MARKS = {"%": "%25", "|": "%7C", "~": "%7E"}


def read_forced(text: str) -> list[tuple[int, str]]:
    """Read tokens by step, ``2~ Paris|3~.``; the marks themselves are escaped as in an address."""
    forced = []
    for part in text.split("|")[:MOST_FORCED]:
        step, mark, token = part.partition("~")
        if not mark or not token:
            raise ValueError(text)
        for plain, escaped in reversed(_MARKS.items()):
            token = token.replace(escaped, plain)
        forced.append((read_index(step), token))
    return forced


def write_forced(value: Iterable[tuple[int, str]]) -> str:
    """Write what :func:`read_forced` reads."""
    return "|".join(
        f"{step}~{re.sub('[%|~]', lambda mark: _MARKS[mark[0]], token)}" for step, token in value
    )


_sample, _talk = holds("g_how", "sample"), holds("g_talk", True)

GENERATE: dict[str, Parameter] = {
    "part": PART,
    "how": Parameter("greedy", one_of(*WAYS), key="g_how"),
    "talk": Parameter(False, read_flag, write_flag, key="g_talk"),
    "model": Parameter(DEFAULT_MODEL, read_name, always=True, key="g_model"),
    "text": Parameter(DEFAULT_PROMPT, str, write_text, always=True, key="g_text"),
    "system": Parameter("", str, write_text, relevant=_talk, key="g_system"),
    # SmolLM2's L17·H5 looks behind the last time that a token stood: what it will write is there.
    "layer": Parameter(17, read_index, always=True, key="g_layer"),
    "head": Parameter(5, read_index, always=True, key="g_head"),
    "mean": Parameter(False, read_flag, write_flag, key="g_mean"),
    "view": Parameter("heatmap", one_of("heatmap", "lines"), key="g_view"),
    "temperature": Parameter(
        1.0, between(0.1, 5.0), "{:g}".format, relevant=_sample, key="g_temperature"
    ),
    "top_k": Parameter(0, whole_between(0, MOST_TOP_K), relevant=_sample, key="g_top_k"),
    "top_p": Parameter(1.0, between(0.01, 1.0), "{:g}".format, relevant=_sample, key="g_top_p"),
    "seed": Parameter(0, whole_between(0, 10**6), relevant=_sample, key="g_seed"),
    "tokens": Parameter(24, whole_between(1, MOST_TOKENS), key="g_tokens"),
    "until": Parameter(0, whole_between(0, 10_000), key="g_until"),
    "forced": Parameter([], read_forced, write_forced, key="g_forced"),
}
"""How it writes and what is asked come first: they decide which of the others matter. ``until`` is
where this text was stopped, or went on to; 0: after as many ``tokens`` as each text is to have."""
