"""Rules of CONTRIBUTING.md that no other tool checks: each function yields mistakes, for print."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path

from babel.messages.frontend import parse_keywords
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from lessons.texts import extract as lesson_texts
from tests.mutants import FAULTS
from web import settings

ROOT = Path(__file__).parents[1]
Found = Iterator[tuple[Path, int, str]]

# What each package may import, beside libraries and itself.
LAYERS = {
    "model": "",
    "viz": "",
    "training": "model",
    "web": "viz model",
    "rooms": "web viz model",
    "lessons": "web viz model",
    "pages": "rooms lessons web viz model",
}
TOP = {*LAYERS, "app", "tests", "benchmarks"}
# What a folder or file may import of its package; others, such as the pages, nothing.
PARTS = {
    "model/languages": "errors",
    "model/transformer": "errors",
    "model/capture": "errors transformer",
    "model/questions": "typed_numbers",
    "model/calculator": "errors questions typed_numbers transformer",
    "model/catalogue": "errors version languages transformer capture",
    "model/analysis": "errors version transformer capture catalogue",
    "web/streamlit_patches": "settings",
    "web/language": "settings streamlit_patches",
    "web/view_state": "language streamlit_patches",
    "web/inference": "settings language streamlit_patches view_state",
    "web/cache": "settings language streamlit_patches inference",
    "web/server": "plotly_bundle settings language components streamlit_patches inference cache "
    "view_state",
    "web/translators": "view_state",
    "web/notebook": "component_script plotly_bundle capture_part",
    "web/components": "component_script",
    "web/model_name": "cache",
    "web/subject": "inference cache capture_part model_name translators",
    "web/widgets": "settings language components streamlit_patches inference cache view_state "
    "server model_name translators subject capture_part",
    "rooms/api": "store",
    "pages/check_lessons": "urls",
    "pages/urls": " ".join(file.parent.name for file in ROOT.glob("pages/*/page.py")),
}
# Libraries that a package must not import.
NEVER = {
    "model": {"streamlit", "plotly"},
    "training": {"streamlit", "plotly"},
    "viz": {"torch", "streamlit"},
    "rooms/store": {"numpy", "torch", "streamlit", "starlette"},
}
HUB = {"transformers", "huggingface_hub"}

PRIVATE = re.compile(
    r"^streamlit\.(runtime|web|proto|components\.v2\.bidi_component)\b|"
    r"\b(?:st|streamlit|config|uvicorn|asyncio|loop|session|runtime|manager|context)\._[a-z]\w+$"
)
PRIVATE_IN_SCRIPT = re.compile(r"data-test|WebSocket\.prototype|_stcore/stream")
CHANGES_SHAPE = re.compile(
    r"(?<!self)\.(reshape|view|transpose|permute|swapaxes|movedim|expand|einsum|(un)?flatten|"
    r"(un)?squeeze)\(|\.m?T\b"
)
COLOUR = re.compile(r"#[0-9a-f]{3,8}\b|\b(rgb|hsl|hwb|(ok)?lab|(ok)?lch)a?\(", re.IGNORECASE)

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
MARKED = re.search(r"--output-file=\$\(POT\) (.+)", MAKEFILE)[1].split()
KEYWORDS = parse_keywords(re.search(r'--keywords="([^"]+)"', MAKEFILE)[1].split())
PASSES_ON = re.compile("web/language|viz/style/labels|model/capture/whitespace")
FOR_OPERATORS = re.compile("store/database|process_limits|check_lessons|lessons/checking")
TEXTS = {"label", "help", "title", "subtitle", "placeholder", "alt", "caption"}
DRAWS = {"caption", "markdown", "info", "success", "button", "toggle", "selectbox", "text_input"}
NOT_TEXT = re.compile(r":material/\w+:|<[^>]+>|{[^}]*}|^(?:True|False|None)$")
CITED_OR_CODE = re.compile(r"et al\.|[\[(=]|import ")
WORD = r"[^\W\d_]{2,}"
BOLD = re.compile(r"(.?)\*\*([^*]+)\*\*(.?)")

PATTERNS = ("*.md", "docs/*.md", "deploy/*.md", "benchmarks/*/*.md", "model/**/*.md", "web/**/*.md")
DOCUMENTS = sorted(file for pattern in PATTERNS for file in ROOT.glob(pattern))
LINK = re.compile(r"\[[^\]]*\]\((?!\w+:)([^)\s#]*)#?([^)\s]*)\)")
FOLDERS = "(?:model|viz|web|rooms|pages|training|tests|deploy|docs|benchmarks|lessons|locale)"
PATH = re.compile(rf"`({FOLDERS}/[\w./-]+[\w-])`")
MODULE = re.compile(rf"python3? -m ({FOLDERS}\.[\w.]+)")
MAKE = re.compile(r"(?:`|^ +)make ([a-z]+)")


@cache
def parsed(file: Path) -> list[ast.AST]:
    return [*ast.walk(ast.parse(file.read_text("utf-8")))]


def python(*places: str) -> Iterator[tuple[Path, str, list[ast.AST]]]:
    """Each file, its path from the root, and its nodes; a place is a folder or a file."""
    for place in places:
        at = ROOT / place
        for file in [at] if at.suffix else sorted(at.rglob("*.py")):
            yield file, file.relative_to(ROOT).as_posix(), parsed(file)


def imports(nodes: list[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    """Statements and dotted names; ``from a.b import c`` gives a.b.c, because c may be a module."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            start = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
            yield from ((node, start + alias.name) for alias in node.names)


def module(name: str) -> str | None:
    """The file of this project that a dotted name, or its longest prefix, names."""
    parts = name.split(".") if name.partition(".")[0] in LAYERS else []
    starts = ["/".join(parts[:end]) for end in range(len(parts), 0, -1)]
    files = (start + end for start in starts for end in (".py", "/__init__.py"))
    return next((file for file in files if (ROOT / file).is_file()), None)


def imports_follow_the_architecture() -> Found:
    """A package that imports backwards can be neither understood nor used alone."""
    for file, where, nodes in python(*LAYERS):
        package, part = where.removesuffix(".py").split("/")[:2]
        banned = set().union(*(names for at, names in NEVER.items() if where.startswith(at)))
        if package != "training" and not where.startswith("model/catalogue/pretrained/"):
            banned |= HUB
        banned |= TOP - {package, *LAYERS[package].split()} | {""}  # "": from . import
        may = {part, "__init__", *PARTS.get(f"{package}/{part}", "").split()}
        free = package in ("viz", "training", "lessons") or part == "__init__"
        for node, name in imports(nodes):
            top, other = name.partition(".")[0], module(name) or where
            backwards = top == package and Path(other).with_suffix("").parts[1] not in may
            stored = where.startswith("rooms/store/") and top in TOP and "store" not in name
            if top in banned or (backwards and not free) or stored:
                yield file, node.lineno, f"{package}/{part} must not import {name}"


def no_import_is_circular() -> Found:
    """Files that import each other load in one order only."""
    graph = {
        where: {module(name) for node, name in imports(nodes) if node.col_offset == 0} - {None}
        for _, where, nodes in python(*LAYERS)
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield ROOT / error.args[1][0], 1, f"circular import: {' ← '.join(error.args[1])}"


def private_names_are_in_the_patches() -> Found:
    """One folder shows what an update of Streamlit can break."""
    for file, where, nodes in python("app.py", "web", "rooms", "lessons", "pages"):
        names = [*imports(nodes)]
        names += [(node, ast.unparse(node)) for node in nodes if isinstance(node, ast.Attribute)]
        for node, name in names if "streamlit_patches" not in where else ():
            if PRIVATE.search(name):
                yield file, node.lineno, f"private: {name}"
    for file in sorted((ROOT / "web" / "components").rglob("*.js")):
        for line, text in enumerate(file.read_text("utf-8").splitlines(), 1):
            if PRIVATE_IN_SCRIPT.search(text):
                yield file, line, "private: reads Streamlit's page"


def changes_of_shape_have_a_comment() -> Found:
    """Code does not show the axes of a tensor; `# (B, T) -> (B * T,)` does."""

    for file, _, nodes in python("model", "training", "viz"):
        lines = file.read_text("utf-8").split("\n")
        for node in nodes:
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                around = "\n".join(lines[max(0, node.lineno - 3) : node.end_lineno])
                commented = re.search(r"#.*\([^()\n]*,[^()\n]*\)", around)
                if not commented and CHANGES_SHAPE.search(ast.unparse(node)):
                    yield file, node.lineno, "a change of shape without a comment"


def only_the_theme_defines_colours() -> Found:
    """Colours elsewhere ignore the sides' hues, the dark theme and the projector."""
    for file, where, nodes in python("viz", "web", "rooms", "lessons", "pages"):
        for node in nodes if where != "viz/style/theme.py" else ():
            if isinstance(node, ast.Constant) and COLOUR.search(str(node.value)):
                yield file, node.lineno, f"a colour outside viz/style/theme.py: {node.value}"


def called(node: ast.AST) -> str:
    """The name of the function that a node calls, or an empty text."""
    function = getattr(node, "func", None)
    return getattr(function, "id", None) or getattr(function, "attr", "")


def names_in(text: str) -> set[str]:
    return set(re.findall(r"(?<!{){(\w+)[^{}]*}", text))


def messages_are_constant_and_in_the_template() -> Found:
    """Babel reads only constants, and a translator sees only the template."""
    pot = ROOT / "locale" / "headlight.pot"
    with pot.open(encoding="utf-8") as file:
        known = {entry.id: entry.lineno for entry in read_po(file) if entry.id}
    ours = [*(ROOT / "lessons").glob("*.toml")]
    extracted = [*chain(*(lesson_texts(file.open("rb")) for file in ours)), *settings.extract()]
    used = {text for *_, text, _ in extracted}
    for file, where, nodes in python(*MARKED):
        f_strings = [node for node in nodes if isinstance(node, ast.JoinedStr)]
        inside = {id(node) for f_string in f_strings for node in ast.walk(f_string)}
        for node in (node for node in nodes if called(node) in KEYWORDS):
            places = [place - 1 for place in KEYWORDS[called(node)] or (1,)]
            texts = [getattr(node.args[at], "value", None) for at in places if at < len(node.args)]
            if id(node) in inside or len(texts) < len(places) or {*map(type, texts)} != {str}:
                if not PASSES_ON.search(where):
                    yield file, node.lineno, "a message that Babel cannot read: write a constant"
                continue
            used.add(message := texts[0] if len(texts) == 1 else tuple(texts))
            if message not in known:
                yield file, node.lineno, f"not in the template (make messages): {texts[0]}"
    yield from ((pot, known[each], "unused (make messages)") for each in known.keys() - used)


def placeholders_agree() -> Found:
    """A placeholder without a value stops the page, also in one language only."""
    for file, _, nodes in python(*MARKED):
        for node in (node for node in nodes if isinstance(node, ast.Call)):
            inner = getattr(node.func, "value", None) if called(node) == "format" else node
            if called(inner) in KEYWORDS and (inner is not node or called(node).endswith("Error")):
                texts = [each.value for each in inner.args if isinstance(each, ast.Constant)]
                given = {each.arg for each in node.keywords}
                wanted = set().union(*(names_in(text) for text in texts))
                if texts and None not in given and wanted != given:
                    yield file, node.lineno, f"placeholders {wanted}, but values {given}"
    for po in sorted((ROOT / "locale").rglob("*.po")):
        with po.open(encoding="utf-8") as file:
            for entry in read_po(file):
                source, own = ([e] if isinstance(e, str) else e for e in (entry.id, entry.string))
                if any(text and names_in(text) != names_in(source[-1]) for text in own[-1:]):
                    yield po, entry.lineno, f"placeholders of {own[-1]}"
                for before, bold, after in BOLD.findall(own[-1]):
                    opens, closes = (
                        (each.isalnum() or each in "{}") for each in (bold[0], bold[-1])
                    )
                    if (before.isalnum() and not opens) or (after.isalnum() and not closes):
                        yield po, entry.lineno, f"Markdown shows these asterisks: **{bold}**"


def translations_are_complete() -> Found:
    """A message without a translation appears in English in the midst of another language."""
    with (ROOT / "locale" / "headlight.pot").open(encoding="utf-8") as file:
        messages = {entry.id for entry in read_po(file) if entry.id}
    for po in sorted((ROOT / "locale").rglob("*.po")):
        with po.open(encoding="utf-8") as file:
            catalogue = read_po(file)
        own = {entry.id: entry for entry in catalogue if entry.id}
        done = {each for each, entry in own.items() if all(entry.string) and not entry.fuzzy}
        for each in sorted(map(str, messages - done)):
            yield po, 1, f"not translated (make messages, then translate): {each[:60]}"
        for each in (*(own.keys() - messages), *catalogue.obsolete):
            yield po, 1, f"unused (make messages): {str(each)[:60]}"
        with po.with_suffix(".mo").open("rb") as file:
            compiled = {str(entry.id): entry.string for entry in read_mo(file)}
        wanted = {str(list(e) if isinstance(e, tuple) else e): own[e].string for e in own}
        if any(list(compiled.get(e, "")) != list(s) for e, s in wanted.items()):
            yield po, 1, "not compiled (make messages)"


def texts_on_screen_are_marked() -> Found:
    """A text outside _() stays English in every language."""
    for file, where, nodes in python("viz", "web", "rooms", "lessons", "pages"):
        shown, ours = set(), {node.value for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if called(node):
                first = node.args[:1] if called(node) in DRAWS else []
                shown |= {*first, *(each.value for each in node.keywords if each.arg in TEXTS)}
            if isinstance(node, ast.Raise) or called(node) in {*KEYWORDS, "exception", "warning"}:
                ours |= {*ast.walk(node)}
        functions = (node for node in nodes if isinstance(node, ast.FunctionDef))
        for node in {each for function in functions for each in ast.walk(function)} - ours:
            words = WORD if node in shown else rf"({WORD}[,;:]? ){{2}}{WORD}"
            text = NOT_TEXT.sub(" ", str(node.value)) if isinstance(node, ast.Constant) else ""
            allowed = FOR_OPERATORS.search(where) or CITED_OR_CODE.search(text)
            if re.search(words, text) and not allowed:
                yield file, node.lineno, f"not marked by _(): {text}"


@cache
def lines_of(document: Path) -> list[tuple[int, str]]:
    """The lines outside code blocks, and their numbers."""
    parts = document.read_text("utf-8").split("```")
    lines = "".join("\n" * part.count("\n") if at % 2 else part for at, part in enumerate(parts))
    return [*enumerate(lines.split("\n"), 1)]


def links_have_a_target() -> Found:
    """A reader follows them."""
    for file in DOCUMENTS:
        for line, text in lines_of(file):
            for path, heading in LINK.findall(text):
                target = file.parent / path if path else file
                lines = lines_of(target) if heading and target.is_file() else []
                titles = [title.lstrip("# ").lower() for _, title in lines if title.startswith("#")]
                names = {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}
                if not target.exists() or (heading and heading not in names):
                    yield file, line, f"no target: {path}#{heading}"
    readme = (ROOT / "README.md").read_text("utf-8")
    missing = [file for file in (ROOT / "docs").glob("*.md") if f"(docs/{file.name}" not in readme]
    yield from ((file, 1, "README.md has no link to it") for file in missing)


def documents_name_what_exists() -> Found:
    """Commands and files are renamed, and nobody runs a document."""
    for file in DOCUMENTS:
        text = "" if file.name == "CHANGELOG.md" else file.read_text("utf-8")
        for line, named in enumerate(text.split("\n"), 1):
            wrong = [each for each in PATH.findall(named) if not (ROOT / each).exists()]
            for name in MODULE.findall(named):
                place = ROOT / name.replace(".", "/")
                wrong += [] if place.with_suffix(".py").exists() or place.is_dir() else [name]
            wrong += [each for each in MAKE.findall(named) if f"\n{each}:" not in MAKEFILE]
            yield from ((file, line, f"it does not exist: {each}") for each in wrong)


def the_map_names_only_what_exists() -> Found:
    """docs/architecture.md shows a newcomer where things are."""
    document, folders = ROOT / "docs" / "architecture.md", []
    before, _, after = document.read_text("utf-8").partition("## Folders and files\n\n```\n")
    for line, text in enumerate(after.partition("```")[0].splitlines(), before.count("\n") + 4):
        folders[(len(text) - len(text.lstrip())) // 2 :] = [text.split()[0]]
        if not ROOT.joinpath(*folders).exists():
            yield document, line, f"no file {''.join(folders)}"


def each_fault_has_one_place() -> Found:
    """tests/mutants.py plants a fault where its text is."""
    for fault in FAULTS:
        file = ROOT / fault.file
        times = file.read_text("utf-8").count(fault.right) if file.exists() else 0
        if times != 1:
            yield file, 1, f"the fault {fault.name!r} of tests/mutants.toml has {times} places"


if __name__ == "__main__":
    returns = [(each, getattr(each, "__annotations__", {})) for each in [*globals().values()]]
    rules = [each for each, types in returns if types.get("return") is Found]
    found = [(file.relative_to(ROOT), line, what) for rule in rules for file, line, what in rule()]
    print(*(f"{file}:{line}: {what}" for file, line, what in found), sep="\n")
    sys.exit(bool(found))
