"""The few lines of Python that reproduce what is on screen, through the public interface."""

from model.analysis.intervention import Intervention
from pages.shared.recipe import Recipe


def head_lines(recipe: Recipe, layer: int, head: int) -> str:
    """Reproduce one head's heatmap."""
    return _heatmap(recipe, f"capture.weights[{layer}, {head}]")


def layer_lines(recipe: Recipe, kind: str, layer: int, head: int) -> str:
    """Reproduce what a layer shows; see :func:`model.analysis.depth.by_layer`."""
    if kind == "head":
        return head_lines(recipe, layer, head)
    maps = _layer("model", "capture", kind, layer, head)
    return _heatmap(recipe, maps, "from model.analysis.depth import by_layer")


def difference_lines(
    first: Recipe,
    second: Recipe,
    kind: str,
    layers: tuple[int, int],
    heads: tuple[int, int],
) -> str:
    """Reproduce a difference of two heads or layers."""
    lines = [
        "from model import load_model",
        "from model.analysis.align import align, difference",
        *(["from model.analysis.depth import by_layer"] if kind != "head" else []),
        "from model.analysis.units import unit_weights, units",
        "from viz import difference_heatmap",
        "",
    ]
    for name, recipe, layer, head in zip(
        ("first", "second"), (first, second), layers, heads, strict=True
    ):
        weights = _layer("model", "capture", kind, layer, head)
        lines += [
            *_capture(recipe),
            f"{name} = {_units(recipe)}",
            f"{name}_weights = {_between(recipe, weights, name)}",
        ]
    return "\n".join(
        [
            *lines,
            "pairs = align(first, second).pairs",
            "changed = difference(first_weights, second_weights, pairs)",
            "labels = [first[i].label for i, _ in pairs]",
            "figure = difference_heatmap(changed, labels, labels)",
            "figure",
        ]
    )


def profile_lines(left: Recipe, right: Recipe, measure: str) -> str:
    """Reproduce a measure over the layers of two models."""
    lines = [
        "from model import load_model",
        "from model.analysis.measures import profile",
        "from viz.figures.depth import profile_figure",
        "",
        "measured = {}",
    ]
    for recipe in (left, right):
        lines += [
            *_capture(recipe),
            f'measured["{recipe.side}"] = profile(capture)["{measure}"]  # (layers, heads)',
        ]
    return "\n".join(
        [
            *lines,
            f'names = {{"left": {left.model!r}, "right": {right.model!r}}}',
            f'figure = profile_figure(measured, names, title="{measure}", unit="")',
            "figure",
        ]
    )


def similarity_lines(left: Recipe, right: Recipe, every: int = 1) -> str:
    """Reproduce the distances of all heads of two models."""
    return "\n".join(
        [
            *_shared(
                "from model.analysis.distances import jensen_shannon, shared_heads", left, right
            ),
            "distances = jensen_shannon(",
            f"    shared_heads(ours_weights, [i for i, _ in pairs], every={every}),",
            f"    shared_heads(theirs_weights, [j for _, j in pairs], every={every}),",
            ")",
            "distances",
        ]
    )


def map_lines(left: Recipe, right: Recipe, every: int = 1) -> str:
    """Reproduce the map of heads of two models: a point each, the left model's first."""
    imports = (
        "from model.analysis.headmap import head_map\n"
        "from model.analysis.distances import shared_heads"
    )
    return "\n".join(
        [
            "import numpy as np",
            "",
            *_shared(imports, left, right),
            "heads = [",
            f"    shared_heads(ours_weights, [i for i, _ in pairs], every={every}),",
            f"    shared_heads(theirs_weights, [j for _, j in pairs], every={every}),",
            "]",
            "points = head_map(np.concatenate(heads)).points",
            "points",
        ]
    )


def _shared(imports: str, left: Recipe, right: Recipe) -> list[str]:
    """Two captures between their units, and which of those correspond."""
    lines = [
        "from model import load_model",
        "from model.analysis.align import align",
        imports,
        "from model.analysis.units import unit_weights, units",
        "",
    ]
    for name, recipe in (("ours", left), ("theirs", right)):
        lines += [
            *_capture(recipe),
            f"{name} = {_units(recipe)}",
            f"{name}_weights = {_between(recipe, 'capture.weights', name)}",
        ]
    return [*lines, "pairs = align(ours, theirs).pairs"]


def change_lines(recipe: Recipe, layer: int, head: int) -> str:
    """Reproduce what a change moved in one head."""
    change = recipe.change or Intervention()
    arguments = [repr(recipe.text), repr(recipe.text_pair), "change"]
    return "\n".join(
        [
            "from model import load_model",
            "from model.analysis.intervention import Intervention, intervene",
            "from model.analysis.units import unit_weights, units",
            "from viz import difference_heatmap",
            "",
            *_capture(recipe),
            "change = Intervention(",
            f"    off=frozenset({sorted(change.off)}),",
            f"    how={change.how!r},",
            f"    masked=frozenset({sorted(change.masked)}),",
            ")",
            f"changed = intervene(model, {', '.join(arguments)}).capture",
            f"shown = {_units(recipe)}",
            f"before = {_between(recipe, f'capture.weights[{layer}, {head}]', 'shown')}",
            f"after = {_between(recipe, f'changed.weights[{layer}, {head}]', 'shown')}",
            "labels = [unit.label for unit in shown]",
            "figure = difference_heatmap(after - before, labels, labels)",
            "figure",
        ]
    )


def _capture(recipe: Recipe) -> list[str]:
    texts = ", ".join(repr(text) for text in (recipe.text, recipe.text_pair) if text is not None)
    return [f"model = load_model({recipe.model!r})", f"capture = model.attend({texts})"]


def _layer(model: str, capture: str, kind: str, layer: int, head: int) -> str:
    if kind == "head":
        return f"{capture}.weights[{layer}, {head}]"
    return f'by_layer({model}, {capture}, "{kind}")[{layer}]'


def _units(recipe: Recipe) -> str:
    hidden = recipe.special != "show"
    return f"units(capture, merge_words={recipe.merge_words}, hide_special={hidden})"


def _between(recipe: Recipe, weights: str, shown: str) -> str:
    renormalise = recipe.special == "renormalise"
    return f"unit_weights({weights}, {shown}, renormalise={renormalise})"


def _heatmap(recipe: Recipe, weights: str, *imports: str) -> str:
    plain = not recipe.merge_words and recipe.special == "show"
    lines = ["from model import load_model", *imports]
    if not plain:
        lines.append("from model.analysis.units import unit_weights, units")
    lines += ["from viz import attention_heatmap", "", *_capture(recipe)]
    if plain:
        lines.append(f"figure = attention_heatmap({weights}, capture.tokens)")
    else:
        lines += [
            f"shown = {_units(recipe)}",
            f"weights = {_between(recipe, weights, 'shown')}",
            "figure = attention_heatmap(weights, [unit.label for unit in shown])",
        ]
    return "\n".join([*lines, "figure"])
