"""Every word on screen can be translated: it is marked in the source, and the catalogue has it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from inspect import getmembers, signature
from pathlib import Path

import pytest
import streamlit as st
from babel.messages.extract import extract_from_dir, extract_from_file
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.pofile import read_po

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
KEYWORDS = parse_keywords(re.search(r'--keywords="([^"]+)"', MAKEFILE)[1].split())
FOLDERS = re.search(r"--output-file=\$\(POT\) (.+)", MAKEFILE)[1].split()
SOURCES = [
    file for place in FOLDERS for file in (ROOT / place, *(ROOT / place).rglob("*.py"))
    if file.suffix == ".py"
]  # fmt: skip
SHOWING = [
    file for file in SOURCES if file.relative_to(ROOT).parts[0] in {"pages", "viz"}
    # What these print is for who writes lessons, and for who starts a server.
    if file.name not in {"check_lessons.py", "open_files.py"}
]  # fmt: skip


# -- the catalogue -------------------------------------------------------------------------------


def in_the_source() -> set[str | tuple[str, ...]]:
    """What Babel finds, asked as `make messages` asks it."""
    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    asked = {"keywords": KEYWORDS}
    found = set()
    for place in (ROOT / name for name in FOLDERS):
        if place.is_dir():
            found |= {said[2] for said in extract_from_dir(place, methods, options, **asked)}
        else:
            found |= {said[1] for said in extract_from_file("python", place, **asked)}
    return found


def test_the_catalogue_has_every_message_of_the_source_and_no_other():
    with (ROOT / "locale" / "headlight.pot").open(encoding="utf-8") as file:
        kept = {message.id for message in read_po(file) if message.id}
    said = in_the_source()
    assert len(said) > 500
    assert (said - kept, kept - said) == (set(), set()), "to mend it: make messages"


def test_every_kind_of_error_is_looked_for():
    kinds = {
        node.name
        for file in SOURCES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and {"SaidError", "HeadlightError"} & set(map(name_of, node.bases))
    }
    assert "NotInstalledError" in kinds
    assert kinds <= set(KEYWORDS), "name them in the Makefile"


# -- messages are constant -----------------------------------------------------------------------

NOT_SENTENCES = {
    ("inference/elsewhere.py", "HeadlightError"),
    ("pages/shared/language.py", "_"),  # where a HeadlightError's constant sentence arrives
    ("pages/shared/language.py", "ngettext"),  # the function itself
    ("model/training/wikipedia.py", "translate"),  # str.translate, of letters
    ("viz/style/labels.py", "translate"),
    ("model/capture/blanks.py", "translate"),
}


def name_of(function: ast.expr) -> str:
    return getattr(function, "id", None) or getattr(function, "attr", "")


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def unmarked(tree: ast.AST) -> list[tuple[str, str]]:
    """Calls that Babel cannot read: (function, source of the call)."""
    found = []
    for call in calls(tree):
        name = name_of(call.func)
        if name in KEYWORDS:
            places = [place - 1 for place in KEYWORDS[name] or (1,)]
            given = [call.args[place] for place in places if place < len(call.args)]
            if not all(is_text(argument) for argument in given) or len(given) < len(places):
                found.append((name, ast.unparse(call)))
    # Before Python 3.12 an f-string is one token: Babel finds no call within it.
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside = [call for call in calls(node) if name_of(call.func) in KEYWORDS]
            found += [("f-string", ast.unparse(call)) for call in inside]
    return found


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_every_message_is_a_constant_sentence():
    used = set()
    for file in SOURCES:
        where = file.relative_to(ROOT).as_posix()
        for name, said in unmarked(ast.parse(file.read_text(encoding="utf-8"))):
            assert (where, name) in NOT_SENTENCES, f"{where}: {said}"
            used.add((where, name))
    assert used == NOT_SENTENCES


@pytest.mark.parametrize(
    "source",
    [
        "_(f'{n} heads')",
        "_('{n} heads'.format(n=n))",
        "_('a' + b)",
        "_(WORDS)",
        "f'{_(\"a\")} b'",
        "HeadlightError(f'{n} is too large.')",
        "ngettext('{n} head', f'{n} heads', n)",
        "self.translate(f'{x}')",
    ],
)
def test_a_message_that_babel_cannot_read_is_noticed(source):
    assert unmarked(ast.parse(source))


@pytest.mark.parametrize(
    "source", ["_('a' 'b')", "_('{n}').format(n=n)", "ngettext('a', 'b', n)", "f'{x} b'"]
)
def test_a_constant_message_is_none_of_these(source):
    assert not unmarked(ast.parse(source))


# -- what is shown is marked ---------------------------------------------------------------------

SHOWN = {
    "body",
    "label",
    "help",
    "title",
    "subtitle",
    "page_title",
    "placeholder",
    "alt",
    "caption",
}
"""Parameters whose text a reader sees, Streamlit's and our own."""

MARKUP = {"html", "latex", "code"}  # functions whose body is no sentence
MARKS = {"_", "ngettext", "translate"}
WRAPPERS = {"join", "format", "plain", "shortened", "strip"}  # hand their texts on

WORD = r"[^\W\d_]{2,}"  # letters

SAME_EVERYWHERE = {"d_model", "d_head", "d_ff", "Headlight", "[CLS]", "[SEP]", "p · Esc"}
"""Symbols of the formulas, tokens, keys, and the name: no language translates them."""

EXAMPLES = (
    *("The animal didn't ", "The cat sat ", "It was warm ", "She put the book "),
    *("the blue flower", "the girls do ", "the old king", "there are some ", "3rd of May"),
    *("red blue ", "one two three ", "The house is small", "Once upon a time", "The capital of "),
    "What is the capital ",
    "When Mary and John ",
)
"""How the sentences that a page begins with begin: what is analysed is data."""

CITATION = re.compile(r"\w+ (et al\.|& \w+) \d{4}")
"""How a paper is named, in every language."""

CODE = "notebook.py"
"""What a file is called in which the lines for a notebook stand."""


@cache
def common() -> dict[str, list[str]]:
    """Streamlit's functions and those that pages share, by name: their parameters in order."""
    known = {}
    for name, function in getmembers(st, callable) + getmembers(st.column_config, callable):
        try:
            known[name] = list(signature(function).parameters)
        except (TypeError, ValueError):  # a class of the library without a signature
            continue
    for file in SHOWING:
        known |= own(ast.parse(file.read_text(encoding="utf-8")), "[a-z]")
    return known


def own(tree: ast.AST, begins: str = "") -> dict[str, list[str]]:
    """The same of the functions that a source defines."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {
        function.name: [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        for function in functions
        if re.match(begins, function.name)
    }


def texts(node: ast.expr | None, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    """The literal texts that an expression shows, wherever it leads; not those that are marked."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.Name(id=name):
            for value in names.get(name, ()):
                yield from texts(value, {other: v for other, v in names.items() if other != name})
        case ast.JoinedStr(values=parts) | ast.BoolOp(values=parts):
            for part in parts:
                yield from texts(part, names)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from texts(part, names)
        case ast.FormattedValue(value=part) | ast.Starred(value=part):
            yield from texts(part, names)
        case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part):
            yield from texts(part, names)
        case ast.BinOp(left=one, right=other) | ast.IfExp(body=one, orelse=other):
            yield from texts(one, names)
            yield from texts(other, names)
        case ast.Call(func=function, args=arguments) if name_of(function) in WRAPPERS:
            for part in (*arguments, getattr(function, "value", None)):
                yield from texts(part, names)


def assigned(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """What each plain name of a scope is set to."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def shown_unmarked(source: str) -> list[str]:
    """The words that a source shows without asking for their translation."""
    tree = ast.parse(source)
    known = common() | own(tree)
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = []
    for scope in (*scopes, ast.Module([node for node in tree.body if node not in scopes], [])):
        names = assigned(scope)
        for call in calls(scope):
            if name_of(call.func) in MARKUP or logs(call):
                continue
            given = [*zip(known.get(name_of(call.func), []), call.args, strict=False)]
            given += [(keyword.arg, keyword.value) for keyword in call.keywords]
            for parameter, value in given:
                if parameter in SHOWN:
                    found += [text for text in texts(value, names) if has_words(text)]
    return found + beside_marked(tree) + sentences(tree)


def beside_marked(tree: ast.AST) -> list[str]:
    """Words in a dictionary of words, of which half are marked: they are shown elsewhere."""
    found = []
    for node in ast.walk(tree):
        for group in (node.values, node.keys) if isinstance(node, ast.Dict) else ():
            parts = [part for part in group if part]
            marked = [any(name_of(call.func) in MARKS for call in calls(part)) for part in parts]
            if any(marked) and 2 * sum(marked) >= len(marked):
                found += [text for part in parts for text in texts(part, {}) if has_words(text)]
    return found


def sentences(tree: ast.AST) -> list[str]:
    """Three words in a row, wherever they stand, that are not marked.

    Documentation is not shown, nor what is raised without HeadlightError: that is for developers.
    Nor is a log, which whoever runs the server reads.
    """
    known = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        marked = isinstance(node, ast.Call) and name_of(node.func) in KEYWORDS
        if marked or logs(node) or isinstance(node, ast.Raise):
            known |= {id(inner) for inner in ast.walk(node)}
    written = [node for node in ast.walk(tree) if is_text(node) and id(node) not in known]
    in_a_row = re.compile(rf"({WORD}[,;:]? ){{2}}{WORD}")
    return [node.value for node in written if in_a_row.search(node.value)]


def logs(node: ast.AST) -> bool:
    """Whether something is written into the server's log."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log.")


def has_words(text: str) -> bool:
    """Whether there is something to translate: icons, tags, placeholders and letters are not."""
    without = re.sub(r":material/\w+:|<[^>]+>|&\w+;|{[^}]*}", " ", text)
    return bool(re.search(WORD, without))


def test_what_pages_and_figures_show_is_marked():
    same = set()
    for file in SHOWING:
        where = file.relative_to(ROOT).as_posix()
        if file.name != CODE:
            shown = shown_unmarked(file.read_text(encoding="utf-8"))
            found = {t for t in shown if not (t.startswith(EXAMPLES) or CITATION.fullmatch(t))}
            assert found <= SAME_EVERYWHERE, where
            same |= found
    assert same == SAME_EVERYWHERE


@pytest.mark.parametrize(
    "source",
    [
        "st.caption('Two heads')",
        "left.success(f'{n} heads')",
        "st.markdown('**{}** heads'.format(n))",
        "st.button(_('Go'), help='Starts it')",
        "st.info('\\n'.join(['One', two]))",
        "st.error(a if a else 'Nothing')",
        "def f():\n    label = 'Layer'\n    st.selectbox(label, layers)",
        "chart(figure, 'key', 'stem', 'A heatmap')",
        "st.Page('a.py', title='About')",
        "st.column_config.NumberColumn('Weight')",
        "def _own(a, label):\n    pass\n_own(1, 'Head')",
        "attention_heatmap(weights, tokens, title='Layer')",
        "components.order({'shuffle': _('Shuffle'), 'typed': 'As typed'})",
        "table = {_('name'): names, 'What': notes}",
        "why = 'Seen in every layer.'",
        "axis('standard deviation' + unit)",
    ],
)
def test_a_text_that_is_shown_unmarked_is_noticed(source):
    assert shown_unmarked(source)


@pytest.mark.parametrize(
    "source",
    [
        "st.caption(_('Two heads'))",
        "st.button(_('Go'), key='go', icon=':material/go:')",
        "st.markdown(f'**{plain(name)}**')",
        "st.markdown('  \\n'.join(said))",
        "st.caption(_('{n} heads').format(n=n) + ' · ' + words['none'])",
        "st.latex('softmax')",
        "name.title()",
        "def f():\n    'Say what a head does.'",
        "known = {'previous': _('previous token'), 'share': '{value:.2f}'}",
    ],
)
def test_a_marked_text_is_none_of_these(source):
    assert not shown_unmarked(source)
