"""Tokenisation, and the offsets of tokens in the text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from model import HeadlightError
from model.capture.tokens import MAX_TOKENS, MOST_WEIGHTS, most_tokens, tokenize, word_numbers
from model.capture.whitespace import show_line_breaks, show_whitespace
from tests.model import checkpoints
from tests.model.conftest import ANIMAL

TOKENIZERS = {
    "word piece": checkpoints.word_piece(),
    "RoBERTa": checkpoints.roberta_tokenizer(),
    "ModernBERT": checkpoints.modernbert_tokenizer(),
    "unigram": checkpoints.unigram(),
}
every_tokenizer = pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)


@every_tokenizer
def test_each_piece_covers_its_characters(tokenizer):
    text = "The animal, was  it the book?"
    tokens = tokenize(tokenizer, text)
    for piece, (start, end), word in zip(
        tokens.pieces, tokens.offsets, tokens.word_ids, strict=True
    ):
        covered = text[start:end].strip().lower()
        if word is None or not covered:  # a special token, or a lone space
            continue
        assert piece.lower().removeprefix("##").removeprefix("▁") == covered
    covered = "".join(text[start:end] for start, end in tokens.offsets)
    assert covered.replace(" ", "") == text.replace(" ", "")


@every_tokenizer
@given(st.text(st.sampled_from("abt he,?\u0301é漢👩\u200d\x00\n"), max_size=30))
def test_offsets_are_in_text_order(tokenizer, text):
    tokens = tokenize(tokenizer, f"a {text}", text)
    for sentence, sequence in ((f"a {text}", 0), (text, 1)):
        each = zip(tokens.offsets, tokens.word_ids, tokens.segment_ids, strict=True)
        spans = [span for span, word, segment in each if word is not None and segment == sequence]
        starts, ends = [start for start, _ in spans], [end for _, end in spans]
        assert starts == sorted(starts) and ends == sorted(ends)
        assert all(0 <= start <= end <= len(sentence) for start, end in spans)


def test_words_are_numbered_within_each_sentence():
    tokens = tokenize(TOKENIZERS["word piece"], "it was", "the book")
    assert tokens.pieces == ("[CLS]", "it", "was", "[SEP]", "the", "book", "[SEP]")
    assert tokens.word_ids == (None, 0, 1, None, 0, 1, None)
    assert tokens.segment_ids == (0, 0, 0, 0, 1, 1, 1)
    assert tokens.offsets == ((0, 0), (0, 2), (3, 6), (0, 0), (0, 3), (4, 8), (0, 0))
    # RoBERTa's template has no segments, and the pair has.
    tokens = tokenize(TOKENIZERS["RoBERTa"], "it", "the the")
    assert tokens.pieces == ("<s>", "it", "</s>", "</s>", "the", "the", "</s>")
    assert tokens.segment_ids == (0, 0, 0, 1, 1, 1, 1)
    tokens = tokenize(TOKENIZERS["RoBERTa"], "it the é")  # two bytes, two pieces
    assert tokens.pieces == ("<s>", "it", "the", "␣", "é", "é", "</s>")
    assert tokens.offsets[2] == (3, 6)


@pytest.mark.parametrize(
    ("text", "pieces", "splits", "words"),
    [
        ("the cat s.", "the| ca|t| s|.", [0, 0, 0, 0, 0], (0, 1, 1, 2, 2)),  # no split: by spaces
        ("the  cat", "the| | |cat", [0, 0, 0, 0], (0, 1, 1, 1)),  # spaces begin the next word
        ("it.", "it|.", [0, 1], (0, 1)),  # the tokenizer splits
        ("の猫 x", "の|猫| x", [0, 0, 0], (0, 1, 2)),  # a script without spaces
        ("a[M] b", "a|[M]| b", [0, None, 0], (0, None, 1)),
    ],
)
def test_a_word_ends_at_a_split_or_else_at_a_space(text, pieces, splits, words):
    assert pieces.replace("|", "") == text
    ends = np.cumsum([len(piece) for piece in pieces.split("|")]).tolist()
    assert word_numbers(text, list(zip([0, *ends], ends, strict=False)), splits) == words


def test_a_pair_without_a_separator_keeps_both_sentences():
    plain = Tokenizer(models.WordLevel({"[UNK]": 0, "it": 1, "was": 2}, unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokens = tokenize(plain, "it was", "was it was")
    assert tokens.pieces == ("it", "was", "was", "it", "was")
    assert tokens.ids == tuple(plain.encode("it was", "was it was").ids)
    assert tokens.segment_ids == (0, 0, 1, 1, 1)
    assert tokens.word_ids == (0, 1, 0, 1, 2)


def test_whitespace_is_shown_as_signs():
    pieces = tokenize(TOKENIZERS["ModernBERT"], "the\n it\t was\n\nit").pieces
    assert "".join(piece for piece in pieces[1:-1] if piece.strip("⏎⇥␣")) == "theitwasit"
    signs = [piece for piece in pieces if not piece.strip("⏎⇥␣")]
    assert sorted("".join(signs).replace("␣", "")) == sorted("⏎⇥⏎⏎")
    assert (show_whitespace(" a\n\tb"), show_line_breaks(" a\n"), show_line_breaks("  ")) == (
        "␣a⏎⇥b",
        " a⏎",
        "␣␣",
    )


def test_ids_and_pieces_match_the_tokenizer(minilm):
    for text, pair in [(ANIMAL, None), (ANIMAL, "It slept, unbelievably.")]:
        tokens = minilm.tokenize(text, pair)
        expected = minilm.tokenizer.encode(text, pair)
        assert tokens.pieces == tuple(expected.tokens)
        assert tokens.ids == tuple(expected.ids)
        assert tokens.segment_ids == tuple(expected.type_ids)
    words = minilm.tokenize("It didn't snow, unbelievably.").word_ids
    assert words[:7] == (None, 0, 1, 2, 3, 4, 5)
    assert set(words[7:-2]) == {6} and words[-2:] == (7, None)  # one word of several pieces


def test_a_typed_mask_is_the_mask_token(minilm):
    capture = minilm.attend("She put the book on the [MASK].")
    position = capture.tokens.index("[MASK]")
    assert capture.token_ids[position] == minilm.tokenizer.token_to_id("[MASK]")
    assert not capture.special[position]  # typed by the reader, not added by the model
    assert capture.special.tolist() == [word is None for word in capture.word_ids]
    blank = minilm.attend("word", " \n")  # a blank second sentence counts as none
    assert (blank.text_pair, blank.tokens) == (None, minilm.attend("word").tokens)


# Text beyond the length limit.

words = st.lists(st.sampled_from(["the", "animal", "tired", "it", "é,"]), min_size=1, max_size=25)
spaces = st.sampled_from([" ", "  ", "\n"])


@every_tokenizer
@given(words=words, space=spaces, max_len=st.integers(3, 40))
def test_a_long_sentence_keeps_its_first_tokens_and_returns_the_rest(
    tokenizer, words, space, max_len
):
    text = space.join(words)
    whole, cut = tokenize(tokenizer, text), tokenize(tokenizer, text, max_len=max_len)
    assert len(cut.ids) == min(len(whole.ids), max_len)
    n_kept = len(cut.ids) - 2
    assert cut.ids == (*whole.ids[: n_kept + 1], whole.ids[-1])
    assert cut.offsets[1:-1] == whole.offsets[1 : n_kept + 1]
    if len(whole.ids) <= max_len:
        assert cut.left_out == ("", "")
    else:
        first_left = whole.offsets[n_kept + 1][0]
        assert cut.left_out == (text[first_left:], "")


@every_tokenizer
@given(first=words, second=words, max_len=st.integers(6, 60))
def test_the_longer_sentence_of_a_long_pair_is_cut_first(tokenizer, first, second, max_len):
    texts = " ".join(first), " ".join(second)
    whole = [tokenize(tokenizer, text) for text in texts]
    cut = tokenize(tokenizer, *texts, max_len=max_len)
    lengths = [len(tokens.ids) - 2 for tokens in whole]
    n_special = tokenizer.num_special_tokens_to_add(True)
    room = max_len - n_special
    kept = [[], []]
    for token, word, segment in zip(cut.ids, cut.word_ids, cut.segment_ids, strict=True):
        if word is not None:  # special tokens have no word
            kept[segment].append(token)
    n_kept = [len(tokens) for tokens in kept]
    assert sum(n_kept) == min(sum(lengths), room)
    for sentence, n in enumerate(n_kept):
        assert tuple(kept[sentence]) == whole[sentence].ids[1 : n + 1]
        expected = ""
        if n < lengths[sentence]:
            expected = texts[sentence][whole[sentence].offsets[n + 1][0] :]
            assert n >= n_kept[1 - sentence] - 1  # only the longer one is cut, to an even share
        assert cut.left_out[sentence] == expected


ODD = "👩‍👩‍👧 שלום مرحبا \x00\x1b[31m\x7f \u200b\u202e [CLS] [SEP] <s> \ud83d lone"


@pytest.mark.parametrize("text", ["\u200b\u202e", ODD, "x" * 100_000], ids=["none", "odd", "long"])
def test_any_text_can_be_captured(minilm, families, text):
    for model in (minilm, families["roberta"], families["albert"]):
        capture = model.attend(text)
        np.testing.assert_allclose(capture.weights.sum(-1), 1, atol=1e-5)
        assert capture.weights.shape[-1] == len(capture.tokens) <= model.max_len


def test_no_text_and_too_little_room_are_errors_in_words(minilm):
    for text in ("", "\n\t ", "\u3000"):
        for look in (minilm.attend, minilm.hidden_states, minilm.tokenize):
            with pytest.raises(HeadlightError, match="Type a sentence"):
                look(text)
    with pytest.raises(HeadlightError, match="reads only 3 tokens"):
        tokenize(TOKENIZERS["word piece"], "it", "was", max_len=3)


def test_more_heads_allow_fewer_tokens():
    assert most_tokens(12 * 12) == most_tokens(6 * 12) == MAX_TOKENS
    assert most_tokens(30 * 9) == 373
    for n_heads in (145, 270, 384, 1024):
        room = most_tokens(n_heads)
        assert n_heads * room**2 <= MOST_WEIGHTS < n_heads * (room + 1) ** 2
