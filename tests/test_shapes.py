"""Every line in model/ and viz/ that changes the shape of an array has a shape comment."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "model/transformer",
    "model/capture",
    "model/catalogue",
    "model/analysis",
    "model/calculator",
    "model/languages",
    "training",
    "viz",
)
"""Folders whose shape comments are complete."""

METHODS = {
    *("reshape", "view", "transpose", "permute", "swapaxes", "movedim", "expand", "einsum"),
    *("flatten", "unflatten", "squeeze", "unsqueeze"),
}
TRANSPOSED = {"T", "mT"}
SHAPE = re.compile(r"#.*\([^()]*,[^()]*\)")
"""A comment with a shape, such as (B, T) or (V,)."""


def files() -> list[Path]:
    return [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]


def changes_shape(node: ast.AST) -> bool:
    """Whether a node is a call of one of METHODS, or a transposed tensor.

    ``self.expand(x)`` calls a module, not a method of a tensor.
    """
    if isinstance(node, ast.Attribute):
        return node.attr in TRANSPOSED
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in METHODS and ast.unparse(node.func.value) != "self"


def without_shapes(source: str) -> list[str]:
    """The lines that change a shape without a shape comment there or on the two lines above.

    A statement of several lines may have its comment on any of them.
    """
    lines, missing = source.split("\n"), []
    statements = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
    ]
    for statement in statements:
        if any(map(changes_shape, ast.walk(statement))):
            around = lines[max(0, statement.lineno - 3) : statement.end_lineno]
            if not any(SHAPE.search(line) for line in around):
                missing.append(lines[statement.lineno - 1].strip())
    return missing


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_line_that_changes_a_shape_has_a_shape_comment(file: Path) -> None:
    assert not without_shapes(file.read_text(encoding="utf-8"))


def test_the_check_finds_lines_without_shapes() -> None:
    source = """
x = a.flatten()  # (B, T) -> (B * T,)


y = a.flatten()  # one axis
z = self.expand(a)
# (B, T) -> (T, B)

t = a.T
u = torch.einsum(
    "ij,jk->ik",  # (B, T) x (T, D) -> (B, D)
    *both,
)
if whole:
    w = a.view(3)
"""
    assert without_shapes(source) == ["y = a.flatten()  # one axis", "w = a.view(3)"]
