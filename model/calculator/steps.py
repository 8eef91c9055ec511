"""One calculation of attention with all intermediate results.

Axes: H n_heads, T tokens (Tq queries, Tk keys), D d_model, K d_k of a head, Kv d_v of a head.
"""

import math
from dataclasses import dataclass

from torch import Tensor

from model.calculator.cells import CellAddress, CellError
from model.calculator.settings import CalculatorSettings
from model.transformer.attention import AttentionSteps, scaled_dot_product_attention


@dataclass(frozen=True)
class SoftmaxParts:
    """Row maxima (subtracted against overflow), powers of e and their sums.

    Maxima and sums are (..., Tq, 1), or (..., 1, Tk) for a softmax down the columns. Exponentials
    are (..., Tq, Tk): 0 where masked, nan if all are masked. ``exponentials / sums`` are the
    weights.
    """

    maxima: Tensor
    exponentials: Tensor
    sums: Tensor


def softmax_parts(scores: Tensor, dim: int = -1) -> SoftmaxParts:
    """Parts of a softmax over the keys of scores (..., Tq, Tk); in a mistake over the queries."""
    maxima = scores.amax(dim, keepdim=True)  # (..., Tq, 1), or (..., 1, Tk) over the queries
    exponentials = (scores - maxima).exp()  # (..., Tq, Tk)
    return SoftmaxParts(maxima, exponentials, exponentials.sum(dim, keepdim=True))


@dataclass(frozen=True)
class Calculation:
    """The inputs, the intermediate results and the output; float64.

    Attributes:
        q: Queries (H, Tq, K).
        k: Keys (H, Tk, K).
        v: Values (H, Tk, Kv).
        allowed: Boolean (Tq, Tk), True where attention is allowed, or None.
        steps: From raw scores to each head's context, (H, Tq, ...).
        maxima: The largest masked score of each row, (H, Tq).
        exponentials: e^(masked score - maximum of the row), 0 where masked, (H, Tq, Tk).
        row_sums: Their sums, the softmax's denominators, (H, Tq).
        concatenated: The heads' contexts side by side, (Tq, H*Kv).
        output: ``concatenated`` times W^O, (Tq, Do); without W^O, ``concatenated``.
        x: The input of the projections, (Tq, D); None if q, k and v were given.
        w_q: W^Q of all heads, (D, H*K), or None.
        w_k: W^K, (D, H*K), or None.
        w_v: W^V, (D, H*Kv), or None.
        w_o: W^O, (H*Kv, Do), or None.
        own_scale: A model's own factor on the raw scores; None for 1 / sqrt(d_k).
        bias: The bias on the scaled scores, (Tq, Tk), or None.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    scaled: bool
    divisor: float
    allowed: Tensor | None
    steps: AttentionSteps
    maxima: Tensor
    exponentials: Tensor
    row_sums: Tensor
    concatenated: Tensor
    output: Tensor
    x: Tensor | None = None
    w_q: Tensor | None = None
    w_k: Tensor | None = None
    w_v: Tensor | None = None
    w_o: Tensor | None = None
    own_scale: float | None = None
    bias: Tensor | None = None

    @property
    def n_heads(self) -> int:
        """Number of heads, H."""
        return self.q.shape[0]


def from_qkv(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    settings: CalculatorSettings | None = None,
    allowed: Tensor | None = None,
    *,
    scale: float | None = None,
    bias: Tensor | None = None,
) -> Calculation:
    """Compute one head (Vaswani et al. 2017, eq. 1).

    Args:
        allowed: A model's mask in addition to that of the settings, boolean (Tq, Tk).
        scale: A model's factor on the raw scores; 1 / sqrt(K) by default (T5: 1).

    Raises:
        CellError: If sizes do not match, a query has every key masked, or a result is too large.
    """
    _check_qkv(q, k, v)
    settings = settings or CalculatorSettings()
    usual = scale is None or math.isclose(scale, 1 / math.sqrt(q.shape[-1]))
    own = None if usual else scale
    heads = q[None], k[None], v[None]  # (Tq, K) -> (H = 1, Tq, K)
    return _attend(*heads, settings, own_mask=allowed, own_scale=own, bias=bias)


def from_projections(
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    w_o: Tensor | None,
    n_heads: int,
    settings: CalculatorSettings | None = None,
) -> Calculation:
    """Compute multi-head self-attention (Vaswani et al. 2017, section 3.2.2).

    Args:
        x: Vectors of the tokens, (T, D).
        w_q: W^Q of all heads side by side, (D, H*K).
        w_k: W^K, (D, H*K).
        w_v: W^V, (D, H*Kv).
        w_o: W^O, (H*Kv, Do), or None to stop at the concatenation.

    Raises:
        CellError: As :func:`from_qkv`, or if the columns do not divide into heads.
    """
    for name, w in (("W_Q", w_q), ("W_K", w_k), ("W_V", w_v)):
        _check_product("X", x, name, w)
        if n_heads < 1 or w.shape[1] % n_heads:
            raise CellError(
                CellAddress(name),
                "The {columns} columns of {matrix} do not split into {n_heads} equal heads.",
                matrix=name,
                columns=w.shape[1],
                n_heads=n_heads,
            )
    projected = {name: _finite(name, x @ w) for name, w in (("Q", w_q), ("K", w_k), ("V", w_v))}
    _check_qkv(projected["Q"], projected["K"], projected["V"], columns_of=("W_Q", "W_K"))
    if w_o is not None and w_o.shape[0] != w_v.shape[1]:
        raise CellError(
            CellAddress("W_O"),
            "The concatenated heads have {columns} columns and Wᴼ has {rows} rows. Both "
            "numbers must be equal.",
            columns=w_v.shape[1],
            rows=w_o.shape[0],
        )
    # (T, H*K) -> (T, H, K) -> (H, T, K)
    q, k, v = (m.unflatten(-1, (n_heads, -1)).transpose(0, 1) for m in projected.values())
    settings = settings or CalculatorSettings()
    return _attend(q, k, v, settings, w_o=w_o, x=x, w_q=w_q, w_k=w_k, w_v=w_v)


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    settings: CalculatorSettings,
    w_o: Tensor | None = None,
    own_mask: Tensor | None = None,
    own_scale: float | None = None,
    bias: Tensor | None = None,
    **given: Tensor,
) -> Calculation:
    divisor = settings.divisor(q.shape[-1], own_scale)
    allowed = settings.allowed(q.shape[-2], k.shape[-2])
    if own_mask is not None:
        allowed = own_mask if allowed is None else allowed & own_mask
    _check_mask(allowed)
    steps = scaled_dot_product_attention(q, k, v, allowed, scale=1 / divisor, bias=bias)
    _finite("raw_scores", steps.raw_scores)
    _finite("scaled_scores", steps.scaled_scores)
    parts = softmax_parts(steps.masked_scores)
    # (H, Tq, Kv) -> (Tq, H, Kv) -> (Tq, H*Kv)
    concatenated = _finite("context", steps.context).transpose(0, 1).flatten(1)
    output = concatenated if w_o is None else _finite("output", concatenated @ w_o)
    return Calculation(
        q=q,
        k=k,
        v=v,
        scaled=settings.scaled and own_scale is None,
        divisor=divisor,
        allowed=allowed,
        steps=steps,
        maxima=parts.maxima.squeeze(-1),  # (H, Tq, 1) -> (H, Tq)
        exponentials=parts.exponentials,
        row_sums=parts.sums.squeeze(-1),  # (H, Tq, 1) -> (H, Tq)
        concatenated=concatenated,
        output=output,
        w_o=w_o,
        own_scale=own_scale,
        bias=bias,
        **given,
    )


def _check_product(left: str, a: Tensor, right: str, b: Tensor) -> None:
    if a.shape[1] != b.shape[0]:
        raise CellError(
            CellAddress(right),
            "{left} has {columns} columns and {right} has {rows} rows. Both numbers must be equal.",
            left=left,
            columns=a.shape[1],
            right=right,
            rows=b.shape[0],
        )


def _check_qkv(q: Tensor, k: Tensor, v: Tensor, columns_of: tuple[str, str] = ("Q", "K")) -> None:
    if q.shape[-1] != k.shape[-1]:
        raise CellError(
            CellAddress(columns_of[1]),
            "{q_name} has {q} columns and {k_name} has {k}. Queries and keys need the same d_k.",
            q_name=columns_of[0],
            q=q.shape[-1],
            k_name=columns_of[1],
            k=k.shape[-1],
        )
    if q.shape[-1] == 0:
        raise CellError(
            CellAddress(columns_of[0]),
            "Queries and keys need at least one dimension. Add a column.",
        )
    if k.shape[-2] != v.shape[-2]:
        raise CellError(
            CellAddress("V"),
            "K has {k} rows and V has {v}. Every key needs exactly one value.",
            k=k.shape[-2],
            v=v.shape[-2],
        )


def _check_mask(allowed: Tensor | None) -> None:
    if allowed is None:
        return
    blind = (~allowed.any(-1)).nonzero().flatten().tolist()  # (Tq, Tk) -> (Tq,) -> (N,)
    if blind:
        raise CellError(
            CellAddress("masked_scores", blind[0]),
            "The mask hides every key from query {query}, so its softmax would divide 0 by 0. "
            "Allow at least one key.",
            query=blind[0],
        )


_SYMBOLS = {"raw_scores": "S", "scaled_scores": "S'", "context": "Z", "output": "Y"}


def _finite(matrix: str, values: Tensor) -> Tensor:
    """Check that no sum or product has overflowed, and return the values."""
    wrong = (~values.isfinite()).nonzero()
    if len(wrong):
        *_, row, column = wrong[0].tolist()
        raise CellError(
            CellAddress(matrix, row, column),
            "Row {row}, column {column} of {matrix} is larger than any 64-bit number (1.8e308). "
            "Use smaller numbers.",
            matrix=_SYMBOLS.get(matrix, matrix),
            row=row,
            column=column,
        )
    return values
