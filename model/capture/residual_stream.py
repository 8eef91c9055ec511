"""Residual stream of one forward pass: what attention and feed-forward add to it in each layer.

In a post-norm model each sum is normalised (Vaswani et al. 2017, section 3.1). In a pre-norm model
the input of each sublayer is normalised (Xiong et al. 2020, figure 1).

Axes: L n_layers, T tokens, D d_model.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Generic, Literal, Self, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from model.capture.recorder import Recorder
from model.capture.sites import Call, to_cpu


@dataclass(frozen=True)
class LayerSite:
    """A layer, and its modules whose outputs are added to the residual stream.

    Attributes:
        module: The layer. Its input is the first argument, or ``hidden_states``.
        attention: W^O. Its output is added to the input of the layer.
        feed_forward: The second linear map of the feed-forward part. Its output is added next.
        norms: The two modules that normalise the sums of a post-norm layer; None for pre-norm.
    """

    module: nn.Module
    attention: nn.Module
    feed_forward: nn.Module
    norms: tuple[nn.Module, nn.Module] | None


Values = TypeVar("Values", np.ndarray, Tensor)


@dataclass(frozen=True, eq=False)
class _Stream(Generic[Values]):
    """Values of the residual stream by layer and token, (L, T, ...) each.

    Attributes:
        norm_placement: ``"post"`` if the layers normalise their sums, ``"pre"`` if they normalise
            the inputs of their sublayers.
        layer_input: x, the input of the layer.
        attention: a, the output of attention.
        attention_sum: x + a, before any normalisation.
        second_input: x', the input of the second sum: LayerNorm(x + a) in a post-norm layer, x + a
            in a pre-norm layer.
        feed_forward: f, the output of the feed-forward part.
        feed_forward_sum: x' + f, before any normalisation.
        layer_output: y, the output of the layer: LayerNorm(x' + f), or x' + f.
    """

    norm_placement: Literal["post", "pre"]
    layer_input: Values
    attention: Values
    attention_sum: Values
    second_input: Values
    feed_forward: Values
    feed_forward_sum: Values
    layer_output: Values

    @property
    def values(self) -> dict[str, Values]:
        """The values by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "norm_placement"}

    def at(self, positions: Sequence[int]) -> Self:
        """Copy the values of N tokens, (L, N, ...) each, which share no memory with these."""
        # (L, T, ...) -> (L, N, ...)
        chosen: dict[str, Any] = {name: x[:, list(positions)] for name, x in self.values.items()}
        return replace(self, **chosen)


class ResidualStream(_Stream[np.ndarray]):
    """Euclidean norms of each token's vectors, float32 (L, T) each, read-only."""

    @property
    def attention_share(self) -> np.ndarray:
        """Length that attention adds, relative to the input: ||a|| / ||x||, (L, T)."""
        return self.attention / self.layer_input

    @property
    def feed_forward_share(self) -> np.ndarray:
        """Length that the feed-forward part adds, relative to x': ||f|| / ||x'||, (L, T)."""
        return self.feed_forward / self.second_input


class StreamVectors(_Stream[Tensor]):
    """The vectors of the residual stream, float32 (L, T, D) each."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory. Attributes that share a tensor count once."""
        return sum({x.data_ptr(): x.nbytes for x in self.values.values()}.values())


StreamRecord = dict[str, list[Tensor]]
"""Recorded vectors by their name in :class:`ResidualStream`: one (1, T, D) for each layer."""

_recorder: Recorder[StreamRecord] = Recorder("residual_stream")


@contextmanager
def record_stream() -> Iterator[StreamRecord]:
    """Record the residual stream of one forward pass of this thread inside the block."""
    with _recorder.recording(defaultdict(list)) as record:
        yield record


def install_stream_hooks(sites: Iterable[LayerSite]) -> None:
    """Install the hooks that fill the records of :func:`record_stream`.

    Args:
        sites: The layers of a model. A module that serves several layers (ALBERT) appears once and
            writes once for each layer.
    """
    for site in sites:
        _recorder.before(site.module, _write_input)
        parts = {"attention": site.attention, "feed_forward": site.feed_forward}
        if site.norms is not None:
            parts |= {"second_input": site.norms[0], "layer_output": site.norms[1]}
        for name, part in parts.items():
            _recorder.after(part, partial(_write_output, name))


def _write_input(record: StreamRecord, call: Call) -> None:
    record["layer_input"].append(call.args[0] if call.args else call.kwargs["hidden_states"])


def _write_output(name: str, record: StreamRecord, call: Call) -> None:
    record[name].append(call.output)


def to_vectors(record: StreamRecord) -> StreamVectors:
    """Turn a record into vectors by layer and token."""
    layer_input, attention, feed_forward = (
        to_cpu(torch.cat(record[name]))  # L x (1, T, D) -> (L, T, D)
        for name in ("layer_input", "attention", "feed_forward")
    )
    post = "second_input" in record
    attention_sum = layer_input + attention
    second_input = to_cpu(torch.cat(record["second_input"])) if post else attention_sum
    feed_forward_sum = second_input + feed_forward
    layer_output = to_cpu(torch.cat(record["layer_output"])) if post else feed_forward_sum
    return StreamVectors(
        norm_placement="post" if post else "pre",
        layer_input=layer_input,
        attention=attention,
        attention_sum=attention_sum,
        second_input=second_input,
        feed_forward=feed_forward,
        feed_forward_sum=feed_forward_sum,
        layer_output=layer_output,
    )


def to_stream(vectors: StreamVectors) -> ResidualStream:
    """Compute the Euclidean norm of each vector.

    Returns:
        Norms (L, T), read-only.
    """
    norms: dict[str, Any] = {name: _lengths(x) for name, x in vectors.values.items()}
    return ResidualStream(norm_placement=vectors.norm_placement, **norms)


def _lengths(vectors: Tensor) -> np.ndarray:
    lengths: np.ndarray = vectors.norm(dim=-1).numpy()  # (L, T, D) -> (L, T)
    lengths.flags.writeable = False
    return lengths
