"""Recorder of Python calls, which prints them as code for a notebook.

:func:`code` wraps a real function, class or module. A wrapped object records what is done with it
(attributes, indices, calls, operators) and does nothing. A :class:`Notebook` prints the recorded
statements with the imports that they need::

    notebook = Notebook()
    model = notebook.let("model", code(load_model)("minilm"))
    notebook.show(code(attention_heatmap)(model.attend("Hello").weights[0, 1]))
    notebook.text()  # from model import load_model ... figure
"""

from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from types import ModuleType
from typing import Any

import model as public_model
import viz as public_viz

_ALIASES = {"numpy": "np"}
_LINE_LENGTH = 88


class Code:
    """A Python expression that records what is done with it.

    Args:
        text: Its source.
        imports: The import statements that it needs.
        atomic: Whether it needs no brackets as an operand.
    """

    def __init__(self, text: str, imports: Iterable[str] = (), atomic: bool = True) -> None:
        self.text = text
        self.imports = frozenset(imports)
        self.atomic = atomic

    __iter__ = None  # Python would otherwise iterate by index, without an end

    def __getattr__(self, name: str) -> "Code":
        if name.startswith("__"):  # copy and pickle look for such names
            raise AttributeError(name)
        return Code(f"{self.operand}.{name}", self.imports)

    def __getitem__(self, index: Any) -> "Code":
        return self._with(index if isinstance(index, tuple) else (index,), "[]")

    def __call__(self, *args: Any, **kwargs: Any) -> "Code":  # noqa: D102 - recorded, not run
        written = [(name, _written(value)) for name, value in kwargs.items()]
        keywords = [Code(f"{name}={value.text}", value.imports) for name, value in written]
        return self._with((*args, *keywords), "()")

    def __and__(self, other: Any) -> "Code":
        return self._binary("&", other)

    def __sub__(self, other: Any) -> "Code":
        return self._binary("-", other)

    def __mul__(self, other: Any) -> "Code":
        return self._binary("*", other)

    def __matmul__(self, other: Any) -> "Code":
        return self._binary("@", other)

    def __invert__(self) -> "Code":
        return Code(f"~{self.operand}", self.imports, atomic=False)

    @property
    def operand(self) -> str:
        """Its source, in brackets if it is not atomic."""
        return self.text if self.atomic else f"({self.text})"

    def _binary(self, sign: str, other: Any) -> "Code":
        right = _written(other)
        text = f"{self.operand} {sign} {right.operand}"
        return Code(text, self.imports | right.imports, atomic=False)

    def _with(self, parts: Iterable[Any], brackets: str) -> "Code":
        """The expression followed by parts in brackets, on several lines if they are long."""
        listed = _listed(parts, brackets)
        return Code(self.operand + listed.text, self.imports | listed.imports)


def _listed(parts: Iterable[Any], brackets: str) -> Code:
    written = [_written(part) for part in parts]
    imports = frozenset[str]().union(*(part.imports for part in written))
    text = ", ".join(part.text for part in written)
    if len(text) > _LINE_LENGTH and brackets == "()":
        text = "\n" + "".join(f"{part.text},\n" for part in written)
        text = text.rstrip("\n").replace("\n", "\n    ") + "\n"
    return Code(brackets[0] + text + brackets[1], imports)


def code(target: Any) -> Code:
    """Wrap a function, a class or a module.

    Args:
        target: The object; the recorded code imports it, from the public interface if possible.
    """
    if isinstance(target, ModuleType):
        alias = _ALIASES.get(target.__name__)
        name = alias or target.__name__
        return Code(name, [f"import {target.__name__}" + (f" as {alias}" if alias else "")])
    name, module = target.__name__, target.__module__
    if module == "builtins":
        return Code(name)
    for public in (public_model, public_viz):
        if module.startswith(f"{public.__name__}.") and name in public.__all__:
            module = public.__name__
    return Code(name, [f"from {module} import {name}"])


class Notebook:
    """Collects statements and the imports that they need."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._imports: set[str] = set()

    def let(self, name: str, value: Any) -> Code:
        """Record an assignment.

        Args:
            name: The variable.
            value: An expression or a plain value.

        Returns:
            The variable, as an expression.
        """
        self.run(_written(value), f"{name} = ")
        return Code(name)

    def run(self, value: Code, prefix: str = "") -> None:
        """Record an expression as a statement."""
        self._imports |= value.imports
        self._lines.append(prefix + value.text)

    def show(self, figure: Code) -> str:
        """Record the figure as the last expression, and print everything."""
        self.run(self.let("figure", figure))
        return self.text()

    def text(self) -> str:
        """The import lines and the recorded statements."""
        names: dict[str, set[str]] = {}
        lines = []
        for statement in sorted(self._imports):
            module, _, name = statement.removeprefix("from ").partition(" import ")
            if name:
                names.setdefault(module, set()).add(name)
            else:
                lines.append(statement)
        for module, imported in names.items():
            lines.append(f"from {module} import {', '.join(sorted(imported))}")
        return "\n".join([*lines, "", *self._lines])


def _written(value: Any) -> Code:
    """A value as an expression; a dataclass as its constructor, without default values."""
    if isinstance(value, Code):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for field in fields(value):
            is_default = (
                field.default is not MISSING and getattr(value, field.name) == field.default
            )
            is_empty = field.default_factory is not MISSING and not getattr(value, field.name)
            if not (is_default or is_empty):
                changed[field.name] = getattr(value, field.name)
        return code(type(value))(**changed)
    if isinstance(value, list) and any(isinstance(part, Code) for part in value):
        return _listed(value, "[]")
    return Code(repr(value))
