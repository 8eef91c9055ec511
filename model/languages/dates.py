"""Dates in written English and in ISO 8601.

The dates are from 1900 to 2099. A year of two digits is between 1950 and 2049. With dots the day
comes first. With slashes either order is possible, so only unambiguous dates are written that way.
"""

import random
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from functools import cache
from itertools import permutations

from model.errors import HeadlightError

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)
PIVOT = 50
"""Years of two digits from here on belong to the 20th century."""

FORMATS = (
    "{d} {month} {yyyy}", "{d}{th} {month} {yyyy}", "{d}{th} of {month} {yyyy}",
    "{d}{th} of {month}, {yyyy}", "the {d}{th} of {month} {yyyy}",
    "{month} {d}, {yyyy}", "{month} {d} {yyyy}", "{month} {d}{th}, {yyyy}",
    "{d} {month} '{yy}", "{month} {d} '{yy}", "{d} {month} {yy}",
    "{d} {mon} {yyyy}", "{mon} {d}, {yyyy}", "{d} {mon} {yy}", "{d}-{mon}-{yyyy}",
    "{weekday}, {d} {month} {yyyy}", "{weekday} {d} {month} {yyyy}",
    "{weekday}, {month} {d}, {yyyy}", "{day} {d} {mon} {yyyy}",
    "{dd}.{mm}.{yyyy}", "{d}.{m}.{yyyy}", "{d}.{m}.{yy}",
    "{yyyy}-{mm}-{dd}", "{yyyy}/{mm}/{dd}", "{yyyy}/{m}/{d}",
    "{dd}/{mm}/{yyyy}", "{d}/{m}/{yyyy}", "{d}/{m}/{yy}",
    "{mm}/{dd}/{yyyy}", "{m}/{d}/{yyyy}", "{m}/{d}/{yy}",
)  # fmt: skip
"""Formats of the training: "d" is 3, "dd" 03, "th" its ending, "mon" and "day" have 3 letters."""

SOURCE_CHARACTERS = tuple(" ',-./0123456789abcdefghijklmnopqrstuvwxyz")
TARGET_CHARACTERS = tuple("-0123456789")
HELD_OUT = 2_000
_SEED = 2019
_EITHER_FIRST = re.compile(r"\{(d|m)+\}/\{(d|m)+\}/")


def fits(when: date, form: str) -> bool:
    """Whether a date can be written in a format without ambiguity."""
    if "{yy}" in form and not 1900 + PIVOT <= when.year < 2000 + PIVOT:
        return False
    return not _EITHER_FIRST.match(form) or when.day > 12 or when.day == when.month


def write(when: date, form: str) -> str:
    """A date in a format, such as "3rd of May, 2019"."""
    month, weekday = MONTHS[when.month - 1], WEEKDAYS[when.weekday()]
    return form.format(
        d=when.day,
        dd=f"{when.day:02}",
        th=ending(when.day),
        m=when.month,
        mm=f"{when.month:02}",
        month=month,
        mon=month[:3],
        weekday=weekday,
        day=weekday[:3],
        yyyy=when.year,
        yy=f"{when.year % 100:02}",
    )


def ending(day: int) -> str:
    """The ending of an ordinal: 1st, 2nd, 3rd, 11th."""
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def full_year(two_digits: int) -> int:
    """The year between 1950 and 2049 with these last two digits, 0 to 99."""
    return two_digits + (1900 if two_digits >= PIVOT else 2000)


def read_date(text: str) -> date:
    """Parse a written date; HeadlightError if it has no form of the training, or two meanings."""
    text = " ".join(text.lower().replace("’", "'").split())  # as the tokenizer does
    found = [
        when
        for when in sorted(_possible_dates(text))
        if text in (write(when, form).lower() for form in FORMATS)
    ]
    if not found:
        raise HeadlightError(
            "It was trained on existing dates from {first} to {last}, in {count} forms. This is "
            "none of them.",
            first=FIRST.year,
            last=LAST.year,
            count=len(FORMATS),
        )
    if len(found) > 1:
        one, two = (f"{when.day} {MONTHS[when.month - 1]}" for when in found)
        raise HeadlightError(
            "{text} can mean {one} or {two}. Write the month's name, or use dots.",
            text=text,
            one=one,
            two=two,
        )
    return found[0]


def _possible_dates(text: str) -> set[date]:
    """The dates that consist of the three numbers of a text, in any order."""
    numbers = [int(digits[:5]) for digits in re.findall("[0-9]+", text)]  # a text has any length
    numbers += [i for i, month in enumerate(MONTHS, 1) if month[:3].lower() in text]
    found = set()
    for year, month, day in permutations(numbers, 3) if len(numbers) == 3 else ():
        with suppress(ValueError):
            found.add(date(full_year(year) if year < 100 else year, month, day))
    return {when for when in found if FIRST <= when <= LAST}


@cache
def held_out_dates() -> tuple[date, ...]:
    """The dates that the training excludes in every format."""
    every = range(FIRST.toordinal(), LAST.toordinal() + 1)
    chosen = random.Random(_SEED).sample(every, HELD_OUT)  # noqa: S311 - chance, not secrecy
    return tuple(date.fromordinal(ordinal) for ordinal in chosen)


@cache
def _held_out() -> frozenset[date]:
    return frozenset(held_out_dates())


def draw(rng: random.Random) -> tuple[date, str]:
    """A random training date and a format that fits it."""
    while True:
        form = FORMATS[int(rng.random() * len(FORMATS))]
        day = FIRST.toordinal() + int(rng.random() * (LAST.toordinal() - FIRST.toordinal() + 1))
        when = date.fromordinal(day)
        if fits(when, form) and when not in _held_out():
            return when, form


def held_out_texts() -> Iterator[tuple[date, str]]:
    """Every held-out date with one random format that fits it."""
    rng = random.Random(_SEED)  # noqa: S311
    for when in held_out_dates():
        yield when, rng.choice([form for form in FORMATS if fits(when, form)])
