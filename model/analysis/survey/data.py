"""Data sets: the texts of a file, each format read as its definition says.

===========  =========================================================================
.txt         a text for each line; lines end with LF, CR LF or CR
.csv         RFC 4180, with a header; also Excel's, with semicolons or tabs
.tsv         text/tab-separated-values, with a header; quotation marks are text
.jsonl       a JSON object for each line
.conllu      CoNLL-U; the words of a sentence, joined by spaces
===========  =========================================================================

Files are UTF-8, or UTF-16 with a byte order mark.
"""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import conllu
from conllu.exceptions import ParseException

from model.errors import HeadlightError

COLUMN = "text"
"""Column of a table, and field of a JSONL file, that holds the texts."""


def read_texts(file: Path | str, column: str = COLUMN) -> list[str]:
    """Read the texts of a file (.txt, .csv, .tsv, .jsonl, .conllu), without blank and null ones.

    Raises a HeadlightError if there are none, or the file does not follow its format.
    """
    file = Path(file).expanduser()
    try:
        content = _decoded(file.read_bytes(), file.name)
    except FileNotFoundError as error:
        raise HeadlightError("There is no file {name}. Check its path.", name=str(file)) from error
    except OSError as error:
        raise HeadlightError("{name} cannot be read as a text.", name=str(file)) from error
    read = READERS.get(file.suffix.lower())
    if read is None:
        raise HeadlightError(
            "Headlight does not know the ending of {name}. It reads .txt, .csv, .tsv, .jsonl and "
            ".conllu.",
            name=file.name,
        )
    texts = [text for text in read(content, file.name, column) if text.strip()]
    if not texts:
        raise HeadlightError("{name} has no texts. Choose another file.", name=str(file))
    return texts


def _decoded(content: bytes, name: str) -> str:
    utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise HeadlightError(
            "Line {number} of {name} is not UTF-8. Save the file as UTF-8.",
            number=content.count(b"\n", 0, error.start) + 1,
            name=name,
        ) from error


def _lines(content: str, _name: str, _column: str) -> Iterator[str]:
    # Not splitlines(): form feeds, U+0085 and U+2028 end no line of a text file.
    yield from re.split(r"\r\n|\r|\n", content)


def _comma_separated(content: str, name: str, column: str) -> Iterator[str]:
    header = re.split(r"[\r\n]", content, maxsplit=1)[0]
    separator = next(
        (each for each in ",;\t" if each in header), ","
    )  # Excel's depend on a country
    yield from _table(content, name, column, separator, csv.QUOTE_MINIMAL)


def _tab_separated(content: str, name: str, column: str) -> Iterator[str]:
    yield from _table(content, name, column, "\t", csv.QUOTE_NONE)


def _table(content: str, name: str, column: str, separator: str, quoting: int) -> Iterator[str]:
    import pandas as pd  # takes half a second

    try:
        # header=None: otherwise pandas makes surplus cells of the first row an index.
        rows = pd.read_csv(
            io.StringIO(content, newline=""),
            sep=separator,
            quoting=quoting,
            header=None,
            dtype=str,
            keep_default_na=False,
        )
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        reason = str(error).rpartition("C error: ")[2].strip()
        raise HeadlightError("{name} is not a table: {reason}", name=name, reason=reason) from error
    columns = rows.iloc[0].tolist()
    if columns.count(column) != 1:
        raise HeadlightError(
            "{name} has no column “{column}”, or several. Its columns are: {columns}.",
            name=name,
            column=column,
            columns=" · ".join(map(str, columns)),
        )
    yield from rows.iloc[1:, columns.index(column)].fillna("")  # a row may end early


def _json_lines(content: str, name: str, column: str) -> Iterator[str]:
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            yield _field(_parsed(line, name, number), column, name, number)


def _parsed(line: str, name: str, number: int) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise HeadlightError(
            "Line {number} of {name} is not JSON. In a .jsonl file, each line is one JSON object.",
            number=number,
            name=name,
        ) from error


def _field(row: object, column: str, name: str, number: int) -> str:
    if not isinstance(row, dict) or column not in row:
        raise HeadlightError(
            "Line {number} of {name} has no field “{column}”. Its fields are: {fields}.",
            number=number,
            name=name,
            column=column,
            fields=" · ".join(row) if isinstance(row, dict) else "–",
        )
    text = "" if row[column] is None else row[column]
    if not isinstance(text, str) or re.search("[\ud800-\udfff]", text):
        raise HeadlightError(
            "The field “{column}” in line {number} of {name} is not a text, or contains half a "
            "character (a lone surrogate). Correct or remove the line.",
            column=column,
            number=number,
            name=name,
        )
    return text


def _conllu_sentences(content: str, name: str, _column: str) -> Iterator[str]:
    # Joined files have the byte order mark of each.
    blocks = re.split(r"\n\s*\n", re.sub("^\ufeff", "", content, flags=re.MULTILINE))
    for block in blocks:
        if all(line.startswith("#") for line in block.split("\n") if line.strip()):
            continue  # comments alone
        try:
            for sentence in conllu.parse(block):
                # Contracted tokens and empty nodes have ids of several parts.
                yield " ".join(word["form"] for word in sentence if isinstance(word["id"], int))
        except (ParseException, KeyError) as error:
            raise HeadlightError(
                "{name} is not in CoNLL-U format: {reason}", name=name, reason=str(error)
            ) from error


READERS = {
    ".txt": _lines,
    ".csv": _comma_separated,
    ".tsv": _tab_separated,
    ".jsonl": _json_lines,
    ".conllu": _conllu_sentences,
}
