"""A calculation as a NumPy program."""

from torch import Tensor

from model.calculator.steps import Calculation


def numpy_script(calculation: Calculation, queries: tuple[str, ...], keys: tuple[str, ...]) -> str:
    """Write a program that needs NumPy alone and prints every step.

    Args:
        calculation: The calculation; the program contains its inputs with all digits.
        queries: Names of the query tokens. They become string literals.
        keys: Names of the key tokens.
    """
    lines = [
        "# Attention step by step (Vaswani et al. 2017, eq. 1). Needs NumPy alone.",
        "import numpy as np",
        "",
        f"queries = {list(queries)!r}",
        f"keys = {list(keys)!r}",
        f"n_heads = {calculation.n_heads}",
        *_inputs(calculation),
        _divisor_line(calculation),
        *_bias_line(calculation),
        _mask_line(calculation),
        "",
        "contexts = []",
        "for head in range(n_heads):",
        "    q, k, v = (np.split(m, n_heads, axis=1)[head] for m in (Q, K, V))",
        "    raw_scores = q @ k.T",
        f"    scaled_scores = raw_scores / divisor{' + B' if calculation.bias is not None else ''}",
        "    masked_scores = np.where(allowed, scaled_scores, -np.inf)",
        "    # Subtract the row's largest score, so that no exponential overflows.",
        "    largest = masked_scores.max(axis=1, keepdims=True)",
        "    exponentials = np.exp(masked_scores - largest)",
        "    weights = exponentials / exponentials.sum(axis=1, keepdims=True)",
        "    contexts.append(weights @ v)",
        "    print(f'head {head}: raw scores', raw_scores, 'weights', weights, sep='\\n')",
        "    print('context', contexts[-1], sep='\\n')",
        "concatenated = np.concatenate(contexts, axis=1)",
    ]
    if calculation.w_o is None:
        lines.append("output = concatenated")
    else:
        lines.append("output = concatenated @ W_O")
    return "\n".join([*lines, "print('output', output, sep='\\n')", ""])


def _inputs(calculation: Calculation) -> list[str]:
    given: dict[str, Tensor | None]
    if calculation.x is None:
        given = {"Q": calculation.q[0], "K": calculation.k[0], "V": calculation.v[0]}
    else:
        given = {
            "X": calculation.x,
            "W_Q": calculation.w_q,
            "W_K": calculation.w_k,
            "W_V": calculation.w_v,
            "W_O": calculation.w_o,
        }
    lines = [f"{name} = np.array({m.tolist()!r})" for name, m in given.items() if m is not None]
    if calculation.x is not None:
        lines.append("Q, K, V = X @ W_Q, X @ W_K, X @ W_V")
    return lines


def _divisor_line(calculation: Calculation) -> str:
    own = calculation.own_scale
    root = "sqrt(d_k)" if own is None else f"the model's own {1 / own!r}, not sqrt(d_k),"
    return f"divisor = {calculation.divisor!r}  # {root} times the temperature"


def _bias_line(calculation: Calculation) -> list[str]:
    if calculation.bias is None:
        return []
    return [f"B = np.array({calculation.bias.tolist()!r})  # the model's bias"]


def _mask_line(calculation: Calculation) -> str:
    if calculation.allowed is None:
        return "allowed = True  # no mask"
    return f"allowed = np.array({calculation.allowed.tolist()!r})  # True: may be attended to"
