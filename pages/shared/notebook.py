"""The few lines of Python that reproduce what is on screen, through the public interface.

Here are the lines of what several pages show, and the pieces that all such lines are made of.
"""

from collections.abc import Sequence

from model.analysis.depth import reachable
from model.analysis.units import unit_allowed
from pages.shared.recipe import Recipe

_REACHING = ("rollout", "flow")
"""Kinds that go through the masks of the layers below, too."""


def head_lines(recipe: Recipe, layer: int, head: int) -> str:
    """Reproduce one head's heatmap."""
    return heatmap_lines(recipe, f"capture.weights[{layer}, {head}]", masked_in=layer)


def difference_lines(
    first: Recipe,
    second: Recipe,
    kind: str,
    layers: tuple[int, int],
    heads: tuple[int, int],
) -> str:
    """Reproduce a difference of two heads or layers: the second minus the first."""
    places = zip(layers, heads, strict=True)
    weights = [layer_weights(kind, layer, head) for layer, head in places]
    masks = [_mask(of, kind, layer) for of, layer in zip((first, second), layers, strict=True)]
    masked = [name for name, mask in zip(("first", "second"), masks, strict=True) if mask]
    names = ["unit_allowed"] * bool(masked) + ["unit_weights", "units"]
    allowed = ", allowed=seen" * bool(masked)
    reached = ", reachable" * (bool(masked) and kind in _REACHING)
    return "\n".join(
        [
            "from model import load_model",
            "from model.analysis.align import align, difference",
            *([f"from model.analysis.depth import by_layer{reached}"] if kind != "head" else []),
            f"from model.analysis.units import {', '.join(names)}",
            "from viz import difference_heatmap",
            "",
            *_aligned({"first": first, "second": second}, weights, masks),
            "changed = difference(first_weights, second_weights, pairs)  # second minus first",
            "labels = [first[i].label for i, _ in pairs]",
            *_seen(masked),
            f"figure = difference_heatmap(changed, labels, labels{allowed})",
            "figure",
        ]
    )


def _mask(recipe: Recipe, kind: str, layer: int) -> str | None:
    """What the mask leaves to be seen of what a layer shows: an expression; None if all of it."""
    masks, said = [*recipe.captured().allowed[: layer + 1]], "capture.allowed"
    if kind in _REACHING:
        masks, said = reachable(masks), f"reachable({said})"
    open_ = unit_allowed(masks[layer:], recipe.show().units)
    return None if open_ is None else f"{said}[{layer}]"


def _seen(masked: list[str]) -> list[str]:
    """``seen``: what no mask of those sides hides between the units that correspond."""
    lines = []
    for name in masked:
        side = ("first", "second").index(name)
        lines += [
            f"places = [pair[{side}] for pair in pairs]",
            f"{name}_seen = {name}_seen[places][:, places]",
        ]
    return [*lines, "seen = " + " & ".join(f"{name}_seen" for name in masked)] if masked else []


# -- pieces --------------------------------------------------------------------------------------


def both_lines(imports: str, left: Recipe, right: Recipe) -> list[str]:
    """Two captures between their units, and which of those correspond."""
    return [
        "from model import load_model",
        "from model.analysis.align import align",
        imports,
        "from model.analysis.units import unit_weights, units",
        "",
        *_aligned({"ours": left, "theirs": right}, ["capture.weights"] * 2),
    ]


def _aligned(
    sides: dict[str, Recipe], weights: list[str], masks: Sequence[str | None] = (None, None)
) -> list[str]:
    """For each name its units, ``NAME_weights`` and ``NAME_seen``; then the units' ``pairs``."""
    lines = []
    for (name, recipe), of, mask in zip(sides.items(), weights, masks, strict=True):
        lines += [
            *capture_lines(recipe),
            f"{name} = {units_call(recipe)}",
            f"{name}_weights = {between_call(recipe, of, name)}",
            *([f"{name}_seen = unit_allowed([{mask}], {name})[0]"] if mask else []),
        ]
    return [*lines, "pairs = align({}, {}).pairs".format(*sides)]


def heatmap_lines(recipe: Recipe, weights: str, *imports: str, masked_in: int | None = None) -> str:
    """Draw ``weights``, an expression for numbers between tokens, as the recipe asks for.

    Args:
        recipe: What is shown.
        weights: The expression.
        *imports: Lines that it needs.
        masked_in: The layer whose mask hides some of the cells, if they are a layer's.
    """
    masked = masked_in is not None and recipe.captured().allowed[masked_in] is not None
    plain = not recipe.merge_words and recipe.special == "show"
    # A token that the vocabulary lacks says what was typed: only units know it.
    plain = plain and not any(unit.unknown for unit in recipe.show().units)
    lines = ["from model import load_model", *imports]
    if not plain:
        names = ["unit_allowed"] * masked + ["unit_weights", "units"]
        lines.append(f"from model.analysis.units import {', '.join(names)}")
    lines += ["from viz import attention_heatmap", "", *capture_lines(recipe)]
    if plain:
        allowed = f", allowed=capture.allowed[{masked_in}]" if masked else ""
        lines.append(f"figure = attention_heatmap({weights}, capture.tokens{allowed})")
    elif masked:
        lines += [
            f"shown = {units_call(recipe)}",
            f"weights = {between_call(recipe, weights, 'shown')}",
            f"allowed = unit_allowed([capture.allowed[{masked_in}]], shown)[0]",
            "labels = [unit.label for unit in shown]",
            "figure = attention_heatmap(weights, labels, allowed=allowed)",
        ]
    else:
        lines += [
            f"shown = {units_call(recipe)}",
            f"weights = {between_call(recipe, weights, 'shown')}",
            "figure = attention_heatmap(weights, [unit.label for unit in shown])",
        ]
    return "\n".join([*lines, "figure"])


def capture_lines(recipe: Recipe) -> list[str]:
    """Make ``model`` and ``capture``."""
    texts = ", ".join(repr(text) for text in (recipe.text, recipe.text_pair) if text is not None)
    return [f"model = load_model({recipe.model!r})", f"capture = model.attend({texts})"]


def layer_weights(kind: str, layer: int, head: int) -> str:
    """What a layer shows, between tokens: an expression of ``model`` and ``capture``."""
    if kind == "head":
        return f"capture.weights[{layer}, {head}]"
    return f'by_layer(model, capture, "{kind}")[{layer}]'


def units_call(recipe: Recipe) -> str:
    """The rows and columns of ``capture`` as the recipe asks for them."""
    hidden = recipe.special != "show"
    return f"units(capture, merge_words={recipe.merge_words}, hide_special={hidden})"


def between_call(recipe: Recipe, weights: str, shown: str) -> str:
    """The weights between tokens as weights between the units called ``shown``."""
    renormalise = recipe.special == "renormalise"
    return f"unit_weights({weights}, {shown}, renormalise={renormalise})"
