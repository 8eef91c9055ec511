"""What a translator wrote, and what it saw while writing.

Axes: L n_layers, H n_heads, Ts source tokens, Tt target tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from model.capture.record import AttentionCapture
from model.capture.tokens import Tokens
from model.catalogue.behind import HALF
from model.catalogue.token_names import is_byte_level, names
from model.catalogue.writing import Name, WrittenToken
from model.transformer.beam import BeamStep, Hypothesis
from model.transformer.generation import Ending


@dataclass(frozen=True)
class Candidate:
    """A text that beam search kept, or dropped.

    Attributes:
        tokens: What was written, the token that ends a text included.
        text: As a person reads it.
        log_probabilities: Of each token after those before, in nats.
        score: Their sum over the length penalty, by which texts are ranked; see
            :func:`model.transformer.beam.length_penalty`.
        finished: Whether the model ended it.
    """

    tokens: tuple[str, ...]
    text: str
    log_probabilities: tuple[float, ...]
    score: float
    finished: bool

    @property
    def log_probability(self) -> float:
        """Of the whole text, in nats."""
        return sum(self.log_probabilities)


@dataclass(frozen=True)
class SearchStep:
    """What beam search kept after one more token, and the best of what it dropped; best first."""

    kept: tuple[Candidate, ...]
    dropped: tuple[Candidate, ...]


@dataclass(frozen=True, eq=False)
class Translation:
    """A text that a translator wrote, Tt tokens.

    The captures come from one pass over the whole, without a cache. The decoder's tokens begin with
    the one that begins a text, and the last one written is not among them, for nothing was chosen
    after it: row t of ``decoder`` and ``cross`` is what was seen when ``steps[t]`` was chosen. (If
    nothing was written, one row shows what the first token would have been chosen by.)

    Attributes:
        model: The catalogue name.
        source: What it read.
        text: What it wrote.
        tokens: The pieces of it, with the token that ends a text if the model wrote it, length Tt.
        steps: One for each token.
        ending: Why it ended: ``"end"``, ``"limit"``, ``"full"`` or ``"stopped"``.
        encoder: (L, H, Ts, Ts).
        decoder: (L, H, Tt, Tt), 0 above the diagonal.
        cross: (L, H, Tt, Ts), queries of the decoder, keys of the encoder.
        search: The steps of beam search; none without.
    """

    model: str
    source: str
    text: str
    tokens: tuple[str, ...]
    steps: tuple[WrittenToken, ...]
    ending: Ending
    encoder: AttentionCapture
    decoder: AttentionCapture
    cross: AttentionCapture
    search: tuple[SearchStep, ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays hold in memory."""
        return self.encoder.nbytes + self.decoder.nbytes + self.cross.nbytes


def to_search_step(tokenizer: Tokenizer, name: Name, step: BeamStep) -> SearchStep:
    """A step of beam search, its tokens by name."""

    def named(hypotheses: tuple[Hypothesis, ...]) -> tuple[Candidate, ...]:
        return tuple(
            Candidate(
                tokens=tuple(map(name, hypothesis.tokens)),
                text=spelled(tokenizer, hypothesis.tokens),
                log_probabilities=hypothesis.log_probabilities,
                score=hypothesis.score,
                finished=hypothesis.finished,
            )
            for hypothesis in hypotheses
        )

    return SearchStep(named(step.kept), named(step.dropped))


def spelled(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """The text of token ids, without the special ones."""
    special = _special(tokenizer)
    words = [id_ for id_ in ids if id_ not in special]
    # A decoder that strips what it is given panics over nothing at all.
    return tokenizer.decode(words) if words else ""


def _special(tokenizer: Tokenizer) -> set[int]:
    return {id_ for id_, added in tokenizer.get_added_tokens_decoder().items() if added.special}


def written_tokens(tokenizer: Tokenizer, ids: Sequence[int]) -> Tokens:
    """Token ids as they go into a decoder, with the place of each in the text that they spell."""
    special, name, by_bytes = _special(tokenizer), names(tokenizer), is_byte_level(tokenizer)
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    word_ids: list[int | None] = []
    end = 0
    for position, id_ in enumerate(ids):
        text = spelled(tokenizer, ids[: position + 1]).rstrip(HALF)
        start, end = end, max(end, len(text))
        start += len(text[start:]) - len(text[start:].lstrip())  # the space before a word
        piece = tokenizer.id_to_token(id_) or name(id_)
        is_special = id_ in special
        # A person reads the characters that stand-ins for bytes spell.
        pieces.append((by_bytes and not is_special and name(id_).strip()) or piece)
        offsets.append((0, 0) if is_special else (start, end))
        word_ids.append(None if is_special else position)
    return Tokens(tuple(pieces), tuple(ids), tuple(offsets), tuple(word_ids), (0,) * len(ids))
