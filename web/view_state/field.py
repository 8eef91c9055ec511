"""Fields of a view: what the query string calls each, its values, and the widget that edits it.

A page declares its fields in a class; the name of an attribute is the name in the query string:

    class Sizes(Fields, prefix="size_"):
        norm = field.choice(N_("Norm"), {"post": N_("post"), "pre": N_("pre")})
        heads = field.number(N_("Heads"), 8, (1, 1_024))

    Sizes.heads.draw()  # a number input from 1 to 1,024
    Sizes.heads.value   # the value in the session state, at the key "size_heads"

:mod:`web.view_state.address` reads and writes ``Sizes.fields``.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, replace
from dataclasses import field as with_factory
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import quote_plus, unquote_plus

import streamlit as st

from web.language import Label, translated

T = TypeVar("T")
Numeric = TypeVar("Numeric", int, float)
Widget = Callable[..., Any]
Condition = Callable[[], bool]

MAX_TEXT = 6_000
"""Bytes of a sentence in the query string, quoted: more than any model takes, and with two of them
less than the 16 kB that the server refuses."""

MAX_INDEX = 9_999


@dataclass(eq=False)
class Field(Generic[T]):
    """One field of a view. A function of this module makes each kind.

    Attributes:
        label: Label of the widget; "" if a component or the page edits the field.
        parse: Reads a value of the query string; a ValueError or KeyError if it is none.
        options: What can be chosen; a mapping has the names. The browser reports a name, which must
            not change while the widget is on the page.
        always: Whether the query string contains even the default.
        when: Whether the query string contains the field at all.
        hidden: Whether the label is for screen readers only.
        look: More arguments of the widget.
    """

    label: Label
    default: T
    parse: Callable[[str], T]
    write: Callable[[T], str] = str
    _: KW_ONLY
    widget: Widget = st.text_input
    options: Collection[Any] = ()
    key: str = ""
    always: bool = False
    when: Condition = lambda: True
    help: Label = ""
    hidden: bool = False
    width: int | str | None = None
    look: dict[str, Any] = with_factory(default_factory=dict)

    @property
    def value(self) -> T:
        """The value in the session state."""
        return st.session_state[self.key]

    @value.setter
    def value(self, value: T) -> None:
        st.session_state[self.key] = value

    def receive(self, sent: Any) -> None:
        """Store what a component has sent, unless no link could contain it."""
        with suppress(ValueError, KeyError, TypeError, AttributeError, OverflowError):
            sent_default = sent == self.default  # an empty list is not written
            self.value = deepcopy(self.default) if sent_default else self.parse(self.write(sent))

    def among(self, *values: object, where: Condition = lambda: True) -> Condition:
        """Make a condition: the field has one of these values, and another condition holds."""
        return lambda: self.value in values and where()

    def names(self) -> dict[Any, str]:
        """The options with their names on screen."""
        if isinstance(self.options, Mapping):
            return {each: translated(name) for each, name in self.options.items()}
        return {each: str(each) for each in self.options}

    def draw(self, label: str = "", options: Collection[Any] | None = None, **look: Any) -> T:
        """Draw the widget; return the value.

        Args:
            options: In place of all; a mapping has their names on screen. A list of chosen options
                loses what is none.
        """
        look = {"help": translated(self.help) or None, **self.look, **look}
        if self.hidden:
            look["label_visibility"] = "collapsed"
        if self.width:
            look.setdefault("width", self.width)
        if options is None and self.options:
            options = self.names()
        if options is not None:
            chosen: Any = self.value
            if isinstance(chosen, list) and not set(chosen) <= set(options):
                st.session_state[self.key] = [each for each in chosen if each in options]
            named = options.__getitem__ if isinstance(options, Mapping) else str
            look = {"options": list(options), "format_func": named, **look}
        label = label or translated(self.label)
        self.widget(label, key=self.key, persist_state="session", **look)
        return self.value

    def draw_as(
        self, shown: T, on_change: Callable[[], object] = lambda: None, **look: Any
    ) -> None:
        """Draw the widget with what the page shows until the user has chosen a value."""
        box = replace(self, key=f"{self.key}_box")
        box.value = shown

        def store() -> None:
            self.value = box.value
            on_change()

        box.draw(on_change=store, **look)


def choice(
    label: Label,
    options: Collection[T],
    default: T | None = None,
    *,
    widget: Widget = st.segmented_control,
    aliases: Mapping[str, str] | None = None,
    **more: Any,
) -> Field[T]:
    """One of a few options, by default the first; ``aliases``: options by their former names."""
    first: Any = next(iter(options)) if default is None else default

    def parse(text: str) -> T:
        value: T = type(first)((aliases or {}).get(text, text))
        if value not in options:
            raise ValueError(text)
        return value

    if widget is st.segmented_control:
        more["look"] = {"required": True, **more.get("look", {})}
    return Field(label, first, parse, widget=widget, options=options, **more)


def part(label: Label, options: Mapping[str, Label], **more: Any) -> Field[str]:
    """A choice of what the page shows: always in the query string, without a visible label."""
    return choice(label, options, always=True, hidden=True, **more)


def box(label: Label, options: Collection[T], default: T | None = None, **more: Any) -> Field[T]:
    """One of many options."""
    return choice(label, options, default, widget=st.selectbox, **more)


def several(label: Label, options: Collection[str], **more: Any) -> Field[list[str]]:
    """Any number of options, ``next.broad``: a box for several."""

    def parse(text: str) -> list[str]:
        words = text.split(".") if text else []
        if not set(words) <= set(options):
            raise ValueError(text)
        return [option for option in options if option in words]

    return Field(label, [], parse, ".".join, widget=st.multiselect, options=options, **more)


def flag(label: Label, default: bool = False, **more: Any) -> Field[bool]:
    """Yes or no, ``1`` or ``0``: a toggle."""
    parse = {"1": True, "0": False}.__getitem__
    return Field(label, default, parse, "{:d}".format, widget=st.toggle, **more)


def number(
    label: Label,
    default: Numeric,
    between: tuple[Numeric, Numeric] | None = None,
    *,
    step: Numeric | None = None,
    widget: Widget = st.number_input,
    **more: Any,
) -> Field[Numeric]:
    """A number: a number input or a slider, or a box of some numbers.

    ``between`` is None if the page shows an error for what it cannot use.
    """
    kind = type(default)
    most = sys.float_info.max if kind is float else 10**9

    def parse(text: str) -> Numeric:
        value = kind(text)
        low, high = between or (-most, most)
        if not low <= value <= high:  # nan is not
            raise ValueError(text)
        return value

    low, high = between or (None, None)
    look: dict[str, Any] = {}
    if widget is not st.selectbox:
        look = {"min_value": low, "max_value": high, "step": step or kind(1)}
    if widget is st.number_input:
        more = {"width": 150, **more}
        look["format"] = "%g" if kind is float else None
    write = "{:g}".format if kind is float else str
    return Field(label, default, parse, write, widget=widget, look=look, **more)


def slider(
    label: Label, default: Numeric, between: tuple[Numeric, Numeric], **more: Any
) -> Field[Numeric]:
    """A number whose exact value matters less."""
    return number(label, default, between, widget=st.slider, **more)


def index(label: Label, default: int, **more: Any) -> Field[int]:
    """A layer, a head or a count: a box."""
    return Field(label, default, read_index, widget=st.selectbox, **more)


def read_index(text: str) -> int:
    """Read a count or a place from 0."""
    number = int(text)
    if not 0 <= number <= MAX_INDEX:
        raise ValueError(text)
    return number


def indices(
    label: Label = "", default: Iterable[int] = (), widget: Widget = st.pills, **more: Any
) -> Field[list[int]]:
    """Places, ``2.5``: pills."""

    def parse(text: str) -> list[int]:
        return sorted({read_index(part) for part in text.split(".")})

    look = {"selection_mode": "multi"} if widget is st.pills else {}
    return Field(label, [*default], parse, write_indices, widget=widget, look=look, **more)


def write_indices(value: Iterable[int]) -> str:
    """Write places."""
    return ".".join(map(str, value))


def pairs(**more: Any) -> Field[list[tuple[int, int]]]:
    """Pairs such as layers and heads, ``3-1.5-11``; a component edits them."""
    return Field("", [], read_pairs, write_pairs, **more)


def read_pairs(text: str) -> list[tuple[int, int]]:
    """Read pairs."""
    pairs = (part.split("-") for part in text.split("."))
    return [(read_index(layer), read_index(head)) for layer, head in pairs]


def write_pairs(value: Iterable[tuple[int, int]]) -> str:
    """Write pairs."""
    return ".".join(f"{layer}-{head}" for layer, head in value)


def name(
    label: Label, default: str, read: Callable[[str], str] | None = None, **more: Any
) -> Field[str]:
    """A model's name: a box."""
    return Field(label, default, read or read_name, widget=st.selectbox, **more)


def read_name(text: str) -> str:
    """Read a word that is not blank."""
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def text(label: Label, default: str = "", **more: Any) -> Field[str]:
    """A text in one line."""
    one_line = partial(re.sub, r"\r\n|[\r\n]", " ")  # as its box holds it
    return Field(label, default, one_line, write_text, **more)


def write_text(value: str) -> str:
    """Write a text, cut at :data:`MAX_TEXT`."""
    quoted = quote_plus(value[:MAX_TEXT], errors="replace")[:MAX_TEXT]
    whole = re.sub("%.?$", "", quoted)  # the cut may go through an escape, and through a character
    return unquote_plus(whole, errors="ignore")


class Fields:
    """Base of a class that declares the fields of a page, or of a part of it.

    A field that decides about others comes before them. ``prefix`` begins the keys, for names that
    other pages use too.
    """

    fields: ClassVar[dict[str, Field[Any]]]
    prefix: ClassVar[str]

    def __init_subclass__(cls, prefix: str = "") -> None:
        cls.fields, cls.prefix = {}, prefix
        for attribute, field in vars(cls).items():
            if isinstance(field, Field):
                name = attribute.rstrip("_")  # global_, because Python has the keyword
                field.key = field.key or prefix + name
                cls.fields[name] = field
