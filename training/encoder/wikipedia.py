"""Training text from Wikipedia pages.

    python -m training.encoder.wikipedia --pages FOLDER --held-out FILE --out NAME.txt.xz

Paragraphs of prose, none of them twice. To keep the evaluation text unseen, pages with the title of
one of its articles, and paragraphs that share eight consecutive words with it, are left out.
"""

import argparse
import hashlib
import lzma
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from model.errors import HeadlightError
from training.command import run_command

ENDINGS = {
    *("references", "notes", "footnotes", "notes and references", "citations", "sources"),
    *("bibliography", "works cited", "further reading", "external links", "see also", "gallery"),
    *("discography", "filmography"),
}
"""Headings after which a page has no prose."""

SHARED_WORDS = 8
SHORTEST = 80
"""Fewest characters of a paragraph. Headings, captions and list items are shorter."""

_OPENING = ("'", '"', "\u201c", "_", "*", "(")
_NO_PROSE = re.compile(r"[|{]|http|\\begin|  ")
_MARK = re.compile(r"\[(?:\d+|note \d+|nb \d+|[a-z])\]")
_EMPHASIS = re.compile(r"[_*\\`]")
_EMPTY_PARENTHESES = re.compile(r"\s*\(\s*[;,]*\s*\)")  # left by a removed name in another script
_OPEN_PARENTHESIS = re.compile(r"\(\s*[;,]\s*")
_WORD = re.compile(r"[a-z0-9]+")
_HEADING = re.compile(r" ?= ([^=]+) = ?")  # an article's title; section headings have more signs
_TITLE_WORD = re.compile(r"<unk>|[^\W_]+")
_HOLE = "<unk>"
_ASCII = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2026": "...", "\xa0": " "}
    | dict.fromkeys("\u2013\u2014\u2212", "-")
)


def paragraphs(page: str) -> Iterator[str]:
    """The prose paragraphs of a page, without reference marks and emphasis."""
    for line in page.split("\n"):
        if line.strip().lower() in ENDINGS or line.startswith("Category:"):
            return
        begins = line[:1].isalpha() or line.startswith(_OPENING)
        text = _plain(line)
        if begins and not _NO_PROSE.search(line.strip()) and _is_prose(text):
            yield text


def _plain(line: str) -> str:
    text = _EMPHASIS.sub("", _MARK.sub("", line).translate(_ASCII))
    text = _OPEN_PARENTHESIS.sub("(", _EMPTY_PARENTHESES.sub("", text))
    return re.sub(r"\s+", " ", text).strip()


def _is_prose(text: str) -> bool:
    """Whether a text is whole sentences, mostly letters and mostly English, without brackets."""
    if len(text) < SHORTEST or text[-1] not in ".!?\"')" or "[" in text or "]" in text:
        return False
    letters = sum(c.isalpha() or c == " " for c in text)
    return letters >= 0.87 * len(text) and sum(map(str.isascii, text)) >= 0.95 * len(text)


def word_runs(text: str) -> Iterator[str]:
    """All runs of eight consecutive words, without case and punctuation."""
    words = _WORD.findall(text.lower().replace(",", ""))
    for i in range(len(words) - SHARED_WORDS + 1):
        yield " ".join(words[i : i + SHARED_WORDS])


def title_words(title: str) -> str:
    """A title without case and punctuation, equal for WikiText titles and file names."""
    marks = re.sub(r"@([-.,])@", r"\1", title)  # WikiText's form of marks between two words
    return " ".join(_TITLE_WORD.findall(marks.lower()))


@dataclass(frozen=True)
class HeldOut:
    """Text that the training must exclude: runs of words, and titles (:func:`title_words`)."""

    titles: re.Pattern[str]
    runs: frozenset[str]


def read_held_out(file: Path) -> HeldOut:
    """Read the titles and word runs of the evaluation text.

    ``<unk>`` in a title matches any word. Titles of ``<unk>`` alone are left out.
    """
    titles: list[str] = []
    runs: set[str] = set()
    try:
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                if heading := _HEADING.fullmatch(line.rstrip("\n")):
                    titles.append(title_words(heading[1]))
                for part in line.split(_HOLE):  # <unk> ends a run
                    runs.update(word_runs(part))
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise HeadlightError("The text {name} cannot be read.", name=str(file)) from error
    known = [title for title in titles if title.replace(_HOLE, "").strip()]
    patterns = [re.escape(title).replace(_HOLE, r"\w+") for title in known]
    return HeldOut(re.compile("|".join(patterns) or r"(?!)"), frozenset(runs))


def write_text(pages: Path, held_out: Path, out: Path) -> int:
    """Write the prose of all pages into one file and return the number of paragraphs.

    Each .md file of the folder, at any depth, is a page. Lists, by their names, and held-out
    articles are left out.
    """
    files = sorted(pages.rglob("*.md"), key=bytes)
    if not files:
        raise HeadlightError("{folder} has no files that end in .md.", folder=str(pages))
    held = read_held_out(held_out)
    unfinished = out.with_name(f"{out.name}.new")  # training ignores this name
    count = 0
    try:
        with lzma.open(unfinished, "wt", preset=1, encoding="utf-8") as text:
            for paragraph in _kept(files, held):
                text.write(paragraph + "\n")
                count += 1
        unfinished.replace(out)
    except OSError as error:
        raise HeadlightError(
            "{name} was not written ({reason}). The earlier file is unchanged.",
            name=str(out),
            reason=str(error),
        ) from error
    return count


def _kept(files: list[Path], held: HeldOut) -> Iterator[str]:
    seen: set[bytes] = set()
    for file in tqdm(files, unit="page"):
        is_list = file.name.startswith(("List_of", "Lists_of"))
        if is_list or held.titles.fullmatch(title_words(file.stem)):
            continue
        for paragraph in paragraphs(file.read_bytes().decode(errors="replace")):
            digest = hashlib.sha256(paragraph.encode()).digest()  # 32 bytes instead of the text
            if digest not in seen and held.runs.isdisjoint(word_runs(paragraph)):
                yield paragraph
            seen.add(digest)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line, write the text and print the number of paragraphs."""
    parser = argparse.ArgumentParser(
        prog="python -m training.encoder.wikipedia", description=__doc__
    )
    parser.add_argument("--pages", type=Path, required=True, help="folder of .md files")
    parser.add_argument("--held-out", type=Path, required=True, help="a .txt.xz to keep apart")
    parser.add_argument("--out", type=Path, required=True, help="NAME.txt.xz")
    return run_command(_write, parser, arguments)


def _write(options: argparse.Namespace) -> None:
    count = write_text(options.pages, options.held_out, options.out)
    print(f"{count:,} paragraphs in {options.out}")  # noqa: T201 - a command's answer


if __name__ == "__main__":
    sys.exit(main())
