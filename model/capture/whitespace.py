"""Visible signs for spaces, tabs and line breaks in tokens, for axes, chips, lists and cells."""

_BREAKS = str.maketrans({"\n": "⏎", "\r": "␍", "\t": "⇥"})
# The letters that byte-level vocabularies use for whitespace (Radford et al. 2019, section 2.2).
_BYTE_LETTERS = str.maketrans({"Ġ": " ", "Ċ": "\n", "č": "\r", "ĉ": "\t"})


def show_byte_whitespace(piece: str) -> str:
    """Show a byte-level piece that contains only whitespace, for example ``"ĠĊ"``."""
    return show_whitespace(piece.translate(_BYTE_LETTERS))


def show_line_breaks(text: str) -> str:
    """Show line breaks and tabs as signs; spaces too if the token contains nothing else."""
    signs = text.translate(_BREAKS)
    return signs if signs.strip() else signs.replace(" ", "␣")


def show_whitespace(text: str) -> str:
    """Show all whitespace as signs: ``"␣and⏎"``."""
    return text.translate(_BREAKS).replace(" ", "␣")
