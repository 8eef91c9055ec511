"""Questions of rooms about the Decoder page: a mask, and the alignment of a translation.

Axes: L layers, H heads; T tokens under the mask; Tt target tokens, Ts source tokens.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from model import HeadlightError
from pages.decoder.mask_spec import MAX_TOKENS, PADDED_MASKS, MaskSpec
from pages.decoder.request import TranslationRequest
from pages.decoder.url import MASKS, TRANSLATE
from viz import distinct
from web.cache import captures
from web.view_state.address import Parameters
from web.widgets.translators import visible_token

MOST = 12
"""Most rows and most columns of a sketch: a phone cannot show more."""


def decoder_sketch(values: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the kind of the sketch and, for a mask, its name; None if the view has no sketch.

    Args:
        values: The values by the name of their URL parameter.
    """
    if values["part"] == "masks":
        return {"kind": "mask", "name": MaskSpec.from_state(_by_key(MASKS, values)).name}
    if values["part"] == "translate" and values["stack"] == "cross" and values["text"].strip():
        return {"kind": "alignment", "name": ""}
    return None


def decoder_question(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the items and the truth of the sketch of a view.

    Args:
        values: As for :func:`decoder_sketch`.

    Returns:
        For a mask ``tokens``, and the right rows of 0 and 1, with 1 where a query sees a key. For
        an alignment ``targets`` and ``tokens`` of the source; the right source token of each
        target, and the weights (Tt, Ts).

    Raises:
        HeadlightError: If there are more than MOST tokens, or the model cannot read the text.
    """
    return _mask(values) if values["part"] == "masks" else _alignment(values)


def _mask(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    state = _by_key(MASKS, values)
    model, text, spec = state["encoder"], state["text"], MaskSpec.from_state(state)
    n_padding = state["pads"] if spec.kind in PADDED_MASKS else 0
    run = captures.masked_run(model, text, MAX_TOKENS, n_padding, None, None)
    tokens = distinct(run.capture.tokens)
    _limit(len(tokens))
    mask = spec.build(len(tokens), n_padding)  # (T, T)
    if len(mask) != len(tokens):
        raise HeadlightError("The mask was drawn for another sentence. Draw it again.")
    rows = ["".join("01"[cell] for cell in row) for row in mask.tolist()]
    return {"tokens": tokens, "model": model, "text": text}, {"right": [rows]}


def _alignment(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    state = _by_key(TRANSLATE, values)
    request = TranslationRequest.from_state(state)
    translation = request.result()
    targets, tokens = (
        distinct([visible_token(token) for token in each])
        for each in (translation.tokens, translation.cross.key_tokens)
    )
    if not targets:
        raise HeadlightError("The model wrote no token. Choose another text.")
    _limit(max(len(targets), len(tokens)))
    weights = translation.cross.weights  # (L, H, Tt, Ts)
    layer = min(state["t_layer"], len(weights) - 1)
    head = min(state["t_head"], weights.shape[1] - 1)
    mean = state["t_mean"]
    shown = weights[layer].mean(axis=0) if mean else weights[layer, head]  # (Tt, Ts)
    items = {
        "tokens": tokens,
        "targets": targets,
        "model": request.model,
        "text": request.text,
        "layer": layer,
        **({} if mean else {"head": head}),
    }
    rounded = np.round(shown.astype(np.float64), 6).tolist()
    return items, {"right": [shown.argmax(axis=1).tolist()], "weights": rounded}


def _by_key(parameters: Parameters, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the keys of the session state."""
    return {parameter.key or name: values[name] for name, parameter in parameters.items()}


def _limit(count: int) -> None:
    if count > MOST:
        raise HeadlightError(
            "A sketch can have {most} tokens, and this view has {count}. Shorten the text.",
            most=MOST,
            count=count,
        )
