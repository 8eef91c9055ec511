"""A calculation on typed numbers and names."""

from dataclasses import dataclass

import streamlit as st
from torch import Tensor

from model.calculator import Calculation, CalculatorSettings, from_projections, from_qkv, numbers
from pages.calculator.grid_text import GridCells
from pages.calculator.url import MATRICES, Calculator
from viz import distinct
from viz.cards.matrices import MatrixNames
from web.language import _

QKV = ("q", "k", "v")
PROJECTED = ("x", "wq", "wk", "wv", "wo")


@dataclass(frozen=True)
class TypedCalculation:
    """Typed numbers and the tokens' names."""

    cells: dict[str, GridCells]
    axes: MatrixNames

    @classmethod
    def of_session(cls) -> "TypedCalculation":
        """The content of the session's grids."""
        cells = _cells()
        return cls(cells, _names(cells))

    def subtitle(self) -> str:
        """The names of the tokens."""
        queries, keys = (", ".join(names) for names in (self.axes.queries, self.axes.keys))
        return queries if queries == keys else f"{queries} → {keys}"

    def compute(self, wanted: CalculatorSettings) -> Calculation:
        """Compute everything from the text of the cells."""
        found = self._numbers()
        if "Q" in found:
            return from_qkv(found["Q"], found["K"], found["V"], wanted)
        x, w_q, w_k, w_v = (found[name] for name in ("X", "W_Q", "W_K", "W_V"))
        return from_projections(x, w_q, w_k, w_v, found.get("W_O"), self.axes.n_heads, wanted)

    def code(self, wanted: CalculatorSettings) -> list[str]:
        """Code of the calculation."""
        found = self._numbers()
        lines = [
            f"{name} = torch.tensor({matrix.tolist()}, dtype=torch.float64)"
            for name, matrix in found.items()
        ]
        if "Q" in found:
            return [*lines, f"calculation = from_qkv(Q, K, V, {wanted})"]
        w_o = "W_O" if "W_O" in found else None
        arguments = f"X, W_Q, W_K, W_V, {w_o}, {self.axes.n_heads}, {wanted}"
        return [*lines, f"calculation = from_projections({arguments})"]

    def _numbers(self) -> dict[str, Tensor]:
        return {MATRICES[n]: numbers(MATRICES[n], grid) for n, grid in self.cells.items()}


def _cells() -> dict[str, GridCells]:
    wanted: tuple[str, ...] = QKV
    if Calculator.form.value == "x":  # W^O is used with several heads only
        wanted = PROJECTED if Calculator.heads.value > 1 else PROJECTED[:-1]
    return {name: st.session_state[name] for name in wanted}


def _names(cells: dict[str, GridCells]) -> MatrixNames:
    tokens, sources = Calculator.tokens.value, Calculator.sources.value
    queries = _filled(tokens, len(cells.get("q", cells.get("x", []))), _("token"))
    if "x" in cells:
        n_heads = Calculator.heads.value
        return MatrixNames(queries, queries, min(Calculator.followed.value, n_heads - 1), n_heads)
    word = _("key") if sources else _("token")
    return MatrixNames(queries, _filled(sources or tokens, len(cells["k"]), word))


def _filled(names: list[str], count: int, word: str) -> tuple[str, ...]:
    """One distinct name for each row; missing names become the word and a number."""
    filled = [*names, *[""] * count][:count]
    return tuple(distinct([name.strip() or f"{word} {i}" for i, name in enumerate(filled)]))
