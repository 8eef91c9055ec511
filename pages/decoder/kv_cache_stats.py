"""Size of the key/value cache at each step of a generated text, and the work that it saves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from model.catalogue.causal import Generation
from web.language import _, ngettext

FLOAT_BYTES = 4


@dataclass(frozen=True)
class KvCacheStats:
    """Contents of a key/value cache while a text is generated.

    Attributes:
        n_prompt: Tokens of the prompt, read together at the first step.
        n_steps: Generated tokens.
        n_layers: Layers with a cache.
        n_heads: Heads of keys and values in a layer.
        n_queries: Heads of queries in a layer.
        d_head: Width of one key, and of one value.
        tokens: Cached tokens that each layer sees at each step, (steps, L). A layer with a sliding
            window sees fewer than were read.
    """

    n_prompt: int
    n_steps: int
    n_layers: int
    n_heads: int
    n_queries: int
    d_head: int
    tokens: np.ndarray

    @classmethod
    def of(cls, generation: Generation) -> "KvCacheStats":
        """Count the cache of a generated text."""
        capture, n_prompt = generation.capture, generation.n_prompt
        n_steps = len(generation.steps)
        read = n_prompt + np.arange(n_steps)  # (steps,)
        visible = [
            read if allowed is None else allowed[n_prompt - 1 : -1].sum(axis=1)
            for allowed in capture.allowed
        ]
        _n_tokens, n_heads, d_head = capture.k[0].shape  # (T, G, K)
        n_layers, n_queries = capture.weights.shape[:2]
        tokens = np.stack(visible, axis=1)  # L x (steps,) -> (steps, L)
        return cls(n_prompt, n_steps, n_layers, n_heads, n_queries, d_head, tokens)

    @property
    def n_bytes(self) -> np.ndarray:
        """Bytes of all keys and values at each step, (steps,)."""
        return 2 * self.n_heads * self.d_head * FLOAT_BYTES * self.tokens.sum(axis=1)

    @property
    def computed(self) -> int:
        """How many tokens' keys and values are computed with a cache: each token once."""
        return self.n_prompt + self.n_steps - 1

    @property
    def computed_without(self) -> int:
        """How many are computed without a cache: every token so far at every step."""
        return sum(range(self.n_prompt, self.n_prompt + self.n_steps))

    @property
    def windowed(self) -> bool:
        """Whether a layer sees fewer tokens than were read."""
        read = self.n_prompt + np.arange(self.n_steps)  # (steps,)
        return bool((self.tokens < read[:, None]).any())

    def texts(self) -> dict[str, Any]:
        """Return the texts for each step and for the whole, in the reader's language."""
        each = [self._step_text(step) for step in range(self.n_steps)]
        return {"title": _("Key/value cache"), "each": each, "whole": self._whole_text()}

    def _step_text(self, step: int) -> str:
        read = self.n_prompt + step
        if step:
            return _(
                "{size} This step computes keys and values of one token. Without a cache,"
                " it would compute them again for all {read} tokens."
            ).format(size=self._size_text(step), read=read)
        return _(
            "{size} This step computes the keys and values of the whole prompt, "
            "{read} tokens, and caches them."
        ).format(size=self._size_text(0), read=read)

    def _size_text(self, step: int) -> str:
        n_bytes = f"{self.n_bytes[step]:,}"
        if self.windowed:
            return _("{bytes} bytes; a layer with a window caches only its window.").format(
                bytes=n_bytes
            )
        heads = ngettext("{count} head", "{count} heads", self.n_heads)
        return _(
            "2 × {layers} layers × {heads} × {tokens} tokens × {d_head} numbers × {float} bytes = "
            "{bytes} bytes."
        ).format(
            layers=self.n_layers,
            heads=heads.format(count=self.n_heads),
            tokens=self.n_prompt + step,
            d_head=self.d_head,
            float=FLOAT_BYTES,
            bytes=n_bytes,
        )

    def _whole_text(self) -> str:
        text = _(
            "Keys and values were computed once for each of {once} tokens. Without a "
            "cache, every step computes them for every token, {again} times in all. "
            "At the end: {size}"
        ).format(
            once=f"{self.computed:,}",
            again=f"{self.computed_without:,}",
            size=self._size_text(self.n_steps - 1),
        )
        if self.n_heads < self.n_queries:
            text += " " + _(
                "{queries} query heads share {heads} key/value heads, so the cache is smaller."
            ).format(queries=self.n_queries, heads=self.n_heads)
        return text
