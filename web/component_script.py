"""Concatenates a component's files, because Streamlit accepts only one script.

Imported files come first, without ``import`` and ``export``. So imports are not renamed, and no
two files of a component declare the same name.
"""

import re
from collections import Counter
from pathlib import Path

COMPONENTS = Path(__file__).parent / "components"

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]*)";\n', re.MULTILINE)
_DECLARED = re.compile(r"^(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)
_COMMENT = re.compile(r"^ *(//|/\*\*).*\n", re.MULTILINE)


def script(file: Path, *, seen: set[Path] | None = None) -> str:
    """Return the text of a module after all modules that it imports, except those in ``seen``.

    Raises:
        ValueError: If two of the modules declare one name, which browsers refuse in one script.
    """
    whole, seen = seen is None, seen or set()
    if file.resolve() in seen:
        return ""
    seen.add(file.resolve())
    text = file.read_text("utf-8")
    before = [script(file.parent / path, seen=seen) for path in _IMPORT.findall(text)]
    text = "".join([*before, _EXPORT.sub("", _IMPORT.sub("", text))])
    twice = [name for name, count in Counter(_DECLARED.findall(text)).items() if count > 1]
    if whole and twice:
        raise ValueError(f"Two files of the script {file.name} declare {', '.join(twice)}.")
    return text


def imported(url: str) -> str:
    """Return a short script that imports the component from a URL, so that browsers cache it."""
    text = (COMPONENTS / "common" / "imported.js").read_text("utf-8")
    return _COMMENT.sub("", text).replace("ADDRESS", url)
