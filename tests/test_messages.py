"""Every text on screen is translatable: the source marks it, and the catalogue contains it."""

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

from viz.paper.sheet import FONTS

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
KEYWORDS = parse_keywords(re.search(r'--keywords="([^"]+)"', MAKEFILE)[1].split())
FOLDERS = re.search(r"--output-file=\$\(POT\) (.+)", MAKEFILE)[1].split()
SOURCES = [
    file for place in FOLDERS for file in (ROOT / place, *(ROOT / place).rglob("*.py"))
    if file.suffix == ".py"
]  # fmt: skip
UI_SOURCES = [
    file for file in SOURCES if file.relative_to(ROOT).parts[0] in {"pages", "web", "viz"}
    # The output of these files is for authors of lessons and for operators, not for visitors.
    if file.name not in {"check_lessons.py", "process_limits.py"}
    and not file.is_relative_to(ROOT / "web" / "rooms" / "store")
    and (file.parent != ROOT / "web" / "inference" or file.name == "compute_queue_ui.py")
]  # fmt: skip


# -- the catalogue -------------------------------------------------------------------------------


def extract_messages() -> set[str | tuple[str, ...]]:
    """The messages that Babel extracts, with the options of `make messages`."""
    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    arguments = {"keywords": KEYWORDS}
    found = set()
    for place in (ROOT / name for name in FOLDERS):
        if place.is_dir():
            found |= {part[2] for part in extract_from_dir(place, methods, options, **arguments)}
        else:
            found |= {part[1] for part in extract_from_file("python", place, **arguments)}
    return found


def test_the_catalogue_contains_exactly_the_messages_of_the_source():
    with (ROOT / "locale" / "headlight.pot").open(encoding="utf-8") as file:
        catalogue = {message.id for message in read_po(file) if message.id}
    messages = extract_messages()
    assert len(messages) > 500
    assert (messages - catalogue, catalogue - messages) == (set(), set()), "run: make messages"


def test_babel_extracts_the_messages_of_every_error_class():
    kinds = {
        node.name
        for file in SOURCES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and {"TranslatableError", "HeadlightError"} & set(map(name_of, node.bases))
    }
    assert "NotInstalledError" in kinds
    assert kinds <= set(KEYWORDS), "name them in the Makefile"


# -- messages are constant -----------------------------------------------------------------------

NOT_SENTENCES = {
    ("web/language.py", "_"),  # translates the constant sentence of a HeadlightError
    ("web/language.py", "ngettext"),  # the function itself
    ("viz/style/labels.py", "translate"),
    ("model/capture/whitespace.py", "translate"),
}


def name_of(function: ast.expr) -> str:
    return getattr(function, "id", None) or getattr(function, "attr", "")


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def unreadable_calls(tree: ast.AST) -> list[tuple[str, str]]:
    """Calls that Babel cannot read: (function, source of the call)."""
    found = []
    for call in calls(tree):
        name = name_of(call.func)
        if name in KEYWORDS:
            places = [place - 1 for place in KEYWORDS[name] or (1,)]
            args = [call.args[place] for place in places if place < len(call.args)]
            if not all(map(is_string_literal, args)) or len(args) < len(places):
                found.append((name, ast.unparse(call)))
    # Before Python 3.12 an f-string is one token, so Babel finds no call inside it.
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside = [call for call in calls(node) if name_of(call.func) in KEYWORDS]
            found += [("f-string", ast.unparse(call)) for call in inside]
    return found


def is_string_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_every_message_is_a_constant_sentence():
    used = set()
    for file in SOURCES:
        where = file.relative_to(ROOT).as_posix()
        for name, call in unreadable_calls(ast.parse(file.read_text(encoding="utf-8"))):
            assert (where, name) in NOT_SENTENCES, f"{where}: {call}"
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
def test_a_message_that_babel_cannot_read_is_found(source):
    assert unreadable_calls(ast.parse(source))


@pytest.mark.parametrize(
    "source", ["_('a' 'b')", "_('{n}').format(n=n)", "ngettext('a', 'b', n)", "f'{x} b'"]
)
def test_a_constant_message_is_readable(source):
    assert not unreadable_calls(ast.parse(source))


# -- texts on screen are marked ------------------------------------------------------------------

TEXT_PARAMETERS = {
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
"""Parameters whose text is on screen, in functions of Streamlit and of this project."""

MARKUP = {"html", "latex", "code"}  # functions whose body is not a sentence
MARKS = {"_", "ngettext", "translate"}
WRAPPERS = {"join", "format", "plain", "shortened", "strip"}  # return their texts

WORD = r"[^\W\d_]{2,}"  # letters

UNTRANSLATED = {"d_model", "d_ff", "Headlight", "p · Esc"}
"""Symbols of formulas, tokens, keys and the name, which are equal in every language."""

EXAMPLES = (
    *("The animal didn't ", "The cat sat ", "It was warm ", "She put the book "),
    *("the blue flower", "the girls do ", "the old king", "there are some ", "3rd of May"),
    *(
        "red blue ",
        "one two three ",
        "The house is small",
        "Everyone had a fantastic ",
        "Once upon a time",
        "The capital of ",
    ),
    "What is the capital ",
    "When Mary and John ",
)
"""Beginnings of the default sentences of pages. These sentences are data and are not translated."""

CITATION = re.compile(r"\w+ (et al\.|& \w+) \d{4}(, [\d.]+)?")
"""The citation of a paper and its section, which is equal in every language."""

CODE = re.compile(r"import |[\w.]+[(\[]|\w+ = ")
"""Beginning of a line of the code that a menu prints."""


@cache
def shared_functions() -> dict[str, list[str]]:
    """The ordered parameters of Streamlit's and the project's functions, by function name."""
    known = {}
    for name, function in getmembers(st, callable) + getmembers(st.column_config, callable):
        try:
            known[name] = list(signature(function).parameters)
        except (TypeError, ValueError):  # a class without a signature
            continue
    for file in UI_SOURCES:
        known |= parameters_by_function(ast.parse(file.read_text(encoding="utf-8")), "[a-z]")
    return known


def parameters_by_function(tree: ast.AST, pattern: str = "") -> dict[str, list[str]]:
    """The ordered parameters of the functions that a source defines, by function name."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {
        function.name: [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        for function in functions
        if re.match(pattern, function.name)
    }


def literals(node: ast.expr | None, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    """The string literals that an expression may evaluate to, without marked messages."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.Name(id=name):
            for value in names.get(name, ()):
                yield from literals(
                    value, {other: v for other, v in names.items() if other != name}
                )
        case ast.JoinedStr(values=parts) | ast.BoolOp(values=parts):
            for part in parts:
                yield from literals(part, names)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from literals(part, names)
        case ast.FormattedValue(value=part) | ast.Starred(value=part):
            yield from literals(part, names)
        case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part):
            yield from literals(part, names)
        case ast.BinOp(left=one, right=other) | ast.IfExp(body=one, orelse=other):
            yield from literals(one, names)
            yield from literals(other, names)
        case ast.Call(func=function, args=arguments) if name_of(function) in WRAPPERS:
            for part in (*arguments, getattr(function, "value", None)):
                yield from literals(part, names)


def assignments(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """The expressions that a scope assigns to each variable."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def unmarked_texts(source: str) -> list[str]:
    """The texts that a source shows without a translation."""
    tree = ast.parse(source)
    known = shared_functions() | parameters_by_function(tree)
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = []
    for scope in (*scopes, ast.Module([node for node in tree.body if node not in scopes], [])):
        names = assignments(scope)
        for call in calls(scope):
            if name_of(call.func) in MARKUP or is_log_call(call):
                continue
            args = [*zip(known.get(name_of(call.func), []), call.args, strict=False)]
            args += [(keyword.arg, keyword.value) for keyword in call.keywords]
            for parameter, value in args:
                if parameter in TEXT_PARAMETERS:
                    found += [text for text in literals(value, names) if has_words(text)]
    return found + unmarked_in_dictionaries(tree) + unmarked_sentences(tree)


def unmarked_in_dictionaries(tree: ast.AST) -> list[str]:
    """Unmarked texts in a dictionary whose other texts are marked (at least half of them)."""
    found = []
    for node in ast.walk(tree):
        for group in (node.values, node.keys) if isinstance(node, ast.Dict) else ():
            parts = [part for part in group if part]
            marked = [any(name_of(call.func) in MARKS for call in calls(part)) for part in parts]
            if any(marked) and 2 * sum(marked) >= len(marked):
                found += [text for part in parts for text in literals(part, {}) if has_words(text)]
    return found


def unmarked_sentences(tree: ast.AST) -> list[str]:
    """Unmarked string literals with at least three consecutive words.

    Docstrings and errors other than HeadlightError do not count, because they are for developers.
    Log messages do not count, because they are for operators.
    """
    known = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        marked = isinstance(node, ast.Call) and name_of(node.func) in KEYWORDS
        if marked or is_log_call(node) or isinstance(node, ast.Raise):
            known |= {id(inner) for inner in ast.walk(node)}
    written = [node for node in ast.walk(tree) if is_string_literal(node) and id(node) not in known]
    consecutive = re.compile(rf"({WORD}[,;:]? ){{2}}{WORD}")
    return [node.value for node in written if consecutive.search(node.value)]


def is_log_call(node: ast.AST) -> bool:
    """Whether a node is a call that writes to the server's log."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log.")


def has_words(text: str) -> bool:
    """Whether a text contains words, not only icons, tags, placeholders and single letters."""
    without = re.sub(r":material/\w+:|<[^>]+>|&\w+;|{[^}]*}", " ", text)
    return bool(re.search(WORD, without))


def test_every_text_of_pages_and_figures_is_marked():
    same = set()
    for file in UI_SOURCES:
        where = file.relative_to(ROOT).as_posix()
        shown = unmarked_texts(file.read_text(encoding="utf-8"))
        found = {t for t in shown if not (t.startswith(EXAMPLES) or CITATION.fullmatch(t))}
        found = {text for text in found if not CODE.match(text)}
        found -= {*FONTS}  # their names are equal in every language
        assert found <= UNTRANSLATED, where
        same |= found
    assert same == UNTRANSLATED


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
def test_an_unmarked_text_is_found(source):
    assert unmarked_texts(source)


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
def test_a_marked_text_is_not_reported(source):
    assert not unmarked_texts(source)
