"""Written and parsed dates, and errors for days that do not exist."""

import random
from collections import Counter
from datetime import date

import pytest

from model.errors import HeadlightError
from model.languages.dates import (
    FIRST,
    FORMATS,
    LAST,
    SOURCE_CHARACTERS,
    draw,
    ending,
    fits,
    full_year,
    held_out_dates,
    held_out_texts,
    read_date,
    write,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("  3  MAY 19 ", "2019-05-03"),
        ("03.05.2019", "2019-05-03"),
        ("Friday, 3 May 2019", "2019-05-03"),
        ("29 February 2024", "2024-02-29"),
        ("1 Jan 50", "1950-01-01"),
        ("1 Jan 49", "2049-01-01"),
    ],
)
def test_a_date_is_read(text, wanted):
    assert read_date(text).isoformat() == wanted


@pytest.mark.parametrize(
    "text",
    [
        *("", "29 February", "31 February 2019", "29 February 2019", "03.13.2019"),
        *("Monday, 3 May 2019", "3 May 2219", "3st of May 2019", "9" * 10_000 + " May 19"),
    ],
)
def test_what_no_training_example_has_is_refused(text):
    with pytest.raises(HeadlightError, match="existing dates from 1900 to 2099, in 31 forms"):
        read_date(text)


def test_an_ambiguous_date_is_named():
    with pytest.raises(HeadlightError, match="03/05/2019 can mean 5 March or 3 May"):
        read_date("03/05/2019")


def test_digits_of_other_scripts_are_refused():
    for text in ("٣ May 2019", "²/5/2019"):
        with pytest.raises(HeadlightError):
            read_date(text)


def test_written_dates_parse_to_the_same_date():
    rng = random.Random(5)
    seen = Counter()
    for _ in range(600):
        when, form = draw(rng)
        text = write(when, form)
        assert read_date(text) == when
        assert set(text.lower()) <= set(SOURCE_CHARACTERS)
        seen[form] += 1
    assert set(seen) == set(FORMATS)


def test_a_format_that_could_be_read_in_two_ways_is_not_used():
    assert not fits(date(2019, 5, 3), "{d}/{m}/{yyyy}")
    assert fits(date(2019, 5, 5), "{d}/{m}/{yyyy}")
    assert fits(date(2019, 5, 13), "{m}/{d}/{yy}")
    assert not fits(date(1949, 5, 13), "{m}/{d}/{yy}")
    assert fits(date(2019, 5, 3), "{yyyy}/{m}/{d}")
    assert [full_year(year) for year in (0, 49, 50, 99)] == [2000, 2049, 1950, 1999]
    assert [ending(day) for day in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31)] == (
        ["st", "nd", "rd", "th", "th", "th", "th", "st", "nd", "rd", "st"]
    )


def test_no_held_out_date_is_drawn_in_any_format():
    kept = held_out_dates()
    assert len(set(kept)) == 2_000
    assert FIRST <= min(kept) <= max(kept) <= LAST
    rng = random.Random(8)
    assert not {draw(rng)[0] for _ in range(10_000)} & set(kept)
    texts = list(held_out_texts())
    assert [when for when, _ in texts] == list(kept)
    assert all(fits(when, form) for when, form in texts)
