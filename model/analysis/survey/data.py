"""Data sets: the texts of a file."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import conllu
from conllu.exceptions import ParseException

from model.errors import HeadlightError

COLUMN = "text"
"""Column of a CSV file, and field of a JSONL file, that holds the texts."""


def read_texts(file: Path | str, column: str = COLUMN) -> list[str]:
    """Read the texts of a file (.txt, .csv, .tsv, .jsonl, .conllu), without blank ones.

    Raises:
        HeadlightError: If the file cannot be read, is of another kind, or has no texts.
    """
    file = Path(file).expanduser()
    try:
        content = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise HeadlightError("There is no file {name}. Check its path.", name=str(file)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise HeadlightError("{name} cannot be read as a text.", name=str(file)) from error
    found = list(_parsed_texts(content, file.name, column))
    texts = [text for text in found if text.strip()]
    if not texts:
        raise HeadlightError("{name} has no texts. Choose another file.", name=str(file))
    return texts


def _parsed_texts(content: str, name: str, column: str) -> Iterator[str]:
    ending = name.rpartition(".")[2].lower()
    if ending == "txt":
        yield from content.splitlines()
    elif ending == "conllu":
        try:
            for sentence in conllu.parse(content):
                # Contracted tokens and empty nodes have ids of several parts.
                yield " ".join(word["form"] for word in sentence if isinstance(word["id"], int))
        except (ParseException, KeyError) as error:
            raise HeadlightError(
                "{name} is not in CoNLL-U format: {reason}", name=name, reason=str(error)
            ) from error
    elif ending in ("csv", "tsv"):
        separator = "," if ending == "csv" else "\t"
        # newline="" leaves line breaks inside quoted cells to the csv module.
        rows = csv.DictReader(io.StringIO(content, newline=""), delimiter=separator)
        try:
            for row in rows:
                yield _field(row, column, name, rows.line_num)
        except csv.Error as error:  # a cell of more than 131,072 characters
            raise HeadlightError("{name} is not a table.", name=name) from error
    elif ending == "jsonl":
        for number, line in enumerate(content.split("\n"), start=1):
            if line.strip():
                yield _field(_parsed(line, name, number), column, name, number)
    else:
        raise HeadlightError(
            "Headlight does not know the ending of {name}. It reads .txt, .csv, .tsv, .jsonl and "
            ".conllu.",
            name=name,
        )


def _parsed(line: str, name: str, number: int) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise HeadlightError(
            "Line {number} of {name} is not JSON.", name=name, number=number
        ) from error


def _field(row: object, column: str, name: str, number: int) -> str:
    value = row.get(column) if isinstance(row, dict) else None
    if not isinstance(value, str):
        raise HeadlightError(
            "Line {number} of {name} has no text in the column “{column}”. Name its column.",
            name=name,
            number=number,
            column=column,
        )
    return value
