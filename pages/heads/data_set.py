"""The texts of the part "Data set": typed sentences, or a file that the browser reads."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat, tee
from pathlib import Path

import streamlit as st

from model import HeadlightError
from model.analysis.grammar.treebank import ParsedSentence, parse_treebank, read_treebank
from model.analysis.survey.data import COLUMN, parse_texts, read_texts
from web import components, settings
from web.cache.surveys import MOST_TEXTS
from web.language import _, in_words, ngettext, plain

ENDINGS = ".txt,.csv,.tsv,.jsonl,.conllu"

FILE_BYTES = 1_000_000
"""Bytes of a file that the browser reads. A message of the browser may have twice as many."""

TEXT_BYTES = 400_000
"""Bytes of all texts in a session; the shared cache accepts arguments of 512 kB."""

EXAMPLE = """\
The animal didn't cross the street because it was too tired.
The animal didn't cross the street because it was too wide.
She gave him the letter before he left the house.
The old man saw the boy with the telescope.
It rained in the morning, and it rained again in the evening.
The keys to the cabinet are on the table.
When the bell rang, the children ran out of the school.
My sister bought a red car, and my brother bought a blue car.
"""


@dataclass(frozen=True)
class DataSet:
    """Texts within the limits of a session.

    Attributes:
        texts: The texts, not blank.
        left_out: Number of further texts.
        name: Name of the file; empty for typed sentences.
        cut: Whether the file is longer than what the browser reads.
        trees: Tree of each text of a CoNLL-U file, or nothing; see :func:`with_tree`.
    """

    texts: tuple[str, ...]
    left_out: int = 0
    name: str = ""
    cut: bool = False
    trees: tuple[str, ...] = ()


def data_set() -> DataSet:
    """Draw the box of the sentences and the button for a file; return the texts."""
    state = st.session_state
    state.setdefault("data_text", EXAMPLE)
    state.setdefault("data_column", COLUMN)
    st.text_area(
        _("Sentences, one on each line"),
        key="data_text",
        height=168,
        max_chars=settings.now().characters,
        on_change=_forget_file,
        persist_state="session",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        components.data_file(
            {"label": _("Choose a file"), "accept": ENDINGS, "most": FILE_BYTES},
            key="data_file",
            on_chosen=_take_file,
        )
        st.text_input(
            _("Its column of texts (CSV, TSV, JSONL)"),
            key="data_column",
            max_chars=100,
            persist_state="session",
            width=280,
        )
    if settings.now().is_local:
        st.text_input(
            _("Or the path of a file on this computer"),
            key="data_path",
            max_chars=1000,
            on_change=_take_path,
            persist_state="session",
        )
    if error := state.get("data_error"):
        st.error(plain(in_words(error)))
    found: DataSet = state.get("data_of_file") or bounded(state["data_text"].splitlines())
    _describe(found)
    return found


def bounded(
    texts: Iterable[str], name: str = "", trees: Iterable[str] | None = None, *, cut: bool = False
) -> DataSet:
    """Return the first texts that a session may hold.

    Args:
        texts: Texts; blank ones are left out without being counted.
        name: Name of their file.
        trees: Tree of each text of a treebank; a shortened text loses its tree.
        cut: Whether the file is longer than what the browser reads.
    """
    found: list[tuple[str, str]] = []
    size, left_out = 0, 0
    for each, tree in zip(texts, repeat("") if trees is None else trees, strict=False):
        # A file can hold half of a surrogate pair, which no table can.
        text = each.strip()[: settings.now().characters].encode(errors="replace").decode()
        if not text:
            continue
        kept = tree if text == each else ""
        size += sys.getsizeof(text) + len(kept)
        if left_out or len(found) == MOST_TEXTS or size > TEXT_BYTES:
            left_out += 1
        else:
            found.append((text, kept))
    shown = () if trees is None else tuple(kept for _text, kept in found)
    return DataSet(tuple(text for text, _kept in found), left_out, name, cut, shown)


def _describe(found: DataSet) -> None:
    if not found.name and not found.left_out:
        return
    count = len(found.texts)
    parts = []
    if found.name:
        parts.append(
            ngettext(
                "{count:,} text of {name}.",
                "{count:,} texts of {name}.",
                count,
            ).format(count=count, name=plain(found.name))
        )
    if found.left_out:
        parts.append(_("{count:,} more texts are left out.").format(count=found.left_out))
    if found.cut:
        parts.append(_("The file is longer than 1 MB, and only its beginning is read."))
    st.caption(" ".join(parts))


def _forget_file() -> None:
    """Show the typed sentences; a callback."""
    for key in ("data_of_file", "data_error"):
        st.session_state.pop(key, None)


def _take_file() -> None:
    """Read the chosen file; a callback."""
    state = st.session_state
    chosen = state["data_file"].chosen
    if not isinstance(chosen, dict):  # a browser can send anything
        return
    _forget_file()
    try:
        state["data_of_file"] = _read(chosen, state["data_column"])
    except HeadlightError as error:
        state["data_error"] = error


def _take_path() -> None:
    """Read the file of the typed path; a callback."""
    state = st.session_state
    _forget_file()
    path = Path(state["data_path"].strip())
    # A browser can send a path without having the box.
    if not path.name or not settings.now().is_local:
        return
    try:
        if path.suffix == ".conllu":
            state["data_of_file"] = _of_treebank(read_treebank(path.expanduser()), path.name)
        else:
            state["data_of_file"] = bounded(read_texts(path, state["data_column"]), path.name)
    except HeadlightError as error:
        state["data_error"] = error


def _of_treebank(sentences: Iterable[ParsedSentence], name: str, *, cut: bool = False) -> DataSet:
    texts, trees = tee(sentences)
    return bounded(
        (sentence.text for sentence in texts), name, (each.tree for each in trees), cut=cut
    )


def _read(chosen: dict[str, object], column: str) -> DataSet:
    name, text = str(chosen.get("name"))[:100], chosen.get("text")
    if not isinstance(text, str):
        raise HeadlightError("{name} cannot be read as a text.", name=name)
    cut = chosen.get("cut") is True
    if name.lower().endswith(".conllu"):
        found = _of_treebank(parse_treebank(text.split("\n"), name), name, cut=cut)
    else:
        found = bounded(parse_texts(text, name, column), name, cut=cut)
    if not found.texts:
        raise HeadlightError("{name} has no texts. Choose another file.", name=name)
    return found
