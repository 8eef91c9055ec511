"""Lexicon of the English-French grammar with all inflected forms, from lexicon.txt."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Gender = Literal["m", "f"]

GROUPS = {
    "person": {"person"},
    "animal": {"animal"},
    "thing": {"thing", "text"},
    "place": {"place"},
    "text": {"text"},
    "food": {"food"},
    "drink": {"drink"},
    "living": {"person", "animal"},
    "object": {"thing", "text", "place"},
    "ware": {"thing", "text", "food", "drink"},
    "coloured": {"animal", "thing", "text", "place"},
    "all": {"person", "animal", "thing", "text", "place", "food", "drink"},
}
"""Groups of noun kinds, which the tables list for each adjective and verb."""


@dataclass(frozen=True)
class Noun:
    """A noun in both languages: singular and plural; a mass noun ("bread") has only a singular."""

    english: tuple[str, ...]
    french: tuple[str, ...]
    gender: Gender
    kind: str

    @property
    def name(self) -> str:
        """The English singular."""
        return self.english[0]

    @property
    def is_mass(self) -> bool:
        """Whether the noun is uncountable."""
        return len(self.english) == 1


@dataclass(frozen=True)
class Adjective:
    """An adjective in both languages."""

    english: str
    french: tuple[str, str, str, str]
    before_vowel: str
    comes_before: bool
    kinds: frozenset[str]

    def agreeing(self, gender: Gender, plural: bool) -> str:
        """The French form that agrees with a noun."""
        return self.french[2 * plural + (gender == "f")]


@dataclass(frozen=True)
class Verb:
    """A verb in both languages, in the third person of the present."""

    english: tuple[str, str]
    french: tuple[str, str]
    kinds: frozenset[str]


def _kinds(groups: str) -> frozenset[str]:
    return frozenset().union(*(GROUPS[group] for group in groups.split(",") if group))


def _noun(line: str) -> Noun:
    english, french, gender, kind = line.split()
    both = (tuple(english.split("/")), tuple(french.split("/")))
    return Noun(*both, "f" if gender == "f" else "m", kind)


def _adjective(line: str, comes_before: bool) -> Adjective:
    english, french, groups = line.split()
    one, two, three, four, *vowel = french.split("/")
    before_vowel = vowel[0] if vowel else one
    return Adjective(english, (one, two, three, four), before_vowel, comes_before, _kinds(groups))


def _verb(line: str, groups: str = "") -> Verb:
    singular, plural, un, plusieurs = line.replace("/", " ").split()
    return Verb((singular, plural), (un, plusieurs), _kinds(groups))


def _tables() -> dict[str, list[str]]:
    """The lines of each section of lexicon.txt."""
    tables: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = tables[line[1 : line.index("]")]] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return tables


_TABLES = _tables()

NOUNS = tuple(map(_noun, _TABLES["nouns"]))
BEFORE = tuple(_adjective(line, comes_before=True) for line in _TABLES["before"])
COLOURS = tuple(_adjective(line, comes_before=False) for line in _TABLES["colours"])
"""Adjectives that can follow another adjective: "the small blue flower"."""

AFTER = (*COLOURS, *(_adjective(line, comes_before=False) for line in _TABLES["after"]))
ADJECTIVES = (*BEFORE, *AFTER)
TRANSITIVE = tuple(_verb(*line.split()) for line in _TABLES["transitive"])
INTRANSITIVE = tuple(map(_verb, _TABLES["intransitive"]))

MANNER = {"here": "ici", "well": "bien", "slowly": "lentement", "quickly": "vite"}
"""Adverbs that end a sentence."""

FREQUENCY = {"often": "souvent", "always": "toujours", "rarely": "rarement"}
"""Adverbs before the English verb and after the French one."""

PLACING = {
    "in": ("dans", _kinds("object")),
    "on": ("sur", _kinds("thing,text")),
    "under": ("sous", _kinds("thing,text")),
    "behind": ("derrière", _kinds("living,object")),
    "near": ("près de", _kinds("living,object")),
}
"""French form and noun kinds of each preposition."""
