"""Concatenates a component's files, because Streamlit accepts only one script.

Imported files come first, without ``import`` and ``export``. So imports are not renamed, and no
two files of a component declare the same name; a test checks both.
"""

import re
from pathlib import Path

COMPONENTS = Path(__file__).parent / "components"

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)
_COMMENT = re.compile(r"^ *(//|/\*\*).*\n", re.MULTILINE)


def script(file: Path) -> str:
    """Return the text of a module after all modules that it imports, each once."""
    return _joined(file.resolve(), set())


def imported(url: str) -> str:
    """Return a short script that imports the component from a URL, so that browsers cache it."""
    text = (COMPONENTS / "common" / "imported.js").read_text("utf-8")
    return _COMMENT.sub("", text).replace("ADDRESS", url)


def _joined(file: Path, seen: set[Path]) -> str:
    if file in seen:
        return ""
    seen.add(file)
    text = file.read_text("utf-8")
    before = [_joined((file.parent / path).resolve(), seen) for path in _IMPORT.findall(text)]
    return "".join([*before, _EXPORT.sub("", _IMPORT.sub("", text))])
