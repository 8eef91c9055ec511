"""Make a training text of Wikipedia's pages.

    python -m model.training.wikipedia --pages FOLDER --held-out FILE --out NAME.txt.xz

Keeps paragraphs of prose and leaves out the rest of an encyclopaedia: lists, tables, headings,
captions, references, paragraphs that stand on another page too. So that what measures the model has
not been read by it, a page with the title of an article of the held-out text is left out as well,
and a paragraph anywhere that shares eight words in a row with that text.
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

ENDINGS = {
    *("references", "notes", "footnotes", "notes and references", "citations", "sources"),
    *("bibliography", "works cited", "further reading", "external links", "see also", "gallery"),
    *("discography", "filmography"),
}
"""Headings that end the prose of a page."""

SHARED_WORDS = 8
SHORTEST = 80
"""Characters of a paragraph; below are headings, captions and items of lists."""

_OPENING = ("'", '"', "\u201c", "_", "*", "(")
_NO_PROSE = re.compile(r"[|{]|http|\\begin|  ")
_MARK = re.compile(r"\[(?:\d+|note \d+|nb \d+|[a-z])\]")
_EMPHASIS = re.compile(r"[_*\\`]")
_EMPTY_PARENTHESES = re.compile(r"\s*\(\s*[;,]*\s*\)")  # a name in another script stood there
_OPEN_PARENTHESIS = re.compile(r"\(\s*[;,]\s*")
_WORD = re.compile(r"[a-z0-9]+")
_HEADING = re.compile(r" ?= ([^=]+) = ?")  # of an article; those of its parts have more signs
_TITLE_WORD = re.compile(r"<unk>|[^\W_]+")
_HOLE = "<unk>"
_ASCII = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2026": "...", "\xa0": " "}
    | dict.fromkeys("\u2013\u2014\u2212", "-")
)


def paragraphs(page: str) -> Iterator[str]:
    """The paragraphs of prose of a page in Markdown, without marks of references and emphasis."""
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
    """Whole sentences, mostly of letters, mostly English; brackets are left over from captions."""
    if len(text) < SHORTEST or text[-1] not in ".!?\"')" or "[" in text or "]" in text:
        return False
    letters = sum(c.isalpha() or c == " " for c in text)
    return letters >= 0.87 * len(text) and sum(map(str.isascii, text)) >= 0.95 * len(text)


def word_runs(text: str) -> Iterator[str]:
    """Every eight words in a row, without case or punctuation."""
    words = _WORD.findall(text.lower().replace(",", ""))
    for i in range(len(words) - SHARED_WORDS + 1):
        yield " ".join(words[i : i + SHARED_WORDS])


def title_words(title: str) -> str:
    """A title without case or punctuation, as WikiText and names of files have it alike."""
    marks = re.sub(r"@([-.,])@", r"\1", title)  # how WikiText writes them between two words
    return " ".join(_TITLE_WORD.findall(marks.lower()))


@dataclass(frozen=True)
class HeldOut:
    """What must not be read.

    Attributes:
        titles: Of its articles, by :func:`title_words`. A word that was taken out stands for any;
            titles of such words alone say nothing and are not among them.
        runs: Every eight words in a row.
    """

    titles: re.Pattern[str]
    runs: frozenset[str]

    def has_page(self, file: Path) -> bool:
        """Whether a page is one of its articles, by the title that names the file."""
        return self.titles.fullmatch(title_words(file.stem)) is not None


def read_held_out(file: Path) -> HeldOut:
    """Read the text that measures the model, as it is to be kept apart.

    Raises:
        HeadlightError: If it cannot be read.
    """
    titles: list[str] = []
    runs: set[str] = set()
    try:
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                if heading := _HEADING.fullmatch(line.rstrip("\n")):
                    titles.append(title_words(heading[1]))
                for part in line.split(_HOLE):  # a word that was taken out ends a run
                    runs.update(word_runs(part))
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise HeadlightError("The text {name} cannot be read.", name=str(file)) from error
    known = [title for title in titles if title.replace(_HOLE, "").strip()]
    patterns = [re.escape(title).replace(_HOLE, r"\w+") for title in known]
    return HeldOut(re.compile("|".join(patterns) or r"(?!)"), frozenset(runs))


def write_text(pages: Path, held_out: Path, out: Path) -> int:
    """Write the prose of a folder's pages into one file: how many paragraphs.

    Args:
        pages: A folder with a Markdown file a page, at any depth; lists by name are left out,
            and so are the held-out articles.
        held_out: The text that measures the model, xz; read here to be kept apart, never trained.
        out: Where to, ``NAME.txt.xz``.

    Raises:
        HeadlightError: If there are no pages, or a file cannot be read or written.
    """
    files = sorted(pages.rglob("*.md"), key=bytes)
    if not files:
        raise HeadlightError("{folder} holds no pages that end in .md.", folder=str(pages))
    held = read_held_out(held_out)
    unfinished = out.with_name(f"{out.name}.new")  # a name that no run would train on
    count = 0
    try:
        with lzma.open(unfinished, "wt", preset=1, encoding="utf-8") as text:
            for paragraph in _kept(files, held):
                text.write(paragraph + "\n")
                count += 1
        unfinished.replace(out)
    except OSError as error:
        raise HeadlightError(
            "{name} was not written ({reason}): what stood there before is kept.",
            name=str(out),
            reason=str(error),
        ) from error
    return count


def _kept(files: list[Path], held: HeldOut) -> Iterator[str]:
    seen: set[bytes] = set()
    for file in tqdm(files, unit="page"):
        if file.name.startswith(("List_of", "Lists_of")) or held.has_page(file):
            continue
        for paragraph in paragraphs(file.read_bytes().decode(errors="replace")):
            digest = hashlib.sha256(paragraph.encode()).digest()  # 32 bytes, whatever its length
            if digest not in seen and held.runs.isdisjoint(word_runs(paragraph)):
                yield paragraph
            seen.add(digest)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and say how much was kept."""
    parser = argparse.ArgumentParser(prog="python -m model.training.wikipedia", description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="folder of .md files")
    parser.add_argument("--held-out", type=Path, required=True, help="a .txt.xz to keep apart")
    parser.add_argument("--out", type=Path, required=True, help="NAME.txt.xz")
    options = parser.parse_args(arguments)
    try:
        count = write_text(options.pages, options.held_out, options.out)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    print(f"{count:,} paragraphs in {options.out}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
