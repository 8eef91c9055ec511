"""A translator that is loaded: it writes token by token, and shows what it saw.

Axes: B batch, Ts source tokens, Tt target tokens, V vocab_size.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, Unpack

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from model.capture.hooks import install_hooks, recording
from model.capture.sites import AttentionSite
from model.capture.stacks import Stacks, to_captures
from model.capture.tokens import MAX_CHARACTERS, Tokens, tokenize
from model.catalogue import options as asked
from model.catalogue.options import Options
from model.catalogue.token_names import ids, names
from model.catalogue.translation import Translation, spelled, to_search_step, written_tokens
from model.catalogue.weighed import Weighed
from model.catalogue.writing import Name, WrittenToken, exhausted, handed_out, to_written
from model.errors import HeadlightError
from model.transformer.beam import BeamStep, beam_search
from model.transformer.generation import Predictor, Step, generate, to_step

LONGEST_NAMED = 40
"""Characters of a word that an error names."""


@dataclass(frozen=True, kw_only=True)
class LoadedTranslator(Weighed):
    """An encoder-decoder with its tokenizers and its hooks: ours, or one of transformers.

    Safe to share between threads: nothing in it changes after it is made.

    Attributes:
        name: The catalogue name, hub id or folder that it was asked for by.
        module: The network, in eval mode.
        source: The tokenizer of what it reads.
        target: The tokenizer of what it writes; it decodes token ids to text.
        read: Runs the encoder on token ids (1, Ts): what writes after it.
        run: Runs the whole, without a cache, on what was read (1, Ts) and what goes into the
            decoder (1, Tt): the logits (1, Tt, V).
        start: The token that the decoder begins with.
        ends: Those that end a text.
        max_source: Most tokens that it reads.
        max_target: Most that go into its decoder.
        unknown_id: What its source tokenizer makes of what it lacks; None: it lacks nothing.
        n_known: Ids from this one on are of pieces that its vocabulary lacks; None: there are none.
        closed: Whether a text with something that it lacks is refused.
        first: The token that its own settings put first whatever it says; None: none.
        tasks: What it was trained to see before a text, to know what to do with it; of some models.
        unheeded: What its own settings ask of writing that is not done here, by their names.
    """

    name: str
    module: nn.Module
    source: Tokenizer
    target: Tokenizer
    read: Callable[[Tensor], Predictor]
    run: Callable[[Tensor, Tensor], Tensor]
    start: int
    ends: frozenset[int]
    max_source: int
    max_target: int
    unknown_id: int | None = None
    n_known: int | None = None
    closed: bool = False
    first: int | None = None
    tasks: tuple[str, ...] = ()
    unheeded: Mapping[str, object] = field(default_factory=dict)

    def hooked(self, sites: Sequence[AttentionSite], outputs: Sequence[nn.Module]) -> Self:
        """Make the module ready to look at, once: eval mode, hooks on each of its three stacks.

        Args:
            sites: Where it computes attention, of each stack in the order of the layers.
            outputs: W^O of each of them.

        Returns:
            The same model.
        """
        install_hooks(sites)
        for stack in ("encoder", "decoder", "cross"):
            mine = (o for s, o in zip(sites, outputs, strict=True) if s.stack == stack)
            install_hooks((), mine, stack)
        self.module.eval()
        return self

    def unknown(self, text: str) -> list[str]:
        """The words (of ``dates``, the characters) of a text that its vocabulary lacks.

        Returns:
            Each once, as typed, in their order; none of them is ever passed over in silence.
        """
        # A lone surrogate (half an emoji) has no UTF-8; it becomes "?", one character like it.
        readable = text.encode("utf-8", "replace").decode("utf-8")
        encoding = self.source.encode(readable, add_special_tokens=False)
        pieces = zip(encoding.ids, encoding.offsets, strict=True)
        spans = (span for id_, span in pieces if self._read_as(id_) == self.unknown_id)
        found = (text[start:end] for start, end in spans)
        return list(dict.fromkeys(each.strip() or each for each in found))

    def tokenize(self, text: str) -> Tokens:
        """Cut a source into tokens.

        Raises:
            HeadlightError: If there is no text, it is too long, or has words that a model with a
                closed vocabulary does not know; the sentence names them.
        """
        if len(text) > MAX_CHARACTERS:
            raise HeadlightError(
                "The text has {n_characters} characters: {model} reads at most {most}.",
                n_characters=len(text),
                model=self.name,
                most=MAX_CHARACTERS,
            )
        tokens = tokenize(self.source, text, max_len=self.max_source)
        if not any(word is not None for word in tokens.word_ids):
            raise HeadlightError("There is no text to look at: type a sentence.")
        if tokens.left_out[0]:
            raise HeadlightError(
                "The text is too long: {model} reads at most {most} tokens.",
                model=self.name,
                most=self.max_source,
            )
        if self.closed and (unknown := self.unknown(text)):
            raise HeadlightError(
                "{model} has never seen {words}.", model=self.name, words=_shortened(unknown)
            )
        return replace(tokens, ids=tuple(map(self._read_as, tokens.ids)))

    def _read_as(self, token_id: int) -> int:
        if self.n_known is None or self.unknown_id is None or token_id < self.n_known:
            return token_id
        return self.unknown_id

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
        sampling = asked.sampling(options)
        forced = {
            **({} if self.first is None else {0: self.first}),
            **asked.forced(options, self.token_id, self.name),
        }
        limits = asked.limits(options, self.max_target, self.ends)
        with torch.inference_mode():
            predictor = self.read(torch.tensor([tokens.ids]))
        prompt, named = [self.start], self.token_name
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
            tuple(map(named, written)),
            tuple(to_written(named, step) for step in steps),
            ending,
            *captures,
            search=tuple(to_search_step(self.target, named, step) for step in search),
        )

    @cached_property
    def token_name(self) -> Name:
        """What a token id that it writes is called: the text that it stands for."""
        return names(self.target)

    def token_id(self, name: str) -> int | None:
        """The way back from :attr:`token_name`; None if no token is called so."""
        return self._ids.get(name)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return ids(self.token_name, self.target, self.module)

    def _watch(self, text: str, tokens: Tokens, written: Sequence[int]) -> tuple[Stacks, Tensor]:
        """Run the whole once more, every head recorded: the captures, and the logits (Tt, V)."""
        inputs = [self.start, *written[:-1]]
        with torch.inference_mode(), recording() as observed:
            logits = self.run(torch.tensor([tokens.ids]), torch.tensor([inputs]))[0]
        target = (spelled(self.target, written), written_tokens(self.target, inputs))
        return to_captures(observed, self.name, (text, tokens), target), logits


def _shortened(words: Sequence[str]) -> str:
    """What a sentence can name: the first ten, and of a word without end its beginning."""
    return ", ".join(
        word if len(word) <= LONGEST_NAMED else f"{word[:LONGEST_NAMED]}…" for word in words[:10]
    )
