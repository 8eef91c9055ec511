"""Fields of a view: what the query string calls each, its values, and the widget that edits it.

A page declares its fields in a class; the name of an attribute is the name in the query string:

    class Sizes(Fields, prefix="size_"):
        norm = Choice(N_("Norm"), "post", {"post": N_("post"), "pre": N_("pre")})
        heads = Number(N_("Heads"), 8, 1, 1_024)

    Sizes.heads.draw()  # a number input from 1 to 1,024
    Sizes.heads.value   # the value in the session state, at the key "size_heads"

:mod:`web.view_state.address` reads and writes ``Sizes.fields``.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import quote_plus, unquote_plus

import streamlit as st

from web.language import Label, _, translated

T = TypeVar("T")
Numeric = TypeVar("Numeric", int, float)

MAX_TEXT = 6_000
"""Bytes of a sentence in the query string, quoted: more than any model takes, and with two of them
less than the 16 kB that the server refuses."""

MAX_INDEX = 9_999


def _is_relevant() -> bool:
    return True


@dataclass(eq=False)
class Field(Generic[T]):
    """One field of a view.

    Attributes:
        label: Label of the widget; "" if a component or the page edits the field.
        key: Key in the session state, by default the name in the query string.
        always: Whether the query string contains even the default.
        relevant: Whether the query string contains the field at all.
        widget: Function of Streamlit that draws the field.
        hidden: Whether the label is for screen readers only.
        width: In pixels; None for the widget's own.
    """

    label: Label
    default: T
    _: KW_ONLY
    key: str = ""
    always: bool = False
    relevant: Callable[[], bool] = _is_relevant
    widget: Callable[..., Any] = st.text_input
    help: Label = ""
    hidden: bool = False
    width: int | None = None

    @property
    def value(self) -> T:
        """The value in the session state."""
        value: T = st.session_state[self.key]
        return value

    @value.setter
    def value(self, value: T) -> None:
        st.session_state[self.key] = value

    def among(self, *values: object) -> Callable[[], bool]:
        """Make a condition: the field has one of these values."""
        return lambda: self.value in values

    def parse(self, text: str) -> T:
        """Read a value of the query string; a ValueError or KeyError if it is none."""
        raise NotImplementedError

    def write(self, value: T) -> str:
        """Write a value for the query string."""
        return str(value)

    def draw(self, label: str = "", **look: Any) -> T:
        """Draw the widget; return the value.

        Args:
            label: In place of the declared one.
            look: More arguments of the widget, such as ``on_change``.
        """
        look = {"help": translated(self.help) or None, **look}
        if self.width:
            look.setdefault("width", self.width)
        if self.hidden:
            look.setdefault("label_visibility", "collapsed")
        label = label or translated(self.label)
        self.widget(label, key=self.key, persist_state="session", **look)
        return self.value


@dataclass(eq=False)
class Choice(Field[T]):
    """One of a few options: a segmented control, or another widget with options.

    The browser reports an option's name, which must not change while the control is on the page.

    Attributes:
        options: The options; a mapping has their names.
    """

    options: Collection[T]
    _: KW_ONLY
    widget: Callable[..., Any] = st.segmented_control

    def parse(self, text: str) -> T:
        """Read an option."""
        value: T = type(self.default)(text)  # type: ignore[call-arg]
        if value not in self.options:
            raise ValueError(text)
        return value

    def draw(self, label: str = "", options: Collection[T] = (), **look: Any) -> T:
        """Draw the widget, with all options or with these."""
        return super().draw(label, **_options(options or self.options, self.widget), **look)

    def name(self) -> str:
        """The value's name on screen."""
        return _name(self.options, self.value)


@dataclass(eq=False)
class Several(Field[list[str]]):
    """Any number of options, ``next.broad`` in the query string: pills."""

    options: Collection[str]
    _: KW_ONLY
    widget: Callable[..., Any] = st.pills

    def parse(self, text: str) -> list[str]:
        """Read options, in their order."""
        words = text.split(".") if text else []
        if not set(words) <= set(self.options):
            raise ValueError(text)
        return [option for option in self.options if option in words]

    def write(self, value: list[str]) -> str:
        """Write options."""
        return ".".join(value)

    def draw(self, label: str = "", options: Collection[str] = (), **look: Any) -> list[str]:
        """Draw the pills of all options, or of these."""
        look["selection_mode"] = "multi"
        return super().draw(label, **_options(options or self.options, self.widget), **look)


def _name(options: Collection[Any], option: object) -> str:
    return translated(options[option]) if isinstance(options, Mapping) else str(option)


def _options(options: Collection[Any], widget: Callable[..., Any]) -> dict[str, Any]:
    """Arguments of a widget with options; a mapping has their names."""
    return {
        "options": list(options),
        "format_func": partial(_name, options),
        # One option is always selected.
        **({"required": True} if widget is st.segmented_control else {}),
    }


@dataclass(eq=False)
class Flag(Field[bool]):
    """Yes or no, ``1`` or ``0`` in the query string: a toggle."""

    default: bool = False
    _: KW_ONLY
    widget: Callable[..., Any] = st.toggle

    def parse(self, text: str) -> bool:
        """Read 1 or 0."""
        return {"1": True, "0": False}[text]

    def write(self, value: bool) -> str:
        """Write 1 or 0."""
        return str(int(value))


@dataclass(eq=False)
class Number(Field[Numeric]):
    """A number from ``low`` to ``high``: a number input or a slider.

    Attributes:
        low: Limits; None if the page shows an error for what it cannot use.
    """

    default: Numeric
    low: Numeric | None = None
    high: Numeric | None = None
    _: KW_ONLY
    step: Numeric | None = None
    widget: Callable[..., Any] = st.number_input

    def parse(self, text: str) -> Numeric:
        """Read a number."""
        value = type(self.default)(text)
        most = sys.float_info.max if isinstance(value, float) else 10**9
        if self.low is None or self.high is None:
            known = abs(value) <= most
        else:
            known = self.low <= value <= self.high
        if not known:  # such as nan
            raise ValueError(text)
        return value

    def write(self, value: Numeric) -> str:
        """Write a number."""
        return f"{value:g}" if isinstance(self.default, float) else str(value)

    def draw(self, label: str = "", high: Numeric | None = None, **look: Any) -> Numeric:
        """Draw the widget.

        Args:
            high: In place of the declared limit; the value becomes it if it is larger.
        """
        if high is None:
            high = self.high
        else:
            self.value = min(self.value, high)
        step = self.step or type(self.default)(1)
        look = {"min_value": self.low, "max_value": high, "step": step, **look}
        if self.widget is st.number_input:
            look = {"width": 150, **look}
            if isinstance(self.default, float):
                look["format"] = "%g"
        super().draw(label, **look)
        return self.value


@dataclass(eq=False)
class Index(Field[int]):
    """A layer or a head: a box with as many as the model has.

    Attributes:
        letter: Before the number on screen.
    """

    _: KW_ONLY
    letter: str = ""
    widget: Callable[..., Any] = st.selectbox

    def parse(self, text: str) -> int:
        """Read a count from 0."""
        return read_index(text)

    def draw(self, label: str = "", count: int = 1, **look: Any) -> int:
        """Draw the box; an index beyond the count becomes the last one."""
        wanted, last = self.value, count - 1
        if wanted > last:
            self.value = last
            st.toast(
                _("This model has no {wanted}; {shown} is shown.").format(
                    wanted=f"{self.letter}{wanted}", shown=f"{self.letter}{last}"
                )
            )
        return super().draw(
            label,
            options=range(count),
            # With a default value the browser would drop an equal value that the server sets.
            index=None,
            required=True,
            format_func=f"{self.letter}{{}}".format,
            width=100,
            help=_("Layers and heads count from 0: L3·H1 is the fourth layer's second head."),
            **look,
        )


@dataclass(eq=False)
class Text(Field[str]):
    """A text in one line: a text input."""

    default: str = ""

    def parse(self, text: str) -> str:
        """Read a text as its box holds it: a line break becomes a space."""
        return re.sub(r"\r\n|[\r\n]", " ", text)

    def write(self, value: str) -> str:
        """Write a text, cut at :data:`MAX_TEXT`."""
        quoted = quote_plus(value[:MAX_TEXT], errors="replace")[:MAX_TEXT]
        # The cut may go through an escape, and through a character.
        return unquote_plus(re.sub("%.?$", "", quoted), errors="ignore")


write_text = Text("").write


@dataclass(eq=False)
class Coded(Field[T]):
    """A field with a text form of its own, such as a grid that a component edits."""

    read: Callable[[str], T]
    write: Callable[[T], str] = str  # type: ignore[assignment]

    def parse(self, text: str) -> T:
        """Read a value."""
        return self.read(text)


def read_index(text: str) -> int:
    """Read a count or a place from 0."""
    number = int(text)
    if not 0 <= number <= MAX_INDEX:
        raise ValueError(text)
    return number


def read_name(text: str) -> str:
    """Read a word that is not blank."""
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def read_indices(text: str) -> list[int]:
    """Read places, ``2.5``."""
    return sorted({read_index(part) for part in text.split(".")})


def write_indices(value: Iterable[int]) -> str:
    """Write places."""
    return ".".join(map(str, value))


def read_pairs(text: str) -> list[tuple[int, int]]:
    """Read pairs, ``3-1.5-11``."""
    pairs = (part.split("-") for part in text.split("."))
    return [(read_index(layer), read_index(head)) for layer, head in pairs]


def write_pairs(value: Iterable[tuple[int, int]]) -> str:
    """Write pairs."""
    return ".".join(f"{layer}-{head}" for layer, head in value)


def Name(label: Label, default: str, **options: Any) -> Coded[str]:
    """A model's name: a box."""
    return Coded(label, default, read_name, widget=st.selectbox, **options)


def Indices(label: Label = "", *default: int, **options: Any) -> Coded[list[int]]:
    """Places, ``2.5`` in the query string: pills."""
    options = {"widget": st.pills, **options}
    return Coded(label, [*default], read_indices, write_indices, **options)


def fold(key: str, opens_by_default: Callable[[], bool | None]) -> Coded[bool | None]:
    """What folds: the query string says whether it is open where it would not be by default."""

    def differs() -> bool:
        default = opens_by_default()
        return default is not None and st.session_state[key] != default

    flag = Flag("")
    return Coded(
        "",
        None,
        flag.parse,
        lambda value: "" if value is None else flag.write(value),
        key=key,
        relevant=differs,
    )


class Fields:
    """Base of a class that declares the fields of a page, or of a part of it.

    A field that decides which others are relevant comes before them.

    Args:
        prefix: Prefix of the keys, for names that other pages use too.
    """

    fields: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, prefix: str = "") -> None:
        cls.fields = {}
        for attribute, field in vars(cls).items():
            if isinstance(field, Field):
                name = attribute.rstrip("_")  # global_, because Python has the keyword
                field.key = field.key or prefix + name
                cls.fields[name] = field
