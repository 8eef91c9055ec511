"""Public docstrings in model/ and viz/ document every parameter and every error raised directly."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "model/__init__.py",
    "model/errors.py",
    "model/transformer",
    "model/capture",
    "model/catalogue",
    "model/analysis",
    "model/calculator",
    "model/languages",
    "model/training",
    "viz",
)
"""Files and folders whose docstrings are complete."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example):$", re.MULTILINE)
BUILDERS = ("__init__", "__post_init__")


def files() -> list[Path]:
    found = [ROOT / package for package in PACKAGES]
    return [file for path in found for file in ([path] if path.is_file() else path.rglob("*.py"))]


def public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Public functions, classes and methods with their qualified names."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield prefix + node.name, node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public(node.body, f"{prefix}{node.name}.")


def sections(docstring: str) -> dict[str, str]:
    """The text of each section by its heading."""
    _, *parts = SECTION.split(docstring)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def parameters(function: Function) -> list[str]:
    a = function.args
    named = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
    return [x.arg for x in named if x and x.arg not in ("self", "cls") and x.arg[0] != "_"]


def raised(function: Function) -> set[str]:
    """Names of the errors that leave a function by its own raise statements.

    If a function creates the error, its name is ``""``, which means any error. Nested functions do
    not count, and neither do errors that the function catches with ``except Exception``.
    """
    found = set()
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, Function | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(error).rpartition(".")[2]
            found.add(name if name[0].isupper() else "")
        caught: list[ast.stmt] = []
        if isinstance(node, ast.Try) and any(map(catches_every_error, node.handlers)):
            caught = node.body
        stack.extend(child for child in ast.iter_child_nodes(node) if child not in caught)
    return found


def catches_every_error(handler: ast.ExceptHandler) -> bool:
    return handler.type is not None and ast.unparse(handler.type) == "Exception"


def decorators(function: Function) -> set[str]:
    return {ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list}


def undocumented(name: str, node: ast.stmt) -> list[str]:
    """The parameters and errors that are missing from the docstring of a function or class."""
    if isinstance(node, ast.ClassDef):  # a class documents its constructor
        builders = [x for x in node.body if isinstance(x, Function) and x.name in BUILDERS]
    elif isinstance(node, Function) and "overload" not in decorators(node):
        builders = [node]
    else:
        return []
    documented = sections(ast.get_docstring(node) or "")
    expected = [parameter for builder in builders for parameter in parameters(builder)]
    args = documented.get("Args", "")
    errors = {error for builder in builders for error in raised(builder)}
    return [
        *(
            f"{name}: no argument {parameter}"
            for parameter in expected
            if not re.search(rf"^ +\**{parameter}: \S", args, re.MULTILINE)
        ),
        *(
            f"{name}: no error {error}"
            for error in errors
            if not re.search(rf"^ +{error or '[A-Z]'}\w*: \S", documented.get("Raises", ""), re.M)
        ),
    ]


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_docstrings_name_every_parameter_and_every_error(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    missing = [line for name, node in public(tree.body) for line in undocumented(name, node)]
    assert not missing


def test_the_check_finds_missing_parameters_and_errors() -> None:
    source = '''
class Model:
    """Docs.

    Args:
        size: How large.
    """

    def __init__(self, size, name):
        raise ValueError

    def run(self, *texts, _unused=None):
        """Docs.

        Args:
            text: One of them.
        """
        def inner():
            raise KeyError
        raise errors.HeadlightError("no") from error

    def _hidden(self, x):
        raise TypeError


def load(name):
    """Docs.

    Args:
        name: Its name.

    Raises:
        HeadlightError: If it is broken.
    """
    try:
        raise ValueError
    except Exception as error:
        raise unreadable(name) from error
    raise RuntimeError
'''
    found = [x for n, node in public(ast.parse(source).body) for x in undocumented(n, node)]
    assert found == [
        "Model: no argument name",
        "Model: no error ValueError",
        "Model.run: no argument texts",
        "Model.run: no error HeadlightError",
        "load: no error RuntimeError",
    ]
