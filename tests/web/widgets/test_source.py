"""Each page shows the source of the functions that computed its numbers."""

import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest
from streamlit.testing.v1 import AppTest

from model.calculator import MISTAKES
from pages.decoder.url import SIZE_KEYS
from pages.heads.url import PARTS as HEADS_PARTS
from pages.layers.url import KINDS as LAYER_KINDS
from pages.layers.url import PARTS as LAYERS_PARTS
from pages.positions.url import KINDS as POSITION_KINDS
from tests.pages.conftest import first_visit
from web.widgets.source import ROOT, SOURCES, read

FUNCTIONS = sorted({name for source in SOURCES.values() for name in source.functions})
PAPERS = sorted({source.paper for source in SOURCES.values() if source.paper}, key=str)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_source_is_read_with_its_file_and_line(function: str) -> None:
    function_object = resolve_name(function)
    file, line, text = read(function)
    assert text == inspect.getsource(function_object).rstrip()
    assert not Path(file).is_absolute()
    assert file == f"{function.partition(':')[0].replace('.', '/')}.py"
    assert (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1] == text.split("\n")[0]
    # The text includes decorators and is complete, so it compiles on its own.
    compile(text, file, "exec")


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_a_paper_has_a_name_a_section_and_a_link(paper) -> None:
    assert re.fullmatch(r"https://arxiv\.org/abs/\d{4}\.\d{5}", paper.link)
    assert re.fullmatch(r"\d(\.\d)*", paper.section)
    assert re.fullmatch(r"\w+( et al\.| & \w+) 20\d\d", paper.name)


def test_each_arxiv_number_belongs_to_one_paper() -> None:
    assert len({paper.arxiv for paper in PAPERS}) == len({paper.name for paper in PAPERS})


VIEWS: list[tuple[str, dict[str, str], str, tuple[str, ...]]] = [
    ("", {}, "head_left", ("head",)),
    ("", {}, "head_right", ("head",)),
    *(("layers", {"kind": kind}, "layer_right", (kind,)) for kind in LAYER_KINDS),
    ("layers", {"part": "profile"}, "profile", ("profile",)),
    ("layers", {"part": "similarity"}, "similarity", ("similarity",)),
    ("layers", {"part": "stream"}, "stream", ("stream",)),
    ("layers", {"part": "lens"}, "lens", ("lens",)),
    *(
        ("layers", {"part": "difference", "kind": kind}, "difference", (kind, "difference"))
        for kind in LAYER_KINDS
    ),
    *(
        ("heads", {"part": part, "query": "1", "key": "2"}, "panel", (part, "head"))
        for part in ("labels", "links", "corpus")
    ),
    ("heads", {"part": "change", "off": "0-1"}, "head_difference", ("change",)),
    (
        "heads",
        {"part": "tuned", "left": "scratch-minilm", "anyway": "1"},
        "head_difference",
        ("tuned",),
    ),
    ("decoder", {}, "translation", ("translation",)),
    ("decoder", {"part": "generate", "tokens": "1"}, "generation", ("generation", "head")),
    ("decoder", {"part": "masks"}, "masks", ("masks", "leak")),
    *(
        ("decoder", {"part": "efficient", "method": name}, "efficient", (name, "approximate"))
        for name in SIZE_KEYS
    ),
    *(("positions", {"kind": kind}, "positions", (kind,)) for kind in POSITION_KINDS),
    ("about", {}, "sizes", ("sizes",)),
    ("calculator", {}, "calculation", ("head", "qkv")),
    ("calculator", {"form": "x"}, "calculation", ("head", "x")),
    ("calculator", {"mode": "head"}, "calculation", ("head", "qkv")),
    ("calculator", {"mode": "whole"}, "calculation", ("head", "whole_layer")),
    ("calculator", {"mode": "spread"}, "spread", ("head", "spread")),
    ("calculator", {"mode": "norms"}, "norms", ("layer_norm", "batch_norm")),
    *(("calculator", {"mistake": name}, "calculation", ("head", name)) for name in MISTAKES),
]


def visit(path: str, address: dict[str, str]) -> AppTest:
    page = first_visit(path)
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


@pytest.mark.parametrize(
    ("path", "address", "key", "names"),
    VIEWS,
    ids=[f"{path or 'explore'}-{key}-{'+'.join(names)}" for path, _, key, names in VIEWS],
)
def test_a_view_prints_its_functions_on_request(
    path: str, address: dict[str, str], key: str, names: tuple[str, ...]
) -> None:
    page = visit(path, address)
    assert not page.exception
    expected = [read(f) for name in names for f in SOURCES[name].functions]
    assert not {text for _, _, text in expected} & {code.value for code in page.code}
    page.session_state[f"source_{key}"] = True
    page.run()
    assert not page.exception
    printed = [code.value for code in page.code]
    places = "\n".join(caption.value for caption in page.caption)
    links = "\n".join(markdown.value for markdown in page.markdown)
    for file, line, text in expected:
        assert text in printed
        assert f"`{file}`, from line {line}" in places
    for paper in filter(None, (SOURCES[name].paper for name in names)):
        assert f"[{paper.name}, section {paper.section}]({paper.link})" in links


def test_a_caption_names_models_of_the_transformers_library() -> None:
    page = first_visit("").run()
    for side, ours in (("left", True), ("right", False)):
        page.session_state[f"source_head_{side}"] = True
        page.run()
        named = any("in the transformers library" in caption.value for caption in page.caption)
        assert named is not ours
        page.session_state[f"source_head_{side}"] = False


def test_the_views_cover_every_part_and_every_source() -> None:
    assert set(SOURCES) == {name for *_, names in VIEWS for name in names}
    for path, parts in (("layers", LAYERS_PARTS[1:]), ("heads", HEADS_PARTS)):
        assert {view["part"] for page, view, *_ in VIEWS if page == path and "part" in view} == {
            *parts
        }
