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
    """Reproduce what a change moved in one head; of a decoder what comes next in both runs, too."""
    change = recipe.change or Intervention()
    arguments = [repr(recipe.text), repr(recipe.text_pair)]
    weights = f"weights[{layer}, {head}]"
    decoder = recipe.captured().stack == "decoder"
    names = ["Intervention", "intervene", *["next_tokens", "total_variation"] * decoder]
    following = [
        "following = [next_tokens(model, run.hidden[[-1]])[0] for run in (compared, changed)]",
        "moved = total_variation(*following)  # of what comes next, behind the last token",
    ]
    return "\n".join(
        [
            "from model import load_model",
            f"from model.analysis.intervention import {', '.join(names)}",
            "from model.analysis.units import unit_weights, units",
            "from viz import difference_heatmap",
            "",
            *capture_lines(recipe),
            "change = Intervention(",
            f"    off=frozenset({sorted(change.off)}),",
            f"    how={change.how!r},",
            f"    masked=frozenset({sorted(change.masked)}),",
            ")",
            f"compared = intervene(model, {', '.join([*arguments, 'change.baseline'])})",
            f"changed = intervene(model, {', '.join([*arguments, 'change'])})",
            *following * decoder,
            f"shown = {units_call(recipe)}",
            f"before = {between_call(recipe, f'compared.capture.{weights}', 'shown')}",
            f"after = {between_call(recipe, f'changed.capture.{weights}', 'shown')}",
            "labels = [unit.label for unit in shown]",
            "figure = difference_heatmap(after - before, labels, labels)",
            "figure",
        ]
    )
