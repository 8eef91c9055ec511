"""Residual stream of one forward pass: what attention and feed-forward add to it in each layer.

In a post-norm model each sum is normalised (Vaswani et al. 2017, section 3.1). In a pre-norm model
the input of each sublayer is normalised (Xiong et al. 2020, figure 1), in some the output.

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
        attention: W^O, or a norm after W^O (Gemma 2). Its output is added to the input of the
            layer. None if the parts of the layer are unknown, or it has no attention.
        feed_forward: The last module of the feed-forward part. Its output is added next.
        norms: The two modules that normalise the sums of a post-norm layer; None for pre-norm.
        factor: Multiplies both outputs before they are added (Granite).
        parallel: Whether both parts read the input of the layer (Pythia), not one after the other.
    """

    module: nn.Module
    attention: nn.Module | None = None
    feed_forward: nn.Module | None = None
    norms: tuple[nn.Module, nn.Module] | None = None
    factor: float = 1.0
    parallel: bool = False


Values = TypeVar("Values", np.ndarray, Tensor)


@dataclass(frozen=True, eq=False)
class _Stream(Generic[Values]):
    """Values of the residual stream by layer and token, (L, T, ...) each.

    Attributes:
        norm_placement: ``"post"`` if the layers normalise their sums, ``"pre"`` if they normalise
            the inputs of their sublayers.
        layer_input: x, the input of the layer.
        attention: a, what attention adds: the output of W^O, or of a norm after W^O.
        attention_sum: x + a, before any normalisation.
        second_input: x', the input of the second sum: LayerNorm(x + a) in a post-norm layer, else x
            + a.
        feed_forward: f, what the feed-forward part adds.
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
    def lengths(self) -> np.ndarray:
        """Length of the vector as it enters each layer and leaves the last one, (L + 1, T)."""
        return np.concatenate((self.layer_input, self.layer_output[-1:]))

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
"""Recorded vectors by their name in :class:`ResidualStream`: one (T, D) for each layer."""

_recorder: Recorder[StreamRecord] = Recorder("residual_stream")


@contextmanager
def record_stream() -> Iterator[StreamRecord]:
    """Record the residual stream of one forward pass of this thread inside the block."""
    with _recorder.recording(defaultdict(list)) as record:
        yield record


def install_stream_hooks(sites: Iterable[LayerSite]) -> None:
    """Install the hooks that fill the records: once on a module that serves several layers."""
    for site in dict.fromkeys(sites):
        _recorder.before(site.module, _write_input)
        parts = {"attention": site.attention, "feed_forward": site.feed_forward}
        parts["second_input"] = site.norms[0] if site.norms else None
        for name, part in (*parts.items(), ("layer_output", site.module)):
            if part is not None:
                factor = site.factor if name in ("attention", "feed_forward") else 1.0
                _recorder.after(part, partial(_write_output, name, factor))


def _write_input(record: StreamRecord, call: Call) -> None:
    entering = call.args[0] if call.args else call.kwargs.get("hidden_states")
    record["layer_input"].append(states_of(entering))


def _write_output(name: str, factor: float, record: StreamRecord, call: Call) -> None:
    record[name].append(states_of(call.output) * factor)


def states_of(output: Any) -> Tensor:
    """Copy the states of one text, (1, T, D) -> (T, D): Falcon adds to them in place."""
    first: Tensor = output[0] if isinstance(output, tuple) else output
    return first.clone().flatten(0, -2)  # (1, T, D) -> (T, D)


def to_states(record: StreamRecord) -> Tensor:
    """The input of the first layer and the output of every layer, (L + 1, T, D)."""
    return to_cpu(torch.stack([record["layer_input"][0], *record["layer_output"]]))


def to_vectors(record: StreamRecord) -> StreamVectors:
    """Turn a record into vectors by layer and token."""
    # L x (T, D) -> (L, T, D)
    found = {name: to_cpu(torch.stack(vectors)) for name, vectors in record.items()}
    post, attention_sum = "second_input" in found, found["layer_input"] + found["attention"]
    return StreamVectors(
        norm_placement="post" if post else "pre",
        attention_sum=attention_sum,
        feed_forward_sum=found["second_input"] + found["feed_forward"]
        if post
        else found["layer_output"],
        **{"second_input": attention_sum, **found},
    )


def to_stream(vectors: StreamVectors) -> ResidualStream:
    """Compute the Euclidean norm of each vector: read-only (L, T)."""
    norms: dict[str, Any] = {name: _lengths(x) for name, x in vectors.values.items()}
    return ResidualStream(norm_placement=vectors.norm_placement, **norms)


def _lengths(vectors: Tensor) -> np.ndarray:
    lengths: np.ndarray = vectors.norm(dim=-1).numpy()  # (L, T, D) -> (L, T)
    lengths.flags.writeable = False
    return lengths
