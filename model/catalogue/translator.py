"""A translator that is loaded: it writes token by token, and shows what it saw.

Axes: B batch, Ts source tokens, Tt target tokens, V vocab_size.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Self, Unpack

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from model.capture.hooks import install_hooks, recording
from model.capture.sites import Stack, own_site
from model.capture.stacks import Stacks, to_captures
from model.capture.tokens import MAX_CHARACTERS, Tokens, tokenize
from model.catalogue import options as asked
from model.catalogue.options import Options
from model.catalogue.translation import (
    Translation,
    piece,
    pieces,
    spelled,
    to_search_step,
    written_tokens,
)
from model.catalogue.writing import WrittenToken, exhausted, handed_out, to_written
from model.errors import HeadlightError
from model.transformer.attention import MultiHeadAttention
from model.transformer.beam import BeamStep, beam_search
from model.transformer.encoder_decoder import EncoderDecoder
from model.transformer.generation import Step, generate, to_step, with_memory

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
"""What our tokenizers call the token that begins a text, that ends one, and what they lack."""

LONGEST_NAMED = 40
"""Characters of a word that an error names."""


@dataclass(frozen=True)
class LoadedTranslator:
    """An encoder-decoder with its tokenizers and its hooks.

    Safe to share between threads: nothing in it changes after it is made.

    Attributes:
        name: The catalogue name that it was asked for by.
        module: The network, in eval mode.
        source: The tokenizer of what it reads.
        target: The tokenizer of what it writes; it decodes token ids to text.
    """

    name: str
    module: EncoderDecoder
    source: Tokenizer
    target: Tokenizer

    def hooked(self) -> Self:
        """Make the module ready to look at, once: eval mode, hooks on each of its three stacks.

        Returns:
            The same model.
        """
        for stack, attentions in _attentions(self.module).items():
            sites = [own_site(attention, stack) for attention in attentions]
            install_hooks(sites, [attention.output for attention in attentions], stack)
        self.module.eval()
        return self

    @cached_property
    def n_parameters(self) -> int:
        """Number of weights."""
        return sum(parameter.numel() for parameter in self.module.parameters())

    @property
    def nbytes(self) -> int:
        """Bytes that the weights hold in memory."""
        return sum(p.numel() * p.element_size() for p in self.module.parameters())

    def unknown(self, text: str) -> list[str]:
        """The words (of ``dates``, the characters) of a text that it has never seen.

        Returns:
            Each once, as typed, in their order; none of them is ever passed over in silence.
        """
        # A lone surrogate (half an emoji) has no UTF-8; it becomes "?", one character like it.
        readable = text.encode("utf-8", "replace").decode("utf-8")
        encoding = self.source.encode(readable, add_special_tokens=False)
        unknown = self.source.token_to_id(UNKNOWN)
        pieces = zip(encoding.ids, encoding.offsets, strict=True)
        found = (text[start:end] for id_, (start, end) in pieces if id_ == unknown)
        return list(dict.fromkeys(found))

    def tokenize(self, text: str) -> Tokens:
        """Cut a source into tokens.

        Raises:
            HeadlightError: If there is no text, it is too long, or has words that the model does
                not know; the sentence names them.
        """
        if len(text) > MAX_CHARACTERS:
            raise HeadlightError(
                "The text has {n_characters} characters: {model} reads at most {most}.",
                n_characters=len(text),
                model=self.name,
                most=MAX_CHARACTERS,
            )
        most = self.module.encoder.config.max_len
        tokens = tokenize(self.source, text, max_len=most)
        if not any(word is not None for word in tokens.word_ids):
            raise HeadlightError("There is no text to look at: type a sentence.")
        if tokens.left_out[0]:
            raise HeadlightError(
                "The text is too long: {model} reads at most {most} tokens.",
                model=self.name,
                most=most,
            )
        if unknown := self.unknown(text):
            raise HeadlightError(
                "{model} has never seen {words}.", model=self.name, words=_shortened(unknown)
            )
        return tokens

    def generate(self, text: str, **options: Unpack[Options]) -> Translation:
        """Translate, with everything that was seen on the way; see :class:`Options`.

        Raises:
            HeadlightError: As :meth:`stream`.
        """
        return exhausted(self.stream(text, **options))[1]

    def stream(
        self, text: str, **options: Unpack[Options]
    ) -> Generator[WrittenToken, None, Translation]:
        """Translate, and hand out each token as it is written (in beam search: at the end).

        Args:
            text: What to translate.
            **options: See :class:`Options`.

        Yields:
            The tokens.

        Returns:
            The whole, as :meth:`generate` gives it.

        Raises:
            HeadlightError: If the text cannot be read (see :meth:`tokenize`), an option is out of
                its range, or a forced token is not in the vocabulary.
        """
        tokens = self.tokenize(text)
        sampling, forced = (
            asked.sampling(options),
            asked.forced(options, self.target.token_to_id, self.name),
        )
        limits = asked.limits(options, self.module.decoder.config.max_len, [self._id(END)])
        with torch.inference_mode():
            memory = self.module.encode(torch.tensor([tokens.ids]))  # (1, Ts) -> (1, Ts, D)
        predictor = with_memory(self.module, memory)
        prompt, named = [self._id(START)], partial(piece, self.target)
        search: list[BeamStep] = []
        if (beams := options.get("beams", 1)) == 1:
            steps: list[Step] = []
            writing = generate(predictor, prompt, limits, sampling, forced)
            ending = yield from handed_out(named, writing, steps)
            captures, _ = self._watch(text, tokens, [step.token for step in steps])
        else:
            searching = beam_search(predictor, prompt, limits, beams, forced=forced)
            search, ending = exhausted(searching)
            best = search[-1].kept[0].tokens if search else ()
            captures, logits = self._watch(text, tokens, best)
            steps = [
                to_step(row, None, token, forced.get(number))
                for number, (row, token) in enumerate(zip(logits, best, strict=False))
            ]
            yield from (to_written(named, step) for step in steps)
        written = [step.token for step in steps]
        return Translation(
            self.name,
            text,
            spelled(self.target, written),
            pieces(self.target, written),
            tuple(to_written(named, step) for step in steps),
            ending,
            *captures,
            search=tuple(to_search_step(self.target, step) for step in search),
        )

    def _id(self, token: str) -> int:
        return self.target.get_vocab()[token]

    def _watch(self, text: str, tokens: Tokens, written: Sequence[int]) -> tuple[Stacks, Tensor]:
        """Run the whole once more, every head recorded: the captures, and the logits (Tt, V)."""
        inputs = [self._id(START), *written[:-1]]
        with torch.inference_mode(), recording() as observed:
            logits = self.module(torch.tensor([tokens.ids]), torch.tensor([inputs]))[0]
        target = (spelled(self.target, written), written_tokens(self.target, inputs))
        return to_captures(observed, self.name, (text, tokens), target), logits


def _attentions(module: EncoderDecoder) -> dict[Stack, list[MultiHeadAttention]]:
    """Those of each stack, in the order of the layers."""

    def named(part: nn.Module, name: str) -> list[MultiHeadAttention]:
        modules = part.named_modules()
        return [m for n, m in modules if isinstance(m, MultiHeadAttention) and n.endswith(name)]

    return {
        "encoder": named(module.encoder, ".attention"),
        "decoder": named(module.decoder, ".attention"),
        "cross": named(module.decoder, ".cross_attention"),
    }


def _shortened(words: Sequence[str]) -> str:
    """What a sentence can name: the first ten, and of a word without end its beginning."""
    return ", ".join(
        word if len(word) <= LONGEST_NAMED else f"{word[:LONGEST_NAMED]}…" for word in words[:10]
    )
