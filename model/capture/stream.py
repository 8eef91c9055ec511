"""The residual stream: what runs through the layers, and what attention and feed-forward add to it.

The hooks are installed once and write to a context variable, as those of :mod:`model.capture.hooks`
do. Each sum has a residual and what is added to it; post-norm normalises the sum (Vaswani et al.
2017, section 3.1), pre-norm what the sublayer reads (Xiong et al. 2020, figure 1).

Axes: L n_layers, T tokens, D d_model.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class LayerSite:
    """A layer, and which of its modules give what is added up.

    Attributes:
        module: The layer; what enters it is its first argument, or ``hidden_states``.
        attention: W^O: its output is added to what entered.
        feed_forward: The second linear map of the feed-forward part: its output is added next.
        norms: Of a post-norm layer, the two that normalise the sums; None if it is pre-norm.
    """

    module: nn.Module
    attention: nn.Module
    feed_forward: nn.Module
    norms: tuple[nn.Module, nn.Module] | None


@dataclass(frozen=True, eq=False)
class ResidualStream:
    """Euclidean norms of every token's vectors on their way, float32 (L, T) each, read-only.

    Attributes:
        norm: Where the layers normalise: ``"post"``, their sums; ``"pre"``, what sublayers read.
        entering: Of x, which enters the layer.
        attention: Of a, what attention adds to x.
        attended: Of x + a, before any norm.
        between: Of x', what the feed-forward part's output is added to: LayerNorm(x + a) where the
            norm is post, else x + a itself.
        feed_forward: Of f, what the feed-forward part adds to x'.
        fed: Of x' + f, before any norm.
        leaving: Of y, which the next layer gets: LayerNorm(x' + f), or x' + f itself.
    """

    norm: Literal["post", "pre"]
    entering: np.ndarray
    attention: np.ndarray
    attended: np.ndarray
    between: np.ndarray
    feed_forward: np.ndarray
    fed: np.ndarray
    leaving: np.ndarray

    @property
    def attention_share(self) -> np.ndarray:
        """What attention adds, as a share of what was there: ||a|| / ||x||, (L, T)."""
        return self.attention / self.entering

    @property
    def feed_forward_share(self) -> np.ndarray:
        """What the feed-forward part adds, as a share of what was there: ||f|| / ||x'||, (L, T)."""
        return self.feed_forward / self.between


@dataclass(frozen=True, eq=False)
class StreamVectors:
    """The vectors themselves, float32 (L, T, D) each; called as in :class:`ResidualStream`."""

    norm: Literal["post", "pre"]
    entering: Tensor
    attention: Tensor
    attended: Tensor
    between: Tensor
    feed_forward: Tensor
    fed: Tensor
    leaving: Tensor

    def at(self, positions: Sequence[int]) -> Self:
        """Those of some tokens alone, in memory of their own."""
        kept: dict[str, Any] = {name: x[:, list(positions)] for name, x in self._tensors().items()}
        return replace(self, **kept)

    @property
    def nbytes(self) -> int:
        """Bytes that they hold in memory; names for the same vectors count once."""
        once = {x.data_ptr(): x.nbytes for x in self._tensors().values()}
        return sum(once.values())

    def _tensors(self) -> dict[str, Tensor]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "norm"}


Seen = dict[str, list[Tensor]]
"""What the hooks saw in one forward pass, by its name in :class:`ResidualStream`: L x (1, T, D)."""

_seen: ContextVar[Seen | None] = ContextVar("stream_seen", default=None)


@contextmanager
def watching_stream() -> Iterator[Seen]:
    """Keep the residual stream of one forward pass of this thread inside the block."""
    seen: Seen = defaultdict(list)
    token = _seen.set(seen)
    try:
        yield seen
    finally:
        _seen.reset(token)


def install_stream_hooks(sites: Iterable[LayerSite]) -> None:
    """Make the layers write to what the thread that runs them watches, if it watches anything.

    A layer that stands for several (ALBERT) gets its hooks once, and they fire per layer.
    """
    for site in sites:
        site.module.register_forward_pre_hook(_keep_entering, with_kwargs=True)
        parts = {"attention": site.attention, "feed_forward": site.feed_forward}
        if site.norms is not None:
            parts |= {"between": site.norms[0], "leaving": site.norms[1]}
        for name, part in parts.items():
            part.register_forward_hook(partial(_keep, name))


def _keep_entering(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    seen = _seen.get()
    if seen is not None:
        seen["entering"].append(args[0] if args else kwargs["hidden_states"])


def _keep(name: str, module: nn.Module, args: Any, output: Tensor) -> None:
    seen = _seen.get()
    if seen is not None:
        seen[name].append(output)


def to_vectors(seen: Seen) -> StreamVectors:
    """Turn what the hooks saw into vectors by layer and token."""
    entering, attention, feed_forward = (
        torch.cat(seen[name]) for name in ("entering", "attention", "feed_forward")
    )  # L x (1, T, D) -> (L, T, D)
    post = "between" in seen
    attended = entering + attention
    between = torch.cat(seen["between"]) if post else attended
    fed = between + feed_forward
    leaving = torch.cat(seen["leaving"]) if post else fed
    return StreamVectors(
        norm="post" if post else "pre",
        entering=entering,
        attention=attention,
        attended=attended,
        between=between,
        feed_forward=feed_forward,
        fed=fed,
        leaving=leaving,
    )


def to_stream(vectors: StreamVectors) -> ResidualStream:
    """Take the lengths of vectors, by layer and token."""
    return ResidualStream(
        norm=vectors.norm,
        entering=_lengths(vectors.entering),
        attention=_lengths(vectors.attention),
        attended=_lengths(vectors.attended),
        between=_lengths(vectors.between),
        feed_forward=_lengths(vectors.feed_forward),
        fed=_lengths(vectors.fed),
        leaving=_lengths(vectors.leaving),
    )


def _lengths(vectors: Tensor) -> np.ndarray:
    lengths: np.ndarray = vectors.norm(dim=-1).numpy()  # (L, T, D) -> (L, T)
    lengths.flags.writeable = False
    return lengths
