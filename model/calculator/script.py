"""The Python that computes what the page shows, to be run anywhere."""

from collections.abc import Mapping

from torch import Tensor

from model.calculator.settings import Settings
from model.calculator.steps import Calculation

Forced = tuple[tuple[int, str], ...]
"""Tokens of a translation by the step at which they stand."""


def numpy_script(calculation: Calculation, queries: tuple[str, ...], keys: tuple[str, ...]) -> str:
    """A program that needs NumPy alone and prints every step.

    Args:
        calculation: Its inputs are written out, digit for digit.
        queries: Names of the query tokens; they appear as data, never as code.
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
        "    # The row's largest score goes first, so that no exponential overflows.",
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
    return [f"B = np.array({calculation.bias.tolist()!r})  # what the model adds"]


def _mask_line(calculation: Calculation) -> str:
    if calculation.allowed is None:
        return "allowed = True  # no mask"
    return f"allowed = np.array({calculation.allowed.tolist()!r})  # True: may be attended to"


def head_script(
    model: str,
    text: str,
    text_pair: str | None,
    layer: int,
    head: int,
    settings: Settings,
    *,
    stack: str = "encoder",
    forced: Forced = (),
    most: int | None = None,
) -> str:
    """A program that takes a real head through Headlight's public interface.

    Args:
        model: A name of the catalogue, a hub id, or a folder.
        text: The sentence; it appears as data, never as code.
        text_pair: The second sentence, or None.
        layer: Counts from 0.
        head: Counts from 0.
        settings: Scaling and mask that the page applied to the head.
        stack: "encoder", or of a translator "source", "decoder" or "cross".
        forced: Of a translator, the tokens that stood whatever the model said, by step.
        most: Tokens that it wrote at most; None: as many as it can.
    """
    if stack == "encoder":
        captured = f"load_model({model!r}).attend({_arguments(text, text_pair)})"
    else:
        name = "encoder" if stack == "source" else stack
        captured = f"load_model({model!r}).generate({_written(text, forced, most)}).{name}"
    lines = [
        "# Run it in Headlight's folder.",
        "import torch",
        "",
        "from model import load_model",
        "from model.calculator import Settings",
        "from model.calculator.real_head import from_head",
        "",
        f"capture = {captured}",
        f"captured = capture.head({layer}, {head})  # its q, k, v, masked_scores, weights, context",
        f"settings = Settings({_settings(settings)})",
        "arrays = captured.q, captured.k, captured.v, captured.allowed",
        "# The model's own factor on the scores, 1 / sqrt(d_k) in most, and what it adds to them.",
        "own = {'scale': captured.scale, 'bias': captured.bias}",
        "calculation = from_head(*arrays, settings, **own)",
        "weights = calculation.steps.weights[0]",
        "print(capture.tokens, capture.key_tokens, own, sep='\\n')",
        "print(weights, calculation.output, sep='\\n')",
    ]
    if settings == Settings():
        lines.append("print(abs(weights - torch.tensor(captured.weights)).max())  # the same")
    return "\n".join([*lines, ""])


def layer_script(
    model: str,
    stack: str,
    text: str,
    text_pair: str | None,
    place: tuple[int, int, int],
    forced: Forced = (),
) -> str:
    """A program that works a whole layer out from what enters it in a forward pass.

    Args:
        model: A name of the catalogue whose layers are ours.
        stack: "encoder", or of a translator "source" or "decoder".
        text: The sentence; it appears as data, never as code.
        text_pair: The second sentence, or None.
        place: The layer, the head that is followed, and the token whose row is printed; from 0.
        forced: Of a translator, the tokens that stood whatever the model said, by step.
    """
    layer, head, token = place
    arguments = _arguments(text, text_pair)
    if stack == "encoder":
        run = [
            f"layer = model.module.layers[{layer}]",
            f"seen = passages([layer], lambda: model.hidden_states({arguments}))[layer]",
        ]
    else:
        part = "decoder" if stack == "decoder" else "encoder"
        run = [
            f"layer = model.module.{part}.layers[{layer}]",
            f"translation = model.generate({_written(text, forced)})",
            "read, written = translation.encoder.token_ids, translation.decoder.token_ids",
            "ids = torch.tensor([read]), torch.tensor([written])",
            "with torch.inference_mode():",
            "    seen = passages([layer], lambda: model.module(*ids))[layer]",
        ]
    return "\n".join(
        [
            "# Run it in Headlight's folder.",
            *([] if stack == "encoder" else ["import torch", ""]),
            "from model import load_model",
            "from model.calculator.layer_matrices import layer_matrices",
            "from model.calculator.whole_layer import from_inputs",
            "from model.capture.states import passages",
            "",
            f"model = load_model({model!r})",
            *run,
            "whole = from_inputs(layer, seen.inputs)",
            f"matrices = layer_matrices(whole, {head})  # by name, of all tokens",
            "for name, matrix in matrices.items():",
            "    print(name, matrix.shape)",
            f"print(matrices['X'][{token}], whole.output[{token}], sep='\\n')",
            "print((whole.output - seen.output).abs().max().item())  # the model's, in 32 bits",
            "",
        ]
    )


def _arguments(text: str, text_pair: str | None) -> str:
    return repr(text) if text_pair is None else f"{text!r}, {text_pair!r}"


def _written(text: str, forced: Forced, most: int | None = None) -> str:
    limit = "" if most is None else f", max_new_tokens={most}"
    return f"{text!r}{limit}, forced={dict(forced)!r}" if forced else f"{text!r}{limit}"


def _settings(settings: Settings) -> str:
    default = Settings()
    values: Mapping[str, object] = {
        "scaled": settings.scaled,
        "temperature": settings.temperature,
        "mask": settings.mask,
        "padding": settings.padding,
        "hidden": settings.hidden,
    }
    changed = {n: value for n, value in values.items() if value != getattr(default, n)}
    return ", ".join(f"{name}={value!r}" for name, value in changed.items())
