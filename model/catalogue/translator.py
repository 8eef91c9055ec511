"""Loaded translator: an encoder-decoder that generates a text and captures its attention.

Axes: B batch, Ts source tokens, Tt target tokens, V vocab_size.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, Unpack, get_args

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor, nn

from model.capture.attention_hooks import install_attention_hooks, record_attention
from model.capture.sites import Attentions, AttentionSite, Stack
from model.capture.stacks import Stacks, to_captures
from model.capture.tokens import MAX_CHARACTERS, Tokens, encode, tokenize
from model.catalogue import options as generation_options
from model.catalogue.generated_tokens import (
    NamedToken,
    TokenName,
    name_step,
    run_to_end,
    stream_named,
)
from model.catalogue.model_size import SizedModel
from model.catalogue.options import Options
from model.catalogue.token_names import ids_by_name, token_namer
from model.catalogue.translation import Translation, decode_text, name_beam_step, tokens_of_ids
from model.errors import HeadlightError, Items
from model.transformer.beam import BeamStep, beam_search
from model.transformer.generation import GeneratedId, Predictor, generate, to_step

LONGEST_NAMED = 40
"""Most characters of a word that an error message shows."""


@dataclass(frozen=True, kw_only=True)
class LoadedTranslator(SizedModel):
    """An encoder-decoder with its tokenizers and its hooks: ours, or one of transformers.

    Threads can share it: no capture state is stored on it.

    Attributes:
        encode_source: Runs the encoder on token ids (1, Ts) and makes the predictor of the target.
        forward: Runs the network without a cache on source ids (1, Ts) and decoder input (1, Tt):
            the logits (1, Tt, V).
        unknown_id: Id of unknown source tokens; None: every text can be tokenised.
        n_known: Ids from here on stand for pieces that the vocabulary lacks; None: there are none.
        target_reader: Tokenises a given target; None if the model's files have no such tokenizer.
        closed_vocabulary: Whether a text with unknown words is refused.
        forced_first_token: First token of every text, by the model's settings; None: free.
        attentions: The attention modules of each stack with their W^O, in the order of the layers;
            set by :meth:`with_hooks`.
    """

    name: str
    module: nn.Module
    source: Tokenizer
    target: Tokenizer
    encode_source: Callable[[Tensor], Predictor]
    forward: Callable[[Tensor, Tensor], Tensor]
    start: int
    ends: frozenset[int]
    max_source: int
    max_target: int
    unknown_id: int | None = None
    n_known: int | None = None
    target_reader: Tokenizer | None = None
    closed_vocabulary: bool = False
    forced_first_token: int | None = None
    task_prefixes: tuple[str, ...] = ()
    ignored_settings: Mapping[str, object] = field(default_factory=dict)
    attentions: Attentions = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return one line: the network and the tokenizers would fill hundreds."""
        return f"{type(self).__name__}({self.name!r}, {self.n_parameters:,} parameters)"

    def with_hooks(self, sites: Sequence[AttentionSite], outputs: Sequence[nn.Module]) -> Self:
        """Install the hooks on all three stacks and switch to eval mode. Call it once."""
        install_attention_hooks(sites)
        attentions: dict[Stack, tuple[tuple[nn.Module, nn.Module], ...]] = {
            stack: tuple(
                (site.module, output)
                for site, output in zip(sites, outputs, strict=True)
                if site.stack == stack
            )
            for stack in get_args(Stack)
        }
        for stack, found in attentions.items():
            install_attention_hooks((), [output for _, output in found], stack)
        self.module.eval()
        return replace(self, attentions=attentions)

    def unknown_words(self, text: str) -> list[str]:
        """List each word (for ``dates``, character) that the vocabulary lacks once, as typed."""
        encoding = encode(self.source, text)
        return _spelled(text, encoding, self.unknown_id, self.n_known)

    def tokenize(self, text: str) -> Tokens:
        """Tokenise a source.

        Raises a HeadlightError if there is no text, it is too long, or a model with a closed
        vocabulary does not know some of its words, which the sentence names.
        """
        return self._tokenize(text, self.source, self.max_source, self.n_known, self.unknown_id)

    def _tokenize(
        self, text: str, reader: Tokenizer, most: int, n_known: int | None, unknown_id: int | None
    ) -> Tokens:
        if len(text) > MAX_CHARACTERS:
            raise HeadlightError(
                "The text has {n_characters} characters. {model} reads at most {most}. Shorten "
                "the text.",
                n_characters=len(text),
                model=self.name,
                most=MAX_CHARACTERS,
            )
        tokens = tokenize(reader, text, max_len=most)
        if not any(word is not None for word in tokens.word_ids):
            raise HeadlightError("There is no text. Type a sentence.")
        if tokens.left_out[0]:
            raise HeadlightError(
                "The text is too long. {model} reads at most {most} tokens. Shorten the text.",
                model=self.name,
                most=most,
            )
        if n_known is not None and unknown_id is not None:
            known = (id_ if id_ < n_known else unknown_id for id_ in tokens.ids)
            tokens = replace(tokens, ids=tuple(known))
        if self.closed_vocabulary and (unknown := _spelled(text, tokens, unknown_id)):
            raise HeadlightError(
                "The model {model} does not know {words}.",
                model=self.name,
                words=_shortened(unknown),
            )
        return tokens

    def attend(self, source: str, target: str) -> Stacks:
        """Run the model on a source and a given target, and capture every head of all stacks.

        The decoder reads the start token and the target without an end token, as in training. Row t
        of ``decoder`` and ``cross`` is the attention that predicts token t of the target; the last
        row predicts the end. For a target that the model generates, the captures equal those of
        :meth:`generate`. Raises a HeadlightError if a text cannot be read (see :meth:`tokenize`).
        """
        if (reader := self.target_reader) is None:
            raise HeadlightError(
                "The files of {model} have no tokenizer for a given target. Use generate.",
                model=self.name,
            )
        tokens = self.tokenize(source)
        n_known = None if self.n_known is None else self.target.get_vocab_size()
        unknown_id = reader.token_to_id("<unk>")
        read = self._tokenize(target, reader, self.max_target, n_known, unknown_id)
        written = list(read.ids[read.ids[0] == self.start :])
        while written and written[-1] in self.ends:
            written.pop()
        return self._capture(source, tokens, [*written, self.start])[0]

    def generate(self, text: str, **options: Unpack[Options]) -> Translation:
        """Translate a text and capture the attention of all stacks."""
        return run_to_end(self.stream(text, **options))[1]

    def stream(
        self, text: str, **options: Unpack[Options]
    ) -> Generator[NamedToken, None, Translation]:
        """Translate a text, and yield each token when it is generated; with beam search at the end.

        Raises a HeadlightError if the text cannot be read (see :meth:`tokenize`), an option is out
        of its range, or a forced token is not in the vocabulary.
        """
        tokens = self.tokenize(text)
        sampling = generation_options.sampling(options)
        forced = {
            **({} if self.forced_first_token is None else {0: self.forced_first_token}),
            **generation_options.forced(options, self.token_id, self.name),
        }
        limits = generation_options.limits(options, self.max_target, self.ends)
        with torch.inference_mode():
            predictor = self.encode_source(torch.tensor([tokens.ids]))
        prompt, name = [self.start], self.token_name
        search: list[BeamStep[int]] = []
        if (beams := options.get("beams", 1)) == 1:
            steps: list[GeneratedId] = []
            generation = generate(predictor, prompt, limits, sampling, forced)
            ending = yield from stream_named(name, generation, steps)
            captures, _ = self._capture(text, tokens, [step.token for step in steps])
        else:
            search, ending = run_to_end(
                beam_search(predictor, prompt, limits, beams, forced=forced)
            )
            best = search[-1].kept[0].tokens if search else ()
            captures, logits = self._capture(text, tokens, best)
            steps = [
                to_step(row, None, token, forced.get(number))
                for number, (row, token) in enumerate(zip(logits, best, strict=False))
            ]
            yield from (name_step(name, step) for step in steps)
        written = [step.token for step in steps]
        return Translation(
            self.name,
            text,
            decode_text(self.target, written),
            tuple(map(name, written)),
            tuple(name_step(name, step) for step in steps),
            ending,
            *captures,
            search=tuple(name_beam_step(self.target, name, step) for step in search),
        )

    @cached_property
    def token_name(self) -> TokenName:
        """Function from a target token id to the text of the token."""
        return token_namer(self.target)

    def token_id(self, name: str) -> int | None:
        """Find the target token with a name."""
        return self._ids.get(name)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return ids_by_name(self.token_name, self.target, self.module)

    def _capture(self, text: str, tokens: Tokens, written: Sequence[int]) -> tuple[Stacks, Tensor]:
        """Run all tokens once more and record every head: the captures, and the logits (Tt, V)."""
        inputs = [self.start, *written[:-1]]
        with torch.inference_mode(), record_attention() as record:
            logits = self.forward(torch.tensor([tokens.ids]), torch.tensor([inputs]))[0]
        target = (decode_text(self.target, written), tokens_of_ids(self.target, inputs))
        return to_captures(record, self, (text, tokens), target), logits


def _spelled(
    text: str, read: Tokens | Encoding, unknown_id: int | None, n_known: int | None = None
) -> list[str]:
    """The characters of unknown tokens: each word once, as typed, in order."""
    found = (
        text[start:end]
        for id_, (start, end) in zip(read.ids, read.offsets, strict=True)
        if id_ == unknown_id or (n_known is not None and id_ >= n_known)
    )
    return list(dict.fromkeys(each.strip() or each for each in found))


def _shortened(words: Sequence[str]) -> Items:
    """Return the first ten words for an error message, each cut to LONGEST_NAMED characters.

    A word of invisible characters alone appears as its codes, such as U+200B.
    """
    return Items(
        word if len(word) <= LONGEST_NAMED else f"{word[:LONGEST_NAMED]}…"
        for word in map(_visible, words[:10])
    )


def _visible(word: str) -> str:
    if any(character.isprintable() for character in word):
        return word
    return " ".join(f"U+{ord(character):04X}" for character in word)
