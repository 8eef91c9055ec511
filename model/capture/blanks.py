"""Spaces and line breaks as signs: one vocabulary for every axis, chip, list and cell."""

_BREAKS = str.maketrans({"\n": "⏎", "\r": "␍", "\t": "⇥"})
# What vocabularies of bytes spell blanks with (Radford et al. 2019, section 2.2).
_STAND_INS = str.maketrans({"Ġ": " ", "Ċ": "\n", "č": "\r", "ĉ": "\t"})


def blank_piece(piece: str) -> str:
    """A piece of a vocabulary of bytes that covers nothing but blanks, as signs."""
    return seen_blanks(piece.translate(_STAND_INS))


def seen_breaks(text: str) -> str:
    """A token with its line breaks to be seen; its spaces too where there is nothing else."""
    signs = text.translate(_BREAKS)
    return signs if signs.strip() else signs.replace(" ", "␣")


def seen_blanks(text: str) -> str:
    """A token with all its blanks to be seen: ``"␣and⏎"``."""
    return text.translate(_BREAKS).replace(" ", "␣")
