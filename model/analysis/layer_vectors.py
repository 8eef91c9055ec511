"""The vectors of one token in one layer: what attention and feed-forward compute from them.

Axes: H n_heads, K d_head, D d_model, F d_ff.
"""

from dataclasses import dataclass, fields

import numpy as np
from torch import Tensor

from model.capture.module_calls import record_calls
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError


@dataclass(frozen=True, eq=False)
class LayerVectors:
    """The vectors of a token in the order of the forward pass; float32, read-only.

    Attributes:
        layer_input: x, the input of the layer, (D,).
        contexts: z, the contexts of all heads side by side, (H*K,).
        attention: a = z W^O + b, (D,).
        attention_sum: x + a, (D,).
        second_input: x', LayerNorm(x + a) in a post-norm layer, x + a in a pre-norm layer, (D,).
        hidden: h, the input of the last map of the feed-forward part, (F,).
        feed_forward: f = h W_2 + b, (D,).
        feed_forward_sum: x' + f, (D,).
        layer_output: y, LayerNorm(x' + f) in a post-norm layer, x' + f in a pre-norm layer, (D,).
    """

    layer_input: np.ndarray
    contexts: np.ndarray
    attention: np.ndarray
    attention_sum: np.ndarray
    second_input: np.ndarray
    hidden: np.ndarray
    feed_forward: np.ndarray
    feed_forward_sum: np.ndarray
    layer_output: np.ndarray


def layer_vectors(
    model: LoadedModel, text: str, text_pair: str | None, layer: int, token: int
) -> LayerVectors:
    """Run the model, and take the vectors of a token in a layer."""
    if not model.has_parts:
        raise model.unknown_parts()
    if len(set(model.layers)) < model.n_layers:
        raise HeadlightError("The layers of {model} share their modules.", model=model.name)
    site, output = model.layers[layer], model.outputs[layer]
    forward, matrix = site.feed_forward, getattr(site.feed_forward, "weight", None)
    simple = site.attention is output and site.factor == 1 and not site.parallel
    if forward is None or matrix is None or matrix.dim() != 2 or not simple:
        raise HeadlightError(
            "A layer of {model} is not attention and then feed-forward, each with a matrix at its "
            "end. Its vectors are not shown one by one.",
            model=model.name,
        )
    with record_calls((output, forward)) as calls:
        stream = model.stream_vectors(text, text_pair)
    contexts, hidden = (calls[part].args[0][0, token] for part in (output, forward))
    vectors = {name: tensor[layer, token] for name, tensor in stream.values.items()}
    vectors |= {"contexts": contexts, "hidden": hidden}
    return LayerVectors(**{each.name: _read_only(vectors[each.name]) for each in _FIELDS})


_FIELDS = fields(LayerVectors)


def _read_only(vector: Tensor) -> np.ndarray:
    copied: np.ndarray = vector.detach().float().cpu().numpy().copy()
    copied.flags.writeable = False
    return copied
