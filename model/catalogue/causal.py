"""A decoder that is loaded: it reads a text, writes on behind it, and shows what it saw.

Axes: L n_layers, H n_heads, T tokens, V vocab_size.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

from torch import Tensor

from model.capture.record import AttentionCapture
from model.capture.sites import Stack
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens
from model.catalogue import options as asked
from model.catalogue.behind import written_behind
from model.catalogue.loaded import LoadedModel
from model.catalogue.options import Options
from model.catalogue.token_names import ids, names
from model.catalogue.writing import Name, WrittenToken, exhausted, handed_out, to_written
from model.errors import HeadlightError
from model.transformer.generation import Ending, Predictor, Step, generate

Message = Mapping[str, str]
"""One turn of a conversation: ``{"role": "user", "content": "..."}``."""

Conversation = Callable[[Sequence[Message]], str]
"""From messages to the text that a model was tuned on."""

ANSWER = "headlight"
"""A turn that is told from all that a form of conversations writes around it."""


@dataclass(frozen=True, eq=False)
class Generation:
    """What a decoder wrote behind a prompt, T tokens in all.

    Attributes:
        model: The name that it was loaded by.
        prompt: What was there.
        text: What it wrote; the token that ends a text is not spelled.
        tokens: Those of the prompt, then those written, length T, each as the text that it stands
            for: ``" Paris"``.
        n_prompt: How many of them are the prompt's.
        steps: One for each token written: T - n_prompt.
        ending: Why it ended: ``"end"``; ``"limit"``: as many tokens as were asked for; ``"full"``:
            all T that can be captured; ``"stopped"``.
        capture: One pass over all T tokens, without a cache: row t of its weights (L, H, T, T) is
            what was seen when token t + 1 was chosen. The last row is what a next one would be
            chosen by.
    """

    model: str
    prompt: str
    text: str
    tokens: tuple[str, ...]
    n_prompt: int
    steps: tuple[WrittenToken, ...]
    ending: Ending
    capture: AttentionCapture

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays hold in memory."""
        return self.capture.nbytes


@dataclass(frozen=True, eq=False)
class Reading:
    """What a decoder makes of a text.

    Attributes:
        capture: What every token saw.
        following: How probable each token of the vocabulary is behind the text, (V,).
    """

    capture: AttentionCapture
    following: Tensor


@dataclass(frozen=True, kw_only=True)
class LoadedCausal(LoadedModel):
    """A decoder that stands alone, with its language head, its tokenizer and its hooks.

    Attributes:
        predictor: The model as generation asks for one. It writes no further than can be captured.
        end: The token that ends a text, and in most models begins one; None if it has none.
        other_ends: What else its settings name at which it writes no further.
        conversation: Writes messages in the form that the model was tuned on, up to where its
            answer begins; None if it was tuned on none.
    """

    predictor: Predictor
    stack: Stack = "decoder"
    end: int | None = None
    other_ends: frozenset[int] = frozenset()
    conversation: Conversation | None = None

    @cached_property
    def token_name(self) -> Name:
        """What a token id is called: the text that it stands for, its space too."""
        return names(self.tokenizer)

    @cached_property
    def ends(self) -> frozenset[int]:
        """All tokens that end what it writes; in the form of a conversation, also a turn's end."""
        turn = () if self.conversation is None else self._end_of_turn(self.conversation)
        return self.other_ends.union(() if self.end is None else (self.end,), turn)

    def token_id(self, name: str) -> int | None:
        """The way back from :attr:`token_name`; None if no token is called so."""
        return self._ids.get(name)

    def tokenize(self, text: str, text_pair: str | None = None) -> Tokens:
        """Tokenise as :meth:`attend` does. Control tokens, also those typed, are special.

        Raises:
            HeadlightError: If there is no text, or there are two.
        """
        if text_pair and text_pair.strip():
            raise HeadlightError(
                "{model} is a decoder: it reads one text, and was never shown pairs. Write both "
                "sentences into one.",
                model=self.name,
            )
        tokens = super().tokenize(text)
        control = [id_ in self._control for id_ in tokens.ids]
        return replace(
            tokens,
            offsets=tuple(
                (0, 0) if c else span for c, span in zip(control, tokens.offsets, strict=True)
            ),
            word_ids=tuple(
                None if c else word for c, word in zip(control, tokens.word_ids, strict=True)
            ),
        )

    def read(self, text: str, text_pair: str | None = None) -> Reading:
        """As :meth:`attend`, and in the same pass what the text goes on with.

        Raises:
            HeadlightError: If there is no text, or there are two.
        """
        tokens = self.tokenize(text, text_pair)
        observed, logits = self.watch(tokens, self._next_logits)
        capture = to_capture(observed, tokens, self.name, text, None, stack=self.stack)
        return Reading(capture, logits.softmax(dim=-1))

    def most_probable(self, probabilities: Tensor, top_k: int = 10) -> list[tuple[str, float]]:
        """The tokens that a text most probably goes on with.

        Args:
            probabilities: Of every token of the vocabulary, (V,).
            top_k: How many, at least 1.

        Returns:
            ``top_k`` pairs (token, probability), most probable first; a token is the text that it
            stands for, its space too.
        """
        best = probabilities.topk(min(max(top_k, 1), len(probabilities)))
        found = zip(best.indices.tolist(), best.values.tolist(), strict=True)
        return [(self.token_name(id_), probability) for id_, probability in found]

    def instruct(self, messages: Sequence[Message]) -> str:
        """A conversation as the text that the model was tuned on, up to where its answer begins.

        Args:
            messages: By turns; roles are ``system``, ``user`` and ``assistant``.

        Raises:
            HeadlightError: If it was tuned on no conversations, or takes no such one.
        """
        if self.conversation is None:
            raise HeadlightError(
                "{model} was not tuned on conversations: it writes on behind a text.",
                model=self.name,
            )
        try:
            return self.conversation(messages)
        except Exception as error:  # whatever the template of a model says, or breaks on
            raise HeadlightError("{model} takes no such conversation.", model=self.name) from error

    def generate(self, prompt: str, **options: Unpack[Options]) -> Generation:
        """Write on behind a text, with everything that was seen; see :class:`Options`.

        Raises:
            HeadlightError: As :meth:`stream`.
        """
        return exhausted(self.stream(prompt, **options))[1]

    def stream(
        self, prompt: str, **options: Unpack[Options]
    ) -> Generator[WrittenToken, None, Generation]:
        """Write on behind a text, and hand out each token as it is written.

        Args:
            prompt: What is there already.
            **options: See :class:`Options`; a decoder writes one text, so ``beams`` is 1.

        Yields:
            The tokens.

        Returns:
            The whole, as :meth:`generate` gives it.

        Raises:
            HeadlightError: If there is no prompt, or no room behind it, an option is out of its
                range, or a forced token is not in the vocabulary.
        """
        steps: list[Step] = []
        ending = yield from handed_out(self.token_name, self.steps(prompt, **options), steps)
        return self.seen(prompt, steps, ending)

    def steps(
        self, prompt: str, written: Sequence[int] = (), **options: Unpack[Options]
    ) -> Generator[Step, None, Ending]:
        """As :meth:`stream`, tokens by their ids: for whoever asks for one now and one later.

        Args:
            prompt: What is there already.
            written: What the first steps have written before, in the same way: the step behind
                them is the first that is handed out.
            **options: As :meth:`stream` takes them.

        Raises:
            HeadlightError: As :meth:`stream`; some of it with the first token.
        """
        if options.get("beams", 1) != 1:
            raise HeadlightError("{model} writes one text: it takes one beam.", model=self.name)
        tokens = self.tokenize(prompt)
        sampling, forced = asked.sampling(options), asked.forced(options, self.token_id, self.name)
        limits = asked.limits(options, self.predictor.max_len, self.ends)
        return generate(self.predictor, tokens.ids, limits, sampling, forced, written)

    def seen(self, prompt: str, steps: Sequence[Step], ending: Ending) -> Generation:
        """What was written in some steps behind a text, with everything that was seen.

        Raises:
            HeadlightError: If there is no prompt.
        """
        tokens = self.tokenize(prompt)
        written = [step.token for step in steps]
        text, whole = written_behind(self.tokenizer, (prompt, tokens), written, self.ends)
        observed, _ = self.watch(whole)
        return Generation(
            self.name,
            prompt,
            text,
            tuple(self.token_name(id_) for id_ in whole.ids),
            len(tokens.ids),
            tuple(to_written(self.token_name, step) for step in steps),
            ending,
            to_capture(observed, whole, self.name, prompt + text, None, stack=self.stack),
        )

    def _end_of_turn(self, conversation: Conversation) -> tuple[int, ...]:
        """The control token that the form of a conversation writes behind an answer; () if none."""
        turns = ({"role": "user", "content": ANSWER}, {"role": "assistant", "content": ANSWER})
        try:
            behind = conversation(turns).rpartition(ANSWER)[2]
        except Exception:  # a template that takes no such turns: then its settings must say it
            return ()
        first = self.tokenizer.encode(behind.lstrip(), add_special_tokens=False).ids[:1]
        return tuple(id_ for id_ in first if id_ in self._control)

    def _next_logits(self, token_ids: Tensor, segment_ids: Tensor) -> Tensor:
        """(1, T) -> (1, V), as :meth:`watch` asks for a way through the model."""
        return self.predictor.next_logits(token_ids, None)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return ids(self.token_name, self.tokenizer, self.module)

    @cached_property
    def _control(self) -> frozenset[int]:
        added = self.tokenizer.get_added_tokens_decoder().items()
        return frozenset(id_ for id_, token in added if token.special)
