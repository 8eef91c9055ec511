"""Result of a translator: the generated text, its tokens, and the attention of all stacks.

Axes: L n_layers, H n_heads, Ts source tokens, Tt target tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from model.capture.record import AttentionCapture
from model.capture.tokens import Tokens, word_numbers
from model.catalogue.continuation_tokens import PARTIAL_CHARACTER
from model.catalogue.generated_tokens import NamedToken, TokenName
from model.catalogue.token_names import is_byte_level, special_ids, token_namer
from model.transformer.beam import BeamStep, Hypothesis
from model.transformer.generation import Ending


@dataclass(frozen=True, eq=False)
class Translation:
    """A text that a translator generated, Tt tokens.

    The captures come from one pass over all tokens, without a cache. The decoder reads the start
    token and all generated tokens but the last. Row t of ``decoder`` and ``cross`` is therefore the
    attention that chose ``steps[t]``. If nothing was generated, one row would choose the first
    token.

    Attributes:
        ending: Why generation ended: ``"end"``, ``"limit"``, ``"full"`` or ``"stopped"``.
        encoder: (L, H, Ts, Ts).
        decoder: (L, H, Tt, Tt), 0 above the diagonal.
        cross: (L, H, Tt, Ts), queries of the decoder, keys of the encoder.
        search: The steps of beam search; empty without it.
    """

    model: str
    source: str
    text: str
    tokens: tuple[str, ...]
    steps: tuple[NamedToken, ...]
    ending: Ending
    encoder: AttentionCapture
    decoder: AttentionCapture
    cross: AttentionCapture
    search: tuple[BeamStep[str], ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays in memory."""
        return self.encoder.nbytes + self.decoder.nbytes + self.cross.nbytes


def name_beam_step(tokenizer: Tokenizer, name: TokenName, step: BeamStep[int]) -> BeamStep[str]:
    """Replace the token ids of a beam search step by names, and decode its texts."""

    def named(hypotheses: tuple[Hypothesis[int], ...]) -> tuple[Hypothesis[str], ...]:
        return tuple(
            Hypothesis(
                tokens=tuple(map(name, each.tokens)),
                log_probabilities=each.log_probabilities,
                score=each.score,
                finished=each.finished,
                text=decode_text(tokenizer, each.tokens),
            )
            for each in hypotheses
        )

    return BeamStep(named(step.kept), named(step.dropped))


def decode_text(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """Decode token ids without the special tokens."""
    special = special_ids(tokenizer)
    words = [id_ for id_ in ids if id_ not in special]
    # A decoder with a Strip step panics on an empty list.
    return tokenizer.decode(words) if words else ""


def tokens_of_ids(tokenizer: Tokenizer, ids: Sequence[int]) -> Tokens:
    """Locate token ids in the text that they decode to."""
    special, name = special_ids(tokenizer), token_namer(tokenizer)
    by_bytes = is_byte_level(tokenizer)
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    splits: list[int | None] = []
    end = 0
    for position, id_ in enumerate(ids):
        text = decode_text(tokenizer, ids[: position + 1]).rstrip(PARTIAL_CHARACTER)
        start, end = end, max(end, len(text))
        start += len(text[start:]) - len(text[start:].lstrip())  # the space before a word
        piece = tokenizer.id_to_token(id_) or name(id_)
        is_special = id_ in special
        # Readers see characters, not the byte letters of the vocabulary.
        pieces.append((by_bytes and not is_special and name(id_).strip()) or piece)
        offsets.append((0, 0) if is_special else (start, end))
        splits.append(None if is_special else 0)
    words = word_numbers(decode_text(tokenizer, ids), offsets, splits)
    return Tokens(tuple(pieces), tuple(ids), tuple(offsets), words, (0,) * len(ids))
