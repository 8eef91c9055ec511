"""Check of attention weights: numbers, in every layer."""

from collections.abc import Iterable
from itertools import count

from torch import Tensor

from model.errors import HeadlightError


def check_finite(
    weights: Iterable[Tensor], model: str, dtype: str, numbers: Iterable[int] | None = None
) -> None:
    """Refuse weights that are not finite, one tensor for each layer of ``numbers`` (None: all)."""
    for layer, each in zip(count() if numbers is None else numbers, weights, strict=False):
        if each.isfinite().all():
            continue
        if dtype == "float16":
            raise HeadlightError(
                "The numbers of {model} overflow in float16: in layer {layer}, the attention "
                'weights are not numbers. Load it with dtype="float32".',
                model=model,
                layer=layer,
            )
        raise HeadlightError(
            "In layer {layer} of {model}, the attention weights are not numbers (NaN). Its "
            "checkpoint contains numbers that are not finite, or too large for {dtype}.",
            layer=layer,
            model=model,
            dtype=dtype,
        )
