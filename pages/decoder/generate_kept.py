"""Keys and values while a text is written: what is kept, what is computed, what would be again."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from model.catalogue.causal import Generation
from pages.shared.language import _, ngettext

FLOAT = 4
"""Bytes of a number of 32 bits."""


@dataclass(frozen=True)
class Kept:
    """What a cache of keys and values holds and saves.

    Attributes:
        n_prompt: Tokens of the prompt, read at the first step all at once.
        n_steps: Tokens written.
        n_layers: How many layers keep.
        n_heads: Heads of keys and values in a layer.
        n_queries: Heads of queries in a layer.
        d_head: Numbers of one key, and of one value.
        tokens: At each step, tokens whose keys and values every layer sees, (steps, n_layers): all
            read so far, or fewer where a window ends.
    """

    n_prompt: int
    n_steps: int
    n_layers: int
    n_heads: int
    n_queries: int
    d_head: int
    tokens: np.ndarray

    @classmethod
    def of(cls, generation: Generation) -> "Kept":
        """Of a text."""
        capture, n_prompt = generation.capture, generation.n_prompt
        n_steps = len(generation.steps)
        read = n_prompt + np.arange(n_steps)  # rows t + 1 of the step that chooses token t + 1
        seen = [
            read if allowed is None else allowed[n_prompt - 1 : -1].sum(axis=1)
            for allowed in capture.allowed
        ]
        _, n_heads, d_head = capture.k[0].shape  # (T, G, K)
        n_layers, n_queries = capture.weights.shape[:2]
        tokens = np.stack(seen, axis=1)  # (steps, L)
        return cls(n_prompt, n_steps, n_layers, n_heads, n_queries, d_head, tokens)

    @property
    def n_bytes(self) -> np.ndarray:
        """Of all keys and values at each step, (steps,)."""
        return 2 * self.n_heads * self.d_head * FLOAT * self.tokens.sum(axis=1)

    @property
    def computed(self) -> int:
        """Tokens whose keys and values are computed in all, each once."""
        return self.n_prompt + self.n_steps - 1

    @property
    def computed_without(self) -> int:
        """The same without a cache: at each step those of every token so far."""
        return sum(range(self.n_prompt, self.n_prompt + self.n_steps))

    @property
    def windowed(self) -> bool:
        """Whether a layer sees fewer tokens than were read."""
        read = self.n_prompt + np.arange(self.n_steps)
        return bool((self.tokens < read[:, None]).any())

    def told(self) -> dict[str, Any]:
        """For the browser: what is said at each step, and of the whole."""
        each = [self._at(step) for step in range(self.n_steps)]
        return {"title": _("Keys and values kept"), "each": each, "whole": self._whole()}

    def _at(self, step: int) -> str:
        read = self.n_prompt + step
        if step:
            return _(
                "{size} Computed now: those of the token just written, which then attends to all "
                "that are kept; without a cache, those of all {read} once more."
            ).format(size=self._size(step), read=read)
        return _(
            "{size} Computed now: those of the whole prompt, {read} tokens at once, and they stay."
        ).format(size=self._size(0), read=read)

    def _size(self, step: int) -> str:
        if self.windowed:
            return _("{bytes} bytes, of no more tokens in a layer than its window shows.").format(
                bytes=f"{self.n_bytes[step]:,}"
            )
        return _(
            "2 × {layers} layers × {heads} × {tokens} tokens × {d_head} numbers × {float} bytes = "
            "{bytes} bytes."
        ).format(
            layers=self.n_layers,
            heads=ngettext("{count} head", "{count} heads", self.n_heads).format(
                count=self.n_heads
            ),
            tokens=self.n_prompt + step,
            d_head=self.d_head,
            float=FLOAT,
            bytes=f"{self.n_bytes[step]:,}",
        )

    def _whole(self) -> str:
        said = _(
            "Keys and values were computed once for each of {once} tokens; without keeping them it "
            "would have been {again} times, every token at every step. At the end: {size}"
        ).format(
            once=f"{self.computed:,}",
            again=f"{self.computed_without:,}",
            size=self._size(self.n_steps - 1),
        )
        if self.n_heads < self.n_queries:
            said += " " + _(
                "{queries} query heads share {heads} heads of keys and values: so less is kept."
            ).format(queries=self.n_queries, heads=self.n_heads)
        return said
