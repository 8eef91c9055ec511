"""Code of the Calculator's views of a real head, a whole layer and the norms."""

import torch
from torch import Tensor

from model.calculator.layer_matrices import layer_matrices
from model.calculator.norms import batch_norm, layer_norm
from model.calculator.real_head import from_head
from model.calculator.settings import Settings
from model.calculator.whole_layer import from_inputs
from model.capture.module_calls import record_module_calls
from pages.calculator.request import StackRequest
from viz.figures.norms import norm_heatmap
from web.widgets.notebook import loading
from web.widgets.recorder import Code, Notebook, code

MODEL, LAYER = Code("model"), Code("layer")


def head_script(
    request: StackRequest,
    layer: int,
    head: int,
    settings: Settings,
    max_new_tokens: int | None = None,
) -> str:
    """Write a program that works out one head of a model.

    Args:
        request: The model, the stack and the text.
        layer: The layer, from 0.
        head: The head, from 0.
        settings: Scaling and mask.
        max_new_tokens: Most tokens of a translation; None for the model's own limit.
    """
    notebook = Notebook()
    model = notebook.let("model", loading(request.model))
    if request.stack == "encoder":
        notebook.let("capture", model.attend(*_texts(request)))
    else:
        stack = "encoder" if request.stack == "source" else request.stack
        notebook.let("capture", getattr(_translation(request, max_new_tokens), stack))
    captured = notebook.let("captured", Code("capture").head(layer, head))
    wanted = notebook.let("settings", settings)
    arrays = captured.q, captured.k, captured.v, captured.allowed
    notebook.let("own", code(dict)(scale=captured.scale, bias=captured.bias))
    calculation = code(from_head)(*arrays, wanted, Code("**own"))
    calculation = notebook.let("calculation", calculation)
    weights = notebook.let("weights", calculation.steps.weights[0])
    notebook.run(code(print)(Code("capture").tokens, Code("capture").key_tokens, Code("own")))
    notebook.run(code(print)(weights, calculation.output, sep="\n"))
    if settings == Settings():  # the difference from the model's own weights
        notebook.run(code(print)((weights - code(torch).tensor(captured.weights)).abs().max()))
    return _script(notebook)


def layer_script(request: StackRequest, layer: int, head: int, token: int) -> str:
    """Write a program that works out a whole layer from its input in a forward pass.

    Args:
        request: The model, the stack and the text; the model's layers are from this project.
        layer: The layer, from 0.
        head: The head to follow, from 0.
        token: The token whose row is printed, from 0.
    """
    notebook = Notebook()
    model = notebook.let("model", loading(request.model))
    if request.stack == "encoder":
        notebook.let("layer", model.module.layers[layer])
        forward = _function(model.hidden_states(*_texts(request)))
    else:
        part = getattr(model.module, "decoder" if request.stack == "decoder" else "encoder")
        notebook.let("layer", part.layers[layer])
        translation = notebook.let("translation", _translation(request))
        sides = (translation.encoder, translation.decoder)
        ids = [code(torch).tensor([side.token_ids]) for side in sides]
        forward = code(torch).inference_mode()(_function(model.module(*ids)))
    seen = notebook.let("seen", code(record_module_calls)([LAYER], forward)[LAYER])
    whole = notebook.let("whole", code(from_inputs)(LAYER, seen.inputs))
    matrices = notebook.let("matrices", code(layer_matrices)(whole, head))
    notebook.run(code(print)(Code("{name: matrix.shape for name, matrix in matrices.items()}")))
    notebook.run(code(print)(matrices["X"][token], whole.output[token], sep="\n"))
    # The difference from the model, which computes in 32 bits.
    notebook.run(code(print)((whole.output - seen.output).abs().max().item()))
    return _script(notebook)


def norms_lines(x: Tensor) -> str:
    """Code of both norms, compared with torch's own.

    Args:
        x: A batch, (sentences, tokens, features).
    """
    notebook, double = Notebook(), {"dtype": code(torch).float64}
    batch = notebook.let("x", code(torch).tensor(x.tolist(), **double))
    by_token = notebook.let("by_token", code(layer_norm)(batch).output)
    by_feature = notebook.let("by_feature", code(batch_norm)(batch).output)
    n_features = x.shape[-1]
    own_layer_norm = code(torch).nn.LayerNorm(n_features, **double)(batch)
    notebook.run(code(torch).allclose(by_token, own_layer_norm), "assert ")
    # BatchNorm1d expects (sentences, features, tokens).
    swapped = code(torch).nn.BatchNorm1d(n_features, **double)(batch.transpose(1, 2))
    notebook.run(code(torch).allclose(by_feature, swapped.transpose(1, 2)), "assert ")
    names = [f"{sentence}{token}" for sentence in "AB" for token in range(x.shape[1])]
    return notebook.show(code(norm_heatmap)(by_token.flatten(0, 1).numpy(), names))


def _texts(request: StackRequest) -> list[str]:
    return [text for text in (request.text, request.text_pair) if text is not None]


def _translation(request: StackRequest, max_new_tokens: int | None = None) -> Code:
    options: dict[str, object] = {"forced": dict(request.forced)} if request.forced else {}
    if max_new_tokens is not None:
        options["max_new_tokens"] = max_new_tokens
    return MODEL.generate(request.text, **options)


def _function(call: Code) -> Code:
    """A function without arguments."""
    return Code(f"lambda: {call.text}", call.imports)


def _script(notebook: Notebook) -> str:
    return f"# Run it where Headlight is installed.\n{notebook.text()}\n"
