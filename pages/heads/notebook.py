"""The lines of Python that reproduce what the Heads page alone shows."""

from model.analysis.intervention import Intervention
from pages.shared.notebook import between_call, both_lines, capture_lines, units_call
from pages.shared.recipe import Recipe


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
            *both_lines(imports, left, right),
            "heads = [",
            f"    shared_heads(ours_weights, [i for i, _ in pairs], every={every}),",
            f"    shared_heads(theirs_weights, [j for _, j in pairs], every={every}),",
            "]",
            "points = head_map(np.concatenate(heads)).points",
            "points",
        ]
    )


def change_lines(recipe: Recipe, layer: int, head: int) -> str:
    """Reproduce what a change moved in one head."""
    change = recipe.change or Intervention()
    arguments = [repr(recipe.text), repr(recipe.text_pair)]
    return "\n".join(
        [
            "from model import load_model",
            "from model.analysis.intervention import Intervention, intervene",
            "from model.analysis.units import unit_weights, units",
            "from viz import difference_heatmap",
            "",
            *capture_lines(recipe),
            "change = Intervention(",
            f"    off=frozenset({sorted(change.off)}),",
            f"    how={change.how!r},",
            f"    masked=frozenset({sorted(change.masked)}),",
            ")",
            f"compared = intervene(model, {', '.join([*arguments, 'change.baseline'])}).capture",
            f"changed = intervene(model, {', '.join([*arguments, 'change'])}).capture",
            f"shown = {units_call(recipe)}",
            f"before = {between_call(recipe, f'compared.weights[{layer}, {head}]', 'shown')}",
            f"after = {between_call(recipe, f'changed.weights[{layer}, {head}]', 'shown')}",
            "labels = [unit.label for unit in shown]",
            "figure = difference_heatmap(after - before, labels, labels)",
            "figure",
        ]
    )
