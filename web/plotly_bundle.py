"""The bundle of Plotly that browsers get."""

import re
from importlib.resources import files
from pathlib import Path

FULL_PLOTLY = Path(str(files("plotly"))) / "package_data" / "plotly.min.js"
"""The bundle of the Python package, which includes maps and 3D charts."""

CARTESIAN_PLOTLY = (
    Path(__file__).parents[1] / "node_modules/plotly.js-cartesian-dist-min/plotly-cartesian.min.js"
)
"""A third of the full bundle, with all chart types that the figures use; only npm has it."""


def choose_plotly(full: Path, partial: Path) -> Path:
    """The partial bundle if it has the full one's version: figures look as in a notebook."""
    same = partial.is_file() and plotly_version(partial) == plotly_version(full)
    return partial if same else full


def plotly_version(file: Path) -> str:
    """Return the version that a bundle states."""
    with file.open(encoding="utf-8") as opened:
        found = re.search(r"plotly\.js .*v([\d.]+)", opened.read(500))
    return found[1] if found else ""


PLOTLY = choose_plotly(FULL_PLOTLY, CARTESIAN_PLOTLY)
