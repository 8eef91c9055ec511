"""The version of Headlight, and how to cite it. pyproject.toml states both."""

import tomllib
from functools import cache
from pathlib import Path

_PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@cache
def version() -> str:
    """Read the version of Headlight."""
    return str(_project()["version"])


@cache
def citation() -> str:
    """Write the line by which a paper can cite Headlight."""
    return f"Headlight (version {version()}) [Computer software]. {_project()['description']}."


def _project() -> dict[str, str]:
    with _PROJECT.open("rb") as file:
        return dict(tomllib.load(file)["project"])
