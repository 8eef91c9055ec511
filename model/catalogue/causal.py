"""Loaded decoder: attends to a text, continues it, and captures its attention.

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
from model.catalogue import options as generation_options
from model.catalogue.continuation_tokens import append_continuation
from model.catalogue.generated_tokens import (
    NamedToken,
    TokenName,
    name_step,
    run_to_end,
    stream_named,
)
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.options import Options
from model.catalogue.token_names import ids_by_name, special_ids, token_namer
from model.errors import HeadlightError
from model.transformer.generation import Ending, GeneratedId, Predictor, generate

Message = Mapping[str, str]
"""One message of a conversation: ``{"role": "user", "content": "..."}``."""

ChatTemplate = Callable[[Sequence[Message]], str]
"""Formats messages as the text that a chat model was tuned on."""

ANSWER = "headlight"
"""A message that no chat template contains, to find the text that follows an answer."""


@dataclass(frozen=True, eq=False)
class Generation:
    """A continuation that a decoder generated, T tokens with the prompt.

    Attributes:
        text: The generated text, without the end token.
        tokens: Text of each token, the prompt's first, length T: ``" Paris"``.
        ending: Why generation ended: ``"end"``; ``"limit"``: the requested number of tokens;
            ``"full"``: all T tokens that a capture can hold; ``"stopped"``.
        capture: One pass over all T tokens, without a cache. Row t of its weights (L, H, T, T) is
            the attention that chose token t + 1. The last row would choose the next token.
    """

    model: str
    prompt: str
    text: str
    tokens: tuple[str, ...]
    n_prompt: int
    steps: tuple[NamedToken, ...]
    ending: Ending
    capture: AttentionCapture

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays in memory."""
        return self.capture.nbytes


@dataclass(frozen=True, kw_only=True, repr=False)
class LoadedCausal(LoadedModel):
    """A decoder without an encoder, with its language head, tokenizer and hooks.

    Attributes:
        end: The end token, which begins a text in most models; None if there is none.
        chat_template: Formats messages for a chat model, up to the beginning of its answer; None if
            the model was not tuned on conversations.
    """

    predictor: Predictor
    stack: Stack = "decoder"
    end: int | None = None
    other_ends: frozenset[int] = frozenset()
    chat_template: ChatTemplate | None = None

    @cached_property
    def token_name(self) -> TokenName:
        """Function from a token id to the text of the token, leading space included."""
        return token_namer(self.tokenizer)

    @cached_property
    def ends(self) -> frozenset[int]:
        """All end tokens, including the token that ends a message of a chat model."""
        message = () if self.chat_template is None else self._end_of_message(self.chat_template)
        return self.other_ends.union(() if self.end is None else (self.end,), message)

    def token_id(self, name: str) -> int | None:
        """Find the token with a name."""
        return self._ids.get(name)

    def tokenize(
        self, text: str, text_pair: str | None = None, max_tokens: int | None = None
    ) -> Tokens:
        """Tokenise as :meth:`attend` does. Control tokens are special, also typed ones.

        A begin token that the text has itself, such as one of :meth:`instruct`, is not added.
        """
        if text_pair and text_pair.strip():
            raise HeadlightError(
                "{model} is a decoder and reads one text, not pairs. Write both sentences as "
                "one text.",
                model=self.name,
            )
        tokens = _begun_once(super().tokenize(text, None, max_tokens))
        words = zip(tokens.ids, tokens.word_ids, strict=True)
        return replace(
            tokens, word_ids=tuple(None if id_ in self._control else word for id_, word in words)
        )

    def attend_and_predict(
        self, text: str, text_pair: str | None = None
    ) -> tuple[AttentionCapture, Tensor]:
        """Capture the attention and predict the next token, probabilities (V,), in one pass."""
        tokens = self.tokenize(text, text_pair)
        observed, logits = self.run_recorded(tokens, self._next_logits)
        capture = to_capture(observed, tokens, self, text, None, stack=self.stack)
        return capture, logits.softmax(dim=-1)

    def most_probable(self, probabilities: Tensor, top_k: int = 10) -> list[tuple[str, float]]:
        """List the most probable next tokens of (V,): (text with leading space, probability)."""
        best = probabilities.topk(min(max(top_k, 1), len(probabilities)))
        found = zip(best.indices.tolist(), best.values.tolist(), strict=True)
        return [(self.token_name(id_), probability) for id_, probability in found]

    def instruct(self, messages: Sequence[Message]) -> str:
        """Format a conversation of ``system``, ``user`` and ``assistant`` as the model needs it.

        Raises a HeadlightError if the model has no template, or this refuses the conversation.
        """
        if self.chat_template is None:
            raise HeadlightError(
                "{model} was not trained on conversations. It can only continue a text.",
                model=self.name,
            )
        try:
            return self.chat_template(messages)
        except Exception as error:  # a template can raise anything
            raise HeadlightError(
                "{model} does not accept this conversation. Check the order of the messages.",
                model=self.name,
            ) from error

    def generate(self, prompt: str, **options: Unpack[Options]) -> Generation:
        """Continue a text and capture its attention."""
        return run_to_end(self.stream(prompt, **options))[1]

    def stream(
        self, prompt: str, **options: Unpack[Options]
    ) -> Generator[NamedToken, None, Generation]:
        """Continue a text, and yield each token when it is generated; ``beams`` must be 1.

        Raises a HeadlightError if there is no prompt, or no room after it, an option is out of its
        range, or a forced token is not in the vocabulary.
        """
        steps: list[GeneratedId] = []
        ending = yield from stream_named(self.token_name, self.steps(prompt, **options), steps)
        return self.to_generation(prompt, steps, ending)

    def steps(
        self, prompt: str, written: Sequence[int] = (), **options: Unpack[Options]
    ) -> Generator[GeneratedId, None, Ending]:
        """Yield the tokens that follow those ``written`` by an earlier, identical call, by id."""
        if options.get("beams", 1) != 1:
            raise HeadlightError(
                "{model} writes one text. Set the number of beams to 1.", model=self.name
            )
        tokens = self.tokenize(prompt)
        sampling = generation_options.sampling(options)
        forced = generation_options.forced(options, self.token_id, self.name)
        limits = generation_options.limits(options, self.predictor.max_len, self.ends)
        return generate(self.predictor, tokens.ids, limits, sampling, forced, written)

    def to_generation(
        self, prompt: str, steps: Sequence[GeneratedId], ending: Ending
    ) -> Generation:
        """Capture a finished continuation."""
        tokens = self.tokenize(prompt)
        written = [step.token for step in steps]
        text, whole = append_continuation(self.tokenizer, (prompt, tokens), written, self.ends)
        observed, _ = self.run_recorded(whole)
        return Generation(
            self.name,
            prompt,
            text,
            tuple(self.token_name(id_) for id_ in whole.ids),
            len(tokens.ids),
            tuple(name_step(self.token_name, step) for step in steps),
            ending,
            to_capture(observed, whole, self, prompt + text, None, stack=self.stack),
        )

    def _end_of_message(self, chat_template: ChatTemplate) -> tuple[int, ...]:
        """Find the control token that the template puts after an answer; () if there is none."""
        messages = ({"role": "user", "content": ANSWER}, {"role": "assistant", "content": ANSWER})
        try:
            after = chat_template(messages).rpartition(ANSWER)[2]
        except Exception:  # the template refuses such messages; the model's settings may name one
            return ()
        first = self.tokenizer.encode(after.lstrip(), add_special_tokens=False).ids[:1]
        return tuple(id_ for id_ in first if id_ in self._control)

    def _next_logits(self, token_ids: Tensor, segment_ids: Tensor) -> Tensor:
        """(1, T) -> (1, V), with the signature that :meth:`run_recorded` takes."""
        return self.predictor.next_logits(token_ids, None)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return ids_by_name(self.token_name, self.tokenizer, self.module)

    @cached_property
    def _control(self) -> frozenset[int]:
        return frozenset(special_ids(self.tokenizer))


def _begun_once(tokens: Tokens) -> Tokens:
    """Leave out the added begin tokens of a text that begins with the same ones itself."""
    added = next((i for i, (_, end) in enumerate(tokens.offsets) if end > 0), 0)
    if not added or tokens.ids[:added] != tokens.ids[added : 2 * added]:
        return tokens
    return tokens.at(range(added, len(tokens.ids)))
