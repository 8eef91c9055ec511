"""The lines of Python that reproduce what the Layers page shows."""

from pages.shared.notebook import (
    both_lines,
    capture_lines,
    head_lines,
    heatmap_lines,
    layer_weights,
    units_call,
)
from pages.shared.recipe import Recipe


def layer_lines(
    recipe: Recipe, kind: str, layer: int, head: int, masked_in: int | None = None
) -> str:
    """Reproduce what a layer shows; see :func:`model.analysis.depth.by_layer`."""
    if kind == "head":
        return head_lines(recipe, layer, head)
    maps = layer_weights(kind, layer, head)
    imports = "from model.analysis.depth import by_layer"
    return heatmap_lines(recipe, maps, imports, masked_in=masked_in)


def profile_lines(measure: str, *recipes: Recipe) -> str:
    """Reproduce a measure over the layers of one model or two."""
    lines = [
        "from model import load_model",
        "from model.analysis.measures import profile",
        "from viz.figures.depth import profile_figure",
        "",
        "measured = {}",
    ]
    for recipe in recipes:
        lines += [
            *capture_lines(recipe),
            f'measured["{recipe.side}"] = profile(capture)["{measure}"]  # (layers, heads)',
        ]
    names = ", ".join(f'"{recipe.side}": {recipe.model!r}' for recipe in recipes)
    return "\n".join(
        [
            *lines,
            f"names = {{{names}}}",
            f'figure = profile_figure(measured, names, title="{measure}", unit="")',
            "figure",
        ]
    )


def similarity_lines(left: Recipe, right: Recipe, every: int = 1) -> str:
    """Reproduce the distances of all heads of two models."""
    return "\n".join(
        [
            *both_lines(
                "from model.analysis.distances import jensen_shannon, shared_heads", left, right
            ),
            "distances = jensen_shannon(",
            f"    shared_heads(ours_weights, [i for i, _ in pairs], every={every}),",
            f"    shared_heads(theirs_weights, [j for _, j in pairs], every={every}),",
            ")",
            "distances",
        ]
    )


def stream_lines(recipe: Recipe, quantity: str) -> str:
    """Reproduce a quantity of the residual stream; see :mod:`model.capture.stream`."""
    texts = [repr(text) for text in (recipe.text, recipe.text_pair) if text is not None]
    return "\n".join(
        [
            "from model import load_model",
            "from model.analysis.units import unit_means, units",
            "from viz.figures.stream import stream_heatmap",
            "",
            *capture_lines(recipe),
            f"shown = {units_call(recipe)}",
            f"stream = model.residual_stream({', '.join(texts)})",
            f"values = unit_means(stream.{quantity}, shown)  # (layers, units)",
            "figure = stream_heatmap(values, [unit.label for unit in shown])",
            "figure",
        ]
    )


def lens_lines(recipe: Recipe, positions: tuple[int, ...]) -> str:
    """Reproduce the logit lens; see :mod:`model.analysis.logit_lens`."""
    return "\n".join(
        [
            "from model import load_model",
            "from model.analysis.logit_lens import logit_lens",
            "from model.capture.blanks import seen_blanks",
            "from model.catalogue.token_names import names",
            "from viz.figures.logit_lens import lens_heatmap",
            "",
            *_lens(recipe, positions),
            "name = names(model.tokenizer)",
            "said = [",
            "    [[seen_blanks(name(int(i))) for i in cell] for cell in row]",
            "    for row in lens.ids",
            "]",
            "tokens = [capture.tokens[i] for i in lens.positions]",
            "figure = lens_heatmap(said, lens.probabilities, tokens)",
            "figure",
        ]
    )


def contribution_lines(
    recipe: Recipe, positions: tuple[int, ...], position: int, token_id: int
) -> str:
    """Reproduce what adds up to a token's logit."""
    return "\n".join(
        [
            "from model import load_model",
            "from model.analysis.logit_lens import contributions, logit_lens",
            "from viz.figures.logit_lens import contributions_heatmap",
            "",
            *_lens(recipe, positions),
            f"parts = contributions(model, capture, lens, {position}, {token_id})",
            "print(parts.total, parts.logit)",
            "figure = contributions_heatmap(parts.heads, parts.feed_forward)",
            "figure",
        ]
    )


def _lens(recipe: Recipe, positions: tuple[int, ...]) -> list[str]:
    texts = [repr(text) for text in (recipe.text, recipe.text_pair) if text is not None]
    where = f"positions=range({positions[0]}, {positions[-1] + 1})"
    return [*capture_lines(recipe), f"lens = logit_lens(model, {', '.join(texts)}, {where})"]
