"""Stream of generated tokens, shared by all sessions that read the same text."""

import threading
from collections.abc import Generator

from model.catalogue.causal import LoadedCausal
from model.errors import HeadlightError
from model.transformer.generation import Ending, GeneratedId
from web.inference.operations import forward_queue


class GenerationStream:
    """Tokens after a prompt, computed by the session that needs them; a next run continues."""

    def __init__(
        self,
        model: LoadedCausal,
        prompt: str,
        generator: Generator[GeneratedId, None, Ending],
        nbytes: int,
        steps: tuple[GeneratedId, ...] = (),
        *,
        long: bool = False,
    ) -> None:
        """Create a stream of ``steps`` and those the generator adds, its cache of ``nbytes`` bytes.

        Each token takes one turn in the queue; the first is heavy after a ``long`` prompt.
        """
        self.model, self.prompt, self.nbytes = model, prompt, nbytes
        self._generator, self._steps, self._next_is_heavy = generator, [*steps], long
        self._result: Ending | HeadlightError | None = None
        self._lock = threading.Lock()

    @property
    def steps(self) -> tuple[GeneratedId, ...]:
        """The steps computed so far."""
        return tuple(self._steps)

    def ending(self, count: int) -> Ending:
        """Return why the first ``count`` tokens end where they do."""
        steps = self._steps[:count]
        if steps and steps[-1].token in self.model.ends:
            return "end"
        n_prompt = len(self.model.tokenize(self.prompt).ids)
        return "full" if n_prompt + len(steps) == self.model.predictor.max_len else "limit"

    def ensure_step(self, index: int) -> bool:
        """Compute the steps up to an index, counted from 0; False if the text ended before it."""
        with self._lock:
            while index >= len(self._steps) and self._result is None:
                self._compute_step()
        if isinstance(self._result, HeadlightError):
            raise self._result
        return index < len(self._steps)

    def _compute_step(self) -> None:
        with forward_queue.turn(self._next_is_heavy):
            self._next_is_heavy = False
            try:
                self._steps.append(next(self._generator))
            except StopIteration as end:
                self._result = end.value
            except HeadlightError as error:
                self._result = error
