"""From text to token ids, with the way back: which characters and which word a token is."""

from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer

from model.errors import HeadlightError

MAX_TOKENS = 512
"""No capture is longer: all heads of a 12 x 12 model at 512 tokens already take 151 MB."""


@dataclass(frozen=True)
class Tokens:
    """A tokenised sentence or pair, T tokens.

    Attributes:
        pieces: The vocabulary's pieces, special tokens included, length T.
        ids: Their ids, length T.
        offsets: Start and end character of each piece in its own sentence; (0, 0) for specials.
        word_ids: Word number of each piece within its sentence, None for special tokens.
        segment_ids: 0 for the first sentence, 1 for the second, length T.
        left_out: What was cut from the first and the second sentence for length; mostly empty.
    """

    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    word_ids: tuple[int | None, ...]
    segment_ids: tuple[int, ...]
    left_out: tuple[str, str] = ("", "")


def tokenize(
    tokenizer: Tokenizer, text: str, text_pair: str | None = None, max_len: int = MAX_TOKENS
) -> Tokens:
    """Tokenise a sentence, or a pair, with the model's own special tokens around it.

    Args:
        tokenizer: A ``tokenizers.Tokenizer``; shared by all threads, so it is not changed here.
        text: The sentence. ``[MASK]`` in it is the mask token, if the model has one.
        text_pair: A second sentence, or None.
        max_len: Most tokens to keep; a pair is cut at its longer sentence first.

    Raises:
        HeadlightError: If there is no text, or no room beside the special tokens.
    """
    if not text.strip():
        raise HeadlightError("There is no text to look at: type a sentence.")
    text_pair = text_pair if text_pair and text_pair.strip() else None
    n_special = tokenizer.num_special_tokens_to_add(text_pair is not None)
    if n_special >= max_len:
        raise HeadlightError("The model takes {max_len} tokens: too few.", max_len=max_len)
    sentences = [tokenizer.encode(text, add_special_tokens=False)]
    if text_pair is not None:
        sentences.append(tokenizer.encode(text_pair, add_special_tokens=False))
    kept = _kept_lengths([len(s) for s in sentences], max_len - n_special)
    left_out = ["", ""]
    for i, (sentence, n_kept) in enumerate(zip(sentences, kept, strict=True)):
        if n_kept < len(sentence):
            left_out[i] = (text, text_pair or "")[i][sentence.offsets[n_kept][0] :]
            sentence.truncate(n_kept)
    whole = tokenizer.post_process(*sentences)
    return Tokens(
        pieces=_readable(tokenizer, whole, (text, text_pair or "")),
        ids=tuple(whole.ids),
        offsets=tuple(whole.offsets),
        word_ids=tuple(
            word if sequence is not None else None
            for word, sequence in zip(whole.word_ids, whole.sequence_ids, strict=True)
        ),
        segment_ids=_segments(whole, kept[0]) if text_pair is not None else (0,) * len(whole),
        left_out=(left_out[0], left_out[1]),
    )


def _kept_lengths(lengths: list[int], room: int) -> list[int]:
    """Cut the longer sentence first, down to an even share of the room."""
    if sum(lengths) <= room:
        return lengths
    if len(lengths) == 1:
        return [room]
    shorter = min(min(lengths), room // 2)
    return [shorter, room - shorter] if lengths[0] <= lengths[1] else [room - shorter, shorter]


def _segments(whole: Encoding, n_first: int) -> tuple[int, ...]:
    """Sentence of each token of a pair; a special token belongs to the sentence that it closes.

    Models without segments (RoBERTa) give 0 everywhere; there it is read off the template
    ``<s> first </s></s> second </s>``.
    """
    if any(whole.type_ids):
        return tuple(whole.type_ids)
    n_opening = 2 + n_first  # the opening token, the first sentence, its closing token
    return tuple(int(position >= n_opening) for position in range(len(whole)))


def _readable(tokenizer: Tokenizer, encoding: Encoding, texts: tuple[str, str]) -> tuple[str, ...]:
    """The pieces as a person reads them.

    Byte-level vocabularies (RoBERTa, ModernBERT) spell text in stand-ins for bytes; there, the
    characters that the piece covers are shown instead.
    """
    if "ByteLevel" not in str(tokenizer.pre_tokenizer):
        return tuple(encoding.tokens)
    pieces = []
    for piece, (start, end), sequence in zip(
        encoding.tokens, encoding.offsets, encoding.sequence_ids, strict=True
    ):
        covered = "" if sequence is None else texts[sequence][start:end].strip()
        pieces.append(covered or piece)
    return tuple(pieces)
