"""Text from inputs and links is shown as text: never as markup, never as an error."""

import pytest
from playwright.sync_api import expect
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import BertModel

from model.capture.tokens import MAX_CHARACTERS
from tests.browser.explore_page import truth, two
from tests.model import checkpoints
from viz import distinct

pytestmark = pytest.mark.browser

NASTY = [
    "<script>window.hacked=1</script>",
    '<img src=x onerror="window.hacked=1">',
    ":red[x] **b** `c` $d$",
    "{} {0} %s %{z}",
    "&lt;b&gt; &amp;",
    "الحيوان متعب",
    "a 🙂 b",
    "bell\x07 \u202eturned \x7f end",
]
MARKUP_PIECE = "<img/src=x/onerror=window.hacked=1>"
MARKUP = "<img src=x onerror=window.hacked=1>"


def chip_labels(text: str, pair: str | None = None) -> list[str]:
    """The label of each chip: the token, and the typed text of an unknown token."""
    capture = truth("minilm", text, pair)
    typed = [
        (text, pair)[segment][slice(*span)] if span[1] else ""
        for segment, span in zip(capture.segment_ids, capture.offsets, strict=True)
    ]
    return [
        f"{token} {text}" if token == "[UNK]" else token
        for token, text in zip(capture.tokens, typed, strict=True)
    ]


def expect_no_injection(explore) -> None:
    explore.at_rest()
    assert explore.page.evaluate("window.hacked") is None
    assert explore.page.locator("img[src='x']").count() == 0


def test_typed_text_is_shown_unchanged(explore):
    explore.open()
    for text in NASTY:
        explore.type(text)
        expect(explore.pieces()).to_have_text(chip_labels(text))
        rows = distinct(chip_labels(text))
        expect(explore.rows("right")).to_have_text(rows[::-1])
        expect(explore.subtitle("right")).to_have_text([text])
        expect_no_injection(explore)


def test_text_from_a_link_is_shown_unchanged(explore):
    text = " ".join(NASTY)
    explore.open(text=text, pair=MARKUP)
    expect(explore.pieces()).to_have_text(chip_labels(text, MARKUP))
    expect(explore.sentence()).to_have_value(text)
    expect_no_injection(explore)


def test_a_token_of_markup_is_shown_as_text(explore, markup_folder):
    """BERT has no token that contains a whole tag. Another model may have one."""
    explore.open(text=f"{MARKUP_PIECE} end", left=markup_folder, layer="1", head="1", picked="1")
    expect(explore.pieces("left")).to_have_text(["[CLS]", MARKUP_PIECE, "end", "[SEP]"])
    expect(explore.rows("left")).to_have_text(["[SEP]", "end", f"{MARKUP_PIECE[:17]}…", "[CLS]"])
    expect(explore.page.get_by_text(f"{MARKUP_PIECE} attends to")).to_be_visible()
    explore.point_at("left", 1, 1, 4)
    expect(explore.chart("left").locator(".hovertext")).to_contain_text(MARKUP_PIECE[:17])
    explore.hover_head("left", 1, 1, size=(2, 3))
    expect(explore.announcement("left")).to_contain_text(" L1·H1: ")
    expect_no_injection(explore)


@pytest.fixture
def markup_folder(tmp_path) -> str:
    """A tiny model with a tag in its vocabulary."""
    tokenizer = checkpoints.word_piece()
    size = tokenizer.get_vocab_size()
    vocabulary = {**tokenizer.get_vocab(), MARKUP_PIECE: size, "end": size + 1}
    tokenizer.model = WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100)
    tokenizer.pre_tokenizer = WhitespaceSplit()
    module = checkpoints.seeded(BertModel, checkpoints.config_of("bert", len(vocabulary)))
    return str(checkpoints.write(tmp_path / "markup", module, tokenizer))


def test_a_model_name_of_markup_is_shown_as_text(explore):
    explore.open(left=MARKUP, right=":red[x]/<b>")
    for name in (MARKUP, ":red[x]/<b>"):
        expect(alert(explore, name)).to_be_visible()
    typed = "<i onfocus=window.hacked=1 autofocus tabindex=0>"
    explore.choose("left", typed)
    expect(alert(explore, typed)).to_be_visible()
    expect_no_injection(explore)


def alert(explore, text: str):
    return explore.page.get_by_test_id("stAlert").filter(has_text=text)


def test_a_url_with_unknown_values_gives_notices(explore):
    explore.open(layer="-1", scale=MARKUP, picked="a.b")
    expect(explore.page.get_by_text("is not known here")).to_have_count(3)
    explore.shows(3, 1)
    expect_no_injection(explore)


def test_a_very_long_pasted_text_is_cut_with_a_notice_and_survives_a_reload(explore):
    text = " ".join(f"слово{i}" for i in range(10_000))
    assert len(text) > 100_000 - 10_000
    explore.open()
    explore.type(text)
    expect(explore.page.get_by_text("512 of 512 tokens")).to_be_visible()
    left_out = truth("minilm", text[:MAX_CHARACTERS]).left_out[0].split()
    notice = explore.page.get_by_text(f"the last {len(left_out)} words")
    expect(notice).to_contain_text(" ".join(left_out[:5]))
    explore.page.wait_for_function("() => location.search.length > 5_000")
    assert len(explore.page.url) < 16_000  # servers reject a longer URL
    explore.page.reload()
    explore.drawn()
    expect(explore.page.get_by_text("512 of 512 tokens")).to_be_visible()


def test_512_tokens_fill_every_view(explore):
    text = "the dog saw a cat " * 102
    explore.open(text=text)
    expect(explore.page.get_by_text("512 of 512 tokens")).to_be_visible()
    explore.hover_head("right", 2, 6)
    lens = explore.lens("right")
    expect(lens.locator(".title")).to_have_text("minilm L2·H6")
    expect(lens.locator(".note")).to_have_text("Each cell is the largest weight of 4 × 4 tokens.")
    largest = two(truth("minilm", text).weights[2, 6].max())
    expect(explore.announcement("right")).to_contain_text(largest)
    explore.click_head("right", 2, 6)
    explore.shows(2, 6)
    explore.display("Lines")
    expect(explore.legend("right")).to_have_text(["L2·H6"])
    assert explore.lines("right").bounding_box()["height"] > 512 * 10
