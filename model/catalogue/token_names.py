"""Names of a decoder's tokens: their text, spaces included.

GPT-2's vocabulary spells each byte as a letter (Radford et al. 2019, section 2.2), SentencePiece's
spells a space as a low line.
"""

from tokenizers import Tokenizer
from torch import nn

from model.catalogue.generated_tokens import TokenName

_ITSELF = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = sorted(set(range(0x100)) - set(_ITSELF))
_BYTES = {chr(byte): byte for byte in _ITSELF} | {
    chr(0x100 + number): byte for number, byte in enumerate(_OTHERS)
}
"""Byte by its letter. Printable bytes are their own letter; the others follow in order."""


def token_namer(tokenizer: Tokenizer) -> TokenName:
    """Make the function from a token id to its text, e.g. ``" Paris"``.

    Bytes that form part of a character become ``<0xE2>``, and ids without a token ``<49153>``.
    """
    added = {id_: token.content for id_, token in tokenizer.get_added_tokens_decoder().items()}
    by_bytes = is_byte_level(tokenizer)

    def name(token_id: int) -> str:
        if token_id in added:
            return added[token_id]
        piece = tokenizer.id_to_token(token_id)
        if piece is None:  # more rows of embeddings than tokens, as in Qwen
            return f"<{token_id}>"
        return _of_bytes(piece) if by_bytes else piece.replace("▁", " ")

    return name


def ids_by_name(name: TokenName, tokenizer: Tokenizer, module: nn.Module) -> dict[str, int]:
    """Map names to token ids, including ids without a token."""
    config = getattr(module, "config", None)  # our own models have none, and a row for each token
    rows: int = getattr(config, "decoder_vocab_size", 0) or getattr(config, "vocab_size", 0)
    return {name(id_): id_ for id_ in sorted({*tokenizer.get_vocab().values(), *range(rows)})}


def special_ids(tokenizer: Tokenizer) -> set[int]:
    """The ids of control tokens."""
    return {id_ for id_, added in tokenizer.get_added_tokens_decoder().items() if added.special}


def is_byte_level(tokenizer: Tokenizer) -> bool:
    """Check whether a vocabulary spells bytes as letters."""
    return "ByteLevel" in str(tokenizer.decoder)


def _of_bytes(piece: str) -> str:
    if not all(letter in _BYTES for letter in piece):
        return piece
    spelled = bytes(_BYTES[letter] for letter in piece)
    try:
        return spelled.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in spelled)
