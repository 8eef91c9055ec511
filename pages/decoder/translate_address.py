"""What the address of the part Translate carries."""

from collections.abc import Callable, Iterable

from model.catalogue.models import TRANSLATORS, canonical_name, is_listed, model_info
from model.catalogue.translation_files import TaskName
from model.transformer.beam import MOST_BEAMS
from pages.decoder.part import PART
from pages.shared.address import Parameter, holds
from pages.shared.parameters import one_of, read_flag, read_index, write_flag, write_text

DEFAULT = {"phrases": "the blue flower is not small", "dates": "3rd of May, 2019"}

STACKS = ("cross", "decoder", "encoder")
WAYS = ("greedy", "beam", "sample")

MOST_FORCED = 64
MOST_TOP_K = 100


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


def _between(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = float(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    between = _between(low, high)

    def read(text: str) -> int:
        return int(between(str(int(text))))

    return read


_beam, _sample = holds("how", "beam"), holds("how", "sample")

TRANSLATE: dict[str, Parameter] = {
    "part": PART,
    "how": Parameter("greedy", one_of(*WAYS)),
    "model": Parameter("phrases", read_translator, always=True, key="translator"),
    "text": Parameter(DEFAULT["phrases"], str, write_text, always=True, key="phrase"),
    "stack": Parameter("cross", one_of(*STACKS)),
    "layer": Parameter(1, read_index, always=True, key="t_layer"),
    "head": Parameter(0, read_index, always=True, key="t_head"),
    "mean": Parameter(False, read_flag, write_flag, key="t_mean"),
    "view": Parameter("heatmap", one_of("heatmap", "lines"), key="t_view"),
    "beams": Parameter(4, _whole(2, MOST_BEAMS), relevant=_beam, key="n_beams"),
    "temperature": Parameter(1.0, _between(0.1, 5.0), "{:g}".format, relevant=_sample),
    "top_k": Parameter(0, _whole(0, MOST_TOP_K), relevant=_sample),
    "top_p": Parameter(1.0, _between(0.01, 1.0), "{:g}".format, relevant=_sample),
    "seed": Parameter(0, _whole(0, 10**6), relevant=_sample, key="t_seed"),
    "forced": Parameter([], read_forced, write_forced),
}
"""The way of writing comes first: it decides which of the others matter. The step that is shown
stands in the address too, but the browser alone writes it; see decoding/place.js."""
