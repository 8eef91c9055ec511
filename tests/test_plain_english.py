"""The sentences on screen are short, and avoid phrases that are hard to read and to translate.

A phrase of this list is not always wrong, but a plainer one has always been found.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg

from tests.test_messages import FOLDERS, KEYWORDS, ROOT

LONGEST = 30
"""Words of a sentence."""

AVOIDED = re.compile(
    r"\b("
    r"whoever|whom|whatever (?:it|is|the)|wherever|hence|thereby|anew|besides|upon|"
    r"(?:is|are|was|were|be|been) told|told apart|lets? go of|"
    r"of which|of what|of whose|those (?:that|who|of)|that one|the one (?:that|which|before)|"
    r"nor|says? (?:so|where)|ask(?:s|ed)? for|begins? with|what it|as it is|"
    r"what is (?:left|shown|asked|sent|drawn|meant|known|typed|computed|hidden)|"
    r"what (?:comes|came|follows|stands)|"
    r"stands? (?:in|there|at|on|by|below|above|beside|behind|for)|stood|"
    r"at once|by itself|as (?:many|it stands)|so many|of its own|"
    r"one (?:behind|after|by) (?:the other|another|one)"
    r")\b",
    re.IGNORECASE,
)
LESSON_TEXTS = {"title", "learn", "say", "do", "ask", "options", "hints", "why"}
MARKUP = re.compile(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|:material/\w+:|[*_#|]")


@cache
def texts() -> dict[str, list[str]]:
    """The texts on screen by folder: messages of the source, and lessons."""
    found = defaultdict(list)
    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    for place in (name for name in FOLDERS if (ROOT / name).is_dir()):
        for name, _, message, *_ in extract_from_dir(
            ROOT / place, methods, options, keywords=KEYWORDS
        ):
            folder = "/".join((place, *Path(name).parts[:-1][:1]))
            found[folder] += [message] if isinstance(message, str) else message
    for path in sorted((ROOT / "lessons").rglob("*.toml")):
        found["lessons"] += strings(tomllib.loads(path.read_text(encoding="utf-8")))
    return found


def strings(value: object, name: str = "") -> Iterator[str]:
    """The texts of a lesson: every string that is not a setting."""
    if isinstance(value, str) and name in LESSON_TEXTS:
        yield value
    for key, part in value.items() if isinstance(value, dict) else ():
        yield from strings(part, key)
    for part in value if isinstance(value, list) else ():
        yield from strings(part, name)


def problems(text: str) -> list[str]:
    """The sentences of a text that are too long or contain a phrase to avoid, and why."""
    found = []
    for sentence in re.split(r"(?<=[.!?:;])\s+|\n\s*\n|\n- |\n", MARKUP.sub(" ", text)):
        words = len(sentence.split())
        phrases = AVOIDED.findall(sentence)
        if words > LONGEST or phrases:
            found.append(f"{words} words {phrases}: {sentence.strip()}")
    return found


@pytest.mark.parametrize("folder", sorted(texts()))
def test_sentences_are_short_and_plain(folder):
    found = [problem for text in texts()[folder] for problem in problems(text)]
    assert not found, "\n".join(["reword:", *found])


@pytest.mark.parametrize(
    "text",
    [
        "A head. Whoever opens it.",
        "The heads of which two agree.",
        "Neither model nor head.",
        "The note says so.",
        "It replaces the one before.",
        "Short. " + " ".join(["word"] * 31),
    ],
)
def test_a_long_or_archaic_sentence_is_found(text):
    assert len(problems(text)) == 1


def test_short_plain_sentences_pass():
    text = "`whoever` " + " ".join(["word"] * 29) + "\n\nA new paragraph. " + "word " * 30
    assert problems(text) == []
