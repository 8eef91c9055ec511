"""Code of the counts on the About page."""

from model.transformer.sizes import (
    PLAIN,
    Architecture,
    build,
    cached_numbers,
    flops_per_token,
    parameters,
)
from viz.figures.sizes import parts_figure
from web.widgets.recorder import Code, Notebook, code


def sizes_lines(chosen: Architecture, n_tokens: int, n_source: int) -> str:
    """Code that counts a model's parameters and costs, and builds the model.

    Args:
        chosen: The model's sizes.
        n_tokens: Number of tokens of its text.
        n_source: Number of tokens of the source, for a model with two stacks.

    Returns:
        The code, whose last expression is the figure of the parts.
    """
    notebook = Notebook()
    switches = {name: True for name in ("pooler", "shared_tokens") if getattr(chosen, name)}
    variants = {} if chosen.variants == PLAIN else {"variants": chosen.variants}
    sizes = notebook.let("chosen", code(Architecture)(**chosen.stacks, **switches, **variants))
    counts = notebook.let("counts", code(parameters)(sizes))
    length = {"n_tokens": n_tokens, "n_source": n_source}
    notebook.let("flops", code(flops_per_token)(sizes, **length))
    notebook.let("cached", code(cached_numbers)(sizes, **length))
    if not variants:  # our own layers have none
        module = notebook.let("module", code(build)(sizes))
        notebook.let("built", Code(f"sum(p.numel() for p in {module.parameters().text})"))
    return notebook.show(code(parts_figure)(counts))
