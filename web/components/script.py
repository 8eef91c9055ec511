"""One script out of several files: Streamlit takes a component's JavaScript as one text.

Nothing is bundled. Every file is a plain module, so that ESLint, tsc and the tests read it as such;
for the browser, the files that it imports are put before it and the words ``import`` and ``export``
left out. Hence two rules, which a test holds: an import names what it takes in braces, under the
same name, and no two files of a component declare the same name.
"""

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)
_COMMENT = re.compile(r"^ *(//|/\*\*).*\n", re.MULTILINE)


def script(file: Path) -> str:
    """The text of a module behind all that it imports, each file once."""
    return _joined(file.resolve(), set())


def imported(url: str) -> str:
    """A component's script that fetches the rest of it: what a browser keeps is sent once.

    Args:
        url: On this server, of a module whose default export is the component.
    """
    text = (Path(__file__).parent / "common" / "imported.js").read_text("utf-8")
    return _COMMENT.sub("", text).replace("ADDRESS", url)


def _joined(file: Path, seen: set[Path]) -> str:
    if file in seen:
        return ""
    seen.add(file)
    text = file.read_text("utf-8")
    before = [_joined((file.parent / path).resolve(), seen) for path in _IMPORT.findall(text)]
    return "".join([*before, _EXPORT.sub("", _IMPORT.sub("", text))])
