import io
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader

from tests.viz.figures.samples import FIGURES
from viz import attention_figure, attention_heatmap, lines_figure, overview_figure, provenance
from viz.figures.heatmap import difference_heatmap
from viz.paper import sheet
from viz.paper.figures import Style, is_heatmap, paper_heatmap
from viz.paper.sheet import FORMATS, PaperFigure, missing_characters
from viz.style.theme import HEAD_COLOURS, SIDE_RGB, SIGN_RGB

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ("[CLS]", "the", "cat", "costs", "$5")
LAYERS, HEADS = 2, 3
ORIGIN = {"headlight": "1.2.3", "weights_sha256": "abc", "citation": "Headlight (1.2.3)."}


def capture_of(tokens=TOKENS, *, causal=False) -> SimpleNamespace:
    """A capture, as far as the figures read it."""
    count = len(tokens)
    weights = np.random.default_rng(0).random((LAYERS, HEADS, count, count), dtype=np.float32) ** 4
    mask = np.tri(count, dtype=bool) if causal else None
    weights *= 1 if mask is None else mask
    weights /= weights.sum(-1, keepdims=True)
    found = SimpleNamespace(
        **{"model": "tiny", "stack": "decoder" if causal else "encoder", "origin": ORIGIN},
        **{"text": "The cat costs $5.", "text_pair": None, "tokens": tokens, "key_tokens": tokens},
        **{"other_keys": None, "weights": weights, "allowed": (None, mask)},
    )
    found.with_sink_key = lambda: found  # it has no sink
    return found


CAPTURE = capture_of()
EACH = {
    "heatmap": attention_figure(CAPTURE, 1, 2),
    "heads": overview_figure(CAPTURE),
    "lines": lines_figure(CAPTURE, [(1, 2), (0, 1)]),
}


def drawing(figure: PaperFigure) -> ElementTree.Element:
    return ElementTree.fromstring(figure.to_bytes("svg"))


def shapes(svg: ElementTree.Element, start: str) -> dict[str, tuple[str, dict[str, str]]]:
    """The title and the style of each shape whose id starts in a way."""
    return {
        path.get("id"): (
            path.findtext(f"{SVG}title"),
            dict(part.split(": ") for part in path.get("style").split("; ")),
        )
        for path in svg.iter(f"{SVG}path")
        if (path.get("id") or "").startswith(start)
    }


def on_white(hue: tuple[int, int, int], strength: float) -> np.ndarray:
    return 255 - strength * (255 - np.array(hue))


def assert_colour(written: str, expected: np.ndarray) -> None:
    found = np.frombuffer(bytes.fromhex(written.removeprefix("#")), np.uint8)
    np.testing.assert_allclose(found, expected, atol=1)


def test_each_cell_of_an_svg_has_the_colour_and_the_digits_of_its_weight():
    cells = shapes(drawing(attention_figure(CAPTURE, 1, 2, Style("left"))), "cell-")
    assert len(cells) == len(TOKENS) ** 2
    for (query, key), weight in np.ndenumerate(CAPTURE.weights[1, 2]):
        title, style = cells[f"cell-{query}-{key}"]
        assert title == f"{TOKENS[query]} → {TOKENS[key]}: {weight!s}"
        assert_colour(style["fill"], on_white(SIDE_RGB["left"], weight))
    cells = shapes(drawing(attention_figure(CAPTURE, 1, 2, Style("left", True))), "cell-")
    fills = [cells[f"cell-0-{key}"][1]["fill"] for key in np.argsort(CAPTURE.weights[1, 2, 0])]
    assert fills == sorted(fills, key=lambda fill: -int(fill[5:7], 16))  # a larger weight is darker


def test_heatmaps_of_all_pages_keep_their_numbers_and_names_and_curves_are_refused():
    screen = attention_heatmap(CAPTURE.weights[0, 1], TOKENS, title="a <b>", subtitle="one & two")
    figure = paper_heatmap(screen, {})
    assert (figure.title, figure.caption) == ("a <b>", "one & two")
    drawn = {name: make() for name, make in FIGURES.items() if is_heatmap(make())}
    assert {"encoding", "matrix"} <= drawn.keys() < FIGURES.keys()
    for each in (screen, *drawn.values()):
        cells = shapes(drawing(paper_heatmap(each, {})), "cell-")
        numbers = np.array([title.split()[-1] for title, _ in cells.values()], np.float32)
        np.testing.assert_array_equal(numbers, np.ravel(each.data[0].z).astype(np.float32))


def test_masked_cells_have_no_number_and_a_line():
    svg = drawing(attention_figure(capture_of(causal=True), 1, 0))
    cells = shapes(svg, "cell-")
    hidden = [place for place, (title, _) in cells.items() if title.endswith(": masked")]
    assert hidden == [f"cell-{i}-{j}" for i in range(5) for j in range(i + 1, 5)]
    (group,) = [g for g in svg.iter(f"{SVG}g") if g.get("id") == "masked"]
    assert len(list(group.iter(f"{SVG}path"))) == len(hidden)


def test_the_sign_of_a_difference_decides_the_hue():
    difference = np.array([[-0.5, 0.25], [0, 0.5]], np.float32)
    figure = paper_heatmap(difference_heatmap(difference, "ab", "cd", ends=("x", "y")), {})
    cells = shapes(drawing(figure), "cell-")
    expected = {"0-0": ("negative", 0.7), "0-1": ("positive", 0.35), "1-1": ("positive", 0.7)}
    for place, (sign, strength) in expected.items():
        assert_colour(cells[f"cell-{place}"][1]["fill"], on_white(SIGN_RGB[sign], strength))


def test_the_overview_has_every_cell_that_is_not_white():
    cells = shapes(drawing(EACH["heads"]), "head-")
    for (layer, head, query, key), weight in np.ndenumerate(CAPTURE.weights):
        found = cells.get(f"head-{layer}-{head}-cell-{query}-{key}")
        if found is None:
            assert weight < 0.005
        else:
            assert np.float32(found[0]) == weight
            assert_colour(found[1]["fill"], on_white(SIDE_RGB["right"], weight))


def test_each_weight_from_a_hundredth_on_is_a_line_in_the_colour_of_its_head():
    weights = np.stack([CAPTURE.weights[1, 2], CAPTURE.weights[0, 1]])
    lines = shapes(drawing(EACH["lines"]), "line-")
    assert len(lines) == (weights >= 0.01).sum() < weights.size
    for name, (title, style) in lines.items():
        head, query, key = map(int, name.split("-")[1:])
        weight = weights[head, query, key]
        assert title == f"{TOKENS[query]} → {TOKENS[key]}: {weight!s}"
        hue = tuple(bytes.fromhex(HEAD_COLOURS[head][1:]))
        assert_colour(style["stroke"], on_white(hue, weight))


@pytest.mark.parametrize("kind", EACH)
def test_a_file_has_its_width_embedded_text_no_bitmap_and_its_origin(kind, tmp_path):
    wanted = {"model": "tiny", "text": "The cat costs $5.", "figure": kind, "width_mm": 85} | ORIGIN
    for form in FORMATS:
        EACH[kind].save(tmp_path / f"figure.{form}", width_mm=85)
        found = provenance(tmp_path / f"figure.{form}")
        assert found.items() >= wanted.items()
        assert kind == "heads" or (found["layer"], found["head"]) == (1, 2)
    image = Image.open(io.BytesIO(EACH[kind].to_bytes("png", width_mm=85, dpi=600)))
    assert image.width == pytest.approx(85 / 25.4 * 600, abs=1)
    assert image.info["dpi"] == pytest.approx((600, 600), abs=0.1)
    (page,) = PdfReader(tmp_path / "figure.pdf").pages
    text = page.extract_text()
    assert float(page.mediabox.width) / 72 * 25.4 == pytest.approx(85)
    assert "The cat costs $5." in text and "tiny" in text
    assert kind == "heads" or all(text.count(token) >= 2 for token in TOKENS)
    assert not page["/Resources"]["/XObject"].get_object()
    for font in page["/Resources"]["/Font"].values():
        (descendant,) = font.get_object()["/DescendantFonts"]
        assert "/FontFile2" in descendant.get_object()["/FontDescriptor"]  # TrueType
    svg = ElementTree.parse(tmp_path / "figure.svg").getroot()
    assert svg.get("width") == "85.000mm"
    assert not [*svg.iter(f"{SVG}image"), *svg.iter(f"{SVG}text")]
    assert svg.findtext(f"{SVG}title") == EACH[kind].title


@pytest.mark.filterwarnings("ignore:Glyph")
def test_tokens_that_no_font_can_draw_leave_a_file_that_can_be_read():
    tokens = ("<b>&", "\ud83d", "\x07", "$x$", "a\\b")
    cells = shapes(drawing(attention_figure(capture_of(tokens), 0, 0)), "cell-")
    assert cells["cell-0-3"][0].startswith("<b>& → $x$: ")
    assert cells["cell-0-1"][0].startswith("<b>& → \ufffd: ")


@pytest.mark.slow
def test_figures_drawn_at_the_same_time_do_not_disturb_each_other():
    before = dict(matplotlib.rcParams)
    places = [(kind, form) for kind in EACH for form in FORMATS]
    alone = {place: EACH[place[0]].to_bytes(place[1]) for place in places}
    with ThreadPoolExecutor(6) as pool:
        together = {place: pool.submit(EACH[place[0]].to_bytes, place[1]) for place in places}
    assert {place: job.result() for place, job in together.items()} == alone
    assert dict(matplotlib.rcParams) == before  # a notebook's own settings


def test_other_files_endings_and_heads_are_refused(tmp_path):
    (tmp_path / "a.svg").write_bytes(b"<svg/>")
    (tmp_path / "a.pdf").write_bytes(b"")
    for file in tmp_path.iterdir():
        with pytest.raises(ValueError, match="not a figure of Headlight"):
            provenance(file)
    with pytest.raises(ValueError, match="pdf, svg, png"):
        EACH["lines"].save(tmp_path / "figure.jpg")
    for layer, head in ((2, 0), (0, 3), (-1, 0)):
        with pytest.raises(IndexError, match=rf"no L{layer}·H{head}"):
            attention_figure(CAPTURE, layer, head)


def test_chinese_is_text_in_a_pdf_or_named_as_missing(tmp_path, monkeypatch):
    tokens = ("[CLS]", "我", "爱", "学习", "。")
    if not missing_characters("".join(tokens)):  # with Debian's fonts-noto-cjk, for example
        attention_figure(capture_of(tokens), 1, 2).save(tmp_path / "figure.pdf")
        (page,) = PdfReader(tmp_path / "figure.pdf").pages
        assert all(page.extract_text().count(token) >= 2 for token in tokens)
    monkeypatch.setattr(sheet, "_families", lambda: ["DejaVu Sans"])
    assert missing_characters("a → “学习” a") == "学习"
