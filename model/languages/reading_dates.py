"""Rule-based parser of written dates: the ISO date, or an error message."""

import calendar
import re
from datetime import date

from model.errors import HeadlightError
from model.languages.dates import FIRST, FORMATS, LAST, MONTHS, WEEKDAYS, fits, full_year, write
from model.languages.reading import OutsideTraining

_MONTH_NUMBERS = {
    name: i + 1
    for i, month in enumerate(MONTHS)
    for name in (month.lower(), month[:3].lower(), month[:4].lower())
}
_WEEKDAY_NUMBERS = {
    name: i for i, day in enumerate(WEEKDAYS) for name in (day.lower(), day[:3].lower())
}
_THREE_NUMBERS = re.compile(r"(\d+)\s*([./-])\s*(\d+)\s*\2\s*(\d+)")


def tidy(text: str) -> str:
    """Normalise a text as the tokenizer does: lower case, single blanks."""
    return " ".join(text.lower().replace("’", "'").split())


def read_date(text: str) -> date:
    """Parse a written date.

    Raises:
        OutsideTraining: If no training example has this form. A translator still answers it.
        HeadlightError: If the day does not exist, its weekday is wrong, or the text is ambiguous.
    """
    text = tidy(text)
    year, month, day = _numbers(text)
    when = _checked(year, month, day)
    for word in re.findall(r"[a-z]+", text):
        weekday = _WEEKDAY_NUMBERS.get(word)
        if weekday is not None and weekday != when.weekday():
            raise HeadlightError(
                "{date} is a {right}, not a {wrong}.",
                date=when.isoformat(),
                right=WEEKDAYS[when.weekday()],
                wrong=WEEKDAYS[weekday],
            )
    if not FIRST <= when <= LAST:
        raise _other_years(when.year)
    if not any(fits(when, form) and write(when, form).lower() == text for form in FORMATS):
        raise OutsideTraining("It was not trained on dates of this form.")
    return when


def _numbers(text: str) -> tuple[int, int, int]:
    """Year, month and day, which may not exist."""
    if three := _THREE_NUMBERS.fullmatch(text):
        return _of_three_numbers(three[1], three[2], three[3], three[4])
    words = re.findall(r"[a-z]+|\d+", text)
    months = [_MONTH_NUMBERS[word] for word in words if word in _MONTH_NUMBERS]
    numbers = [word for word in words if word.isdecimal()]
    if len(months) != 1 or not 1 <= len(numbers) <= 2:
        raise OutsideTraining("This is not a date with a day, a month and a year.")
    if len(numbers) == 1:
        if len(numbers[0]) <= 2:
            _checked(2000, months[0], int(numbers[0]))  # there is 29 February in 2000
        raise OutsideTraining("The day, the month or the year is missing.")
    day, year = reversed(numbers) if len(numbers[0]) > 2 else numbers
    return _year(year), months[0], _number(day)


def _of_three_numbers(first: str, mark: str, second: str, third: str) -> tuple[int, int, int]:
    if len(first) > 2:
        return _year(first), _number(second), _number(third)
    year, one, two = _year(third), _number(first), _number(second)
    if mark == "." or one > 12 or one == two:
        return year, two, one
    if two <= 12:
        raise HeadlightError(
            "{text} can mean {one} or {two}. Write the month's name, or use dots.",
            text=f"{first}{mark}{second}{mark}{third}",
            one=f"{one} {MONTHS[two - 1]}",
            two=f"{two} {MONTHS[one - 1]}",
        )
    return year, one, two


def _year(digits: str) -> int:
    return full_year(int(digits)) if len(digits) == 2 else _number(digits)


def _number(digits: str) -> int:
    """The number of at most the first five digits, because a text has any length."""
    return int(digits[:5])


def _other_years(year: int) -> OutsideTraining:
    return OutsideTraining(
        "It was trained on the years {first} to {last}, not on {year}.",
        first=FIRST.year,
        last=LAST.year,
        year=year,
    )


def _checked(year: int, month: int, day: int) -> date:
    if not 1 <= month <= 12:
        raise HeadlightError("There is no month {month}.", month=month)
    name = MONTHS[month - 1]
    most = 29 if month == 2 else calendar.monthrange(2000, month)[1]
    if not 1 <= day <= most:
        raise HeadlightError(
            "There is no {day} {month}: {month} has at most {most} days.",
            day=day,
            month=name,
            most=most,
        )
    if not 1 <= year <= 9999:
        raise _other_years(year)
    if (month, day) == (2, 29) and not calendar.isleap(year):
        raise HeadlightError(
            "There is no 29 February in {year}, because it is not a leap year.", year=year
        )
    return date(year, month, day)
