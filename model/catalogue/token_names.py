"""What the tokens of a decoder's vocabulary are called: the text that each stands for, spaces too.

Vocabularies spell in stand-ins: GPT-2's has a letter for every byte (Radford et al. 2019, section
2.2), SentencePiece's a low line for a space. A person reads the text.
"""

from tokenizers import Tokenizer
from torch import nn

from model.catalogue.writing import Name

_ITSELF = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = sorted(set(range(0x100)) - set(_ITSELF))
_BYTES = {chr(byte): byte for byte in _ITSELF} | {
    chr(0x100 + number): byte for number, byte in enumerate(_OTHERS)
}
"""By its stand-in: a byte that has a letter of its own is that, the others follow in order."""


def names(tokenizer: Tokenizer) -> Name:
    """How to call a token id.

    Returns:
        A function to the text of a token, e.g. ``" Paris"``; bytes that are only a part of a
        character are written ``<0xE2>``, and ids without a token ``<49153>``.
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


def ids(name: Name, tokenizer: Tokenizer, module: nn.Module) -> dict[str, int]:
    """The way back: ids by what they are called, those that have no token too.

    A model may write them all: transformers' have more rows of embeddings than tokens at times.
    """
    config = getattr(module, "config", None)  # ours have none, and a row for each token
    rows: int = getattr(config, "decoder_vocab_size", 0) or getattr(config, "vocab_size", 0)
    return {name(id_): id_ for id_ in sorted({*tokenizer.get_vocab().values(), *range(rows)})}


def is_byte_level(tokenizer: Tokenizer) -> bool:
    """Whether its vocabulary has a stand-in for every byte."""
    return "ByteLevel" in str(tokenizer.decoder)


def _of_bytes(piece: str) -> str:
    if not all(letter in _BYTES for letter in piece):
        return piece
    spelled = bytes(_BYTES[letter] for letter in piece)
    try:
        return spelled.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in spelled)
