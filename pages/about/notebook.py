"""The lines of Python that reproduce what the About page counts."""

from model.transformer.sizes import Architecture


def sizes_lines(chosen: Architecture, n_tokens: int, n_source: int) -> str:
    """Count a model's parameters and costs, and build it."""
    sides = [f"    {name}={config!r}," for name, config in chosen.stacks.items()]
    switches = [
        f"    {name}=True," for name in ("pooler", "shared_tokens") if getattr(chosen, name)
    ]
    configs = sorted({type(config).__name__ for config in chosen.stacks.values()})
    return "\n".join(
        [
            f"from model import {', '.join(configs)}",
            "from model.transformer import sizes",
            "from viz.figures.sizes import parts_figure",
            "",
            "chosen = sizes.Architecture(",
            *sides,
            *switches,
            ")",
            "counts = sizes.parameters(chosen)",
            f"flops = sizes.flops_per_token(chosen, n_tokens={n_tokens}, n_source={n_source})",
            f"cached = sizes.cached_numbers(chosen, n_tokens={n_tokens}, n_source={n_source})",
            "built = sum(p.numel() for p in sizes.build(chosen).parameters())",
            "figure = parts_figure(counts)",
            "figure",
        ]
    )
