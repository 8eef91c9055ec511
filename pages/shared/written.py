"""A text that a decoder is writing, shared by all who look at it: token by token, by turns."""

import threading
from collections.abc import Generator

from model.catalogue.causal import LoadedCausal
from model.errors import HeadlightError
from model.passes import Passes
from model.transformer.generation import Ending, Step


class Writing:
    """The tokens that stand behind a prompt. Whoever asks for the next one makes it, for everybody.

    No thread writes by itself: where nobody looks any more, nothing is computed. A run that is
    broken off leaves what stands, and the next one goes on behind it.

    Attributes:
        model: Which writes.
        prompt: What is there.
        nbytes: About as much as its keys and values may come to hold.
    """

    def __init__(
        self,
        model: LoadedCausal,
        prompt: str,
        coming: Generator[Step, None, Ending],
        passes: Passes,
        nbytes: int,
        made: tuple[Step, ...] = (),
    ) -> None:
        """Begin it.

        Args:
            model: Which writes.
            prompt: What is there.
            coming: Its steps.
            passes: A turn is held for one token, so that nobody waits for a whole text.
            nbytes: About as much as its keys and values may come to hold.
            made: Steps that stand before those that are coming.
        """
        self.model, self.prompt, self.nbytes = model, prompt, nbytes
        self._coming, self._passes = coming, passes
        self._made = [*made]
        self._ended: Ending | HeadlightError | None = None
        self._one_at_a_time = threading.Lock()

    @property
    def made(self) -> tuple[Step, ...]:
        """The steps that stand."""
        return tuple(self._made)

    def ending(self, count: int) -> Ending:
        """Why no more than so many tokens stand: there are no more, or they are enough."""
        steps = self._made[:count]
        if steps and steps[-1].token in self.model.ends:
            return "end"
        n_prompt = len(self.model.tokenize(self.prompt).ids)
        return "full" if n_prompt + len(steps) == self.model.predictor.max_len else "limit"

    def has(self, number: int) -> bool:
        """Whether a step stands, counted from 0; if nobody has made it, it is made.

        Returns:
            False if the text ended before it.

        Raises:
            HeadlightError: If nothing can be written here.
        """
        with self._one_at_a_time:
            while number >= len(self._made) and self._ended is None:
                self._make_one()
        if isinstance(self._ended, HeadlightError):
            raise self._ended
        return number < len(self._made)

    def _make_one(self) -> None:
        with self._passes.turn("token"):
            try:
                self._made.append(next(self._coming))
            except StopIteration as done:
                self._ended = done.value
            except HeadlightError as error:
                self._ended = error
