"""URL parameters of the About page: the sizes whose parameters are counted."""

from collections.abc import Callable

from web.view_state.address import Parameter, holds
from web.view_state.parameters import one_of, read_flag, whole_between, write_flag

KINDS = ("encoder", "decoder", "both")

LIMITS = {
    "vocab": (1, 10_000_000),
    "d_model": (1, 65_536),
    "heads": (1, 1_024),
    "d_ff": (1, 1_000_000),
    "layers": (1, 256),
    "length": (1, 10_000_000),
    "segments": (0, 16),
}
"""Minimum and maximum of each number."""


def key(name: str) -> str:
    """Return the session key of a size; other pages have a d_model too."""
    return f"size_{name}"


def _number(name: str, default: int, relevant: Callable[[], bool] = lambda: True) -> Parameter:
    return Parameter(default, whole_between(*LIMITS[name]), relevant=relevant, key=key(name))


PARAMETERS: dict[str, Parameter] = {
    "kind": Parameter("both", one_of(*KINDS), always=True, key=key("kind")),
    "vocab": _number("vocab", 37_000),
    "d_model": _number("d_model", 512),
    "heads": _number("heads", 8),
    "d_ff": _number("d_ff", 2_048),
    "layers": _number("layers", 6),
    "norm": Parameter("post", one_of("post", "pre"), key=key("norm")),
    "positions": Parameter(
        "sinusoidal", one_of("sinusoidal", "learned", "none"), key=key("positions")
    ),
    "length": _number("length", 512, holds(key("positions"), "learned")),
    "segments": _number("segments", 0, holds(key("kind"), "encoder", "both")),
    "embedding_norm": Parameter(False, read_flag, write_flag, key=key("embedding_norm")),
    "pooler": Parameter(
        False, read_flag, write_flag, relevant=holds(key("kind"), "encoder"), key=key("pooler")
    ),
}
"""Defaults are the paper's base model. Parameters that decide about others come first."""
