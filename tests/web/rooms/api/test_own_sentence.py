"""The weight between two words of a student's own sentence, and measures of a head on it."""

import math

import numpy as np
import pytest

from model import HeadlightError
from model.analysis.measures import profile
from web.cache.loaded_models import loaded_model
from web.rooms.api.own_sentence import measure_sentence

TEXT = "An embeddings dog isn't unhappy because it slept."
HEAD = {"model": "minilm", "layer": 5, "head": 11, "special": "show"}


def sentence(query: str, key: str, text: str = TEXT) -> dict:
    spans = ([text.index(word), text.index(word) + len(word)] for word in (query, key))
    return {"text": text, **dict(zip(("query", "key"), spans, strict=True))}


def pieces(word: str) -> list[int]:
    """Positions of the tokens of a word in minilm's capture."""
    start = TEXT.index(word)
    offsets = loaded_model("minilm").attend(TEXT).offsets
    return [
        i for i, (first, end) in enumerate(offsets) if start < end and first < start + len(word)
    ]


@pytest.mark.parametrize(("layer", "head"), [(5, 11), (0, 3), (2, None)])
def test_the_weight_is_summed_over_pieces_of_the_key_and_averaged_over_the_querys(layer, head):
    assert (len(pieces("embeddings")), len(pieces("isn't"))) == (4, 3)
    of_layer = loaded_model("minilm").attend(TEXT).weights[layer]  # (H, T, T)
    weights = of_layer.mean(axis=0) if head is None else of_layer[head]
    expected = weights[np.ix_(pieces("isn't"), pieces("embeddings"))].sum(axis=1).mean()
    of_mean = {"model": "minilm", "layer": layer, "special": "show"}
    items = of_mean if head is None else {**of_mean, "head": head}
    asked = sentence("isn't", "embeddings")
    found = measure_sentence(items, asked)
    assert found == {**asked, "weight": round(float(expected), 4), "linked": found["linked"]}


def test_words_are_linked_if_no_other_word_gets_more_attention():
    """Of all words that can be the key, exactly one is linked; special tokens do not count."""
    words = ["An", "embeddings", "dog", "isn't", "unhappy", "because", "slept"]
    found = [measure_sentence(HEAD, sentence(" it", word, TEXT)) for word in words]
    assert [each["linked"] for each in found] == [each["key"] == [14, 17] for each in found]
    weights = loaded_model("minilm").attend(TEXT).weights[5, 11]  # (T, T)
    it = loaded_model("minilm").attend(TEXT).tokens.index("it")
    assert weights[it, 0] + weights[it, -1] > 0.01  # [CLS] and [SEP] get attention, too


def test_renormalised_weights_sum_to_1_without_the_special_tokens():
    text = "Dogs sleep"
    there, itself = (
        measure_sentence({**HEAD, "special": special}, sentence("Dogs", "sleep", text))["weight"]
        for special in ("renormalise", "show")
    )
    capture = loaded_model("minilm").attend(text)
    row = capture.weights[5, 11, 1]
    assert there == pytest.approx(row[2] / row[1:3].sum(), abs=1e-4)
    assert itself == pytest.approx(row[2], abs=1e-4) and there > itself


def test_a_word_of_another_plane_has_the_position_that_python_counts():
    """Browsers count 🐦 as two, Python as one; the class sends code points."""
    text = "🐦 birds sing"
    found = measure_sentence(HEAD, sentence("birds", "sing", text))
    weights = loaded_model("minilm").attend(text)
    row = [weights.tokens.index(word) for word in ("birds", "sing")]
    assert found["weight"] == pytest.approx(weights.weights[5, 11, row[0], row[1]], abs=1e-4)


def test_a_word_that_the_model_does_not_see_is_refused():
    text = "a \u200b b"  # the tokenizer removes the character in the middle
    with pytest.raises(HeadlightError, match="no token for a word"):
        measure_sentence(HEAD, sentence("a", "\u200b", text))


@pytest.mark.parametrize("head", [3, None])
def test_a_measure_is_that_of_the_profile_view(head):
    capture = loaded_model("minilm").attend(TEXT)
    of_head = {"model": "minilm", "layer": 2} | ({} if head is None else {"head": head})
    for measure, values in profile(capture).items():  # (L, H)
        if measure == "same":
            continue  # no token of the sentence occurs twice
        expected = values[2].mean() if head is None else values[2, head]
        found = measure_sentence({**of_head, "measure": measure}, {"text": TEXT})
        assert found == {"text": TEXT, "value": round(float(expected), 4)}


def test_the_entropy_of_a_sentence_is_the_mean_of_its_rows_in_nats():
    weights = loaded_model("minilm").attend("Dogs sleep").weights[5, 11]  # (4, 4)
    by_hand = -sum(p * math.log(p) for row in weights.tolist() for p in row) / 4
    asked = {"model": "minilm", "layer": 5, "head": 11, "measure": "entropy"}
    assert measure_sentence(asked, {"text": "Dogs sleep"})["value"] == pytest.approx(
        by_hand, abs=1e-4
    )


def test_a_measure_that_does_not_apply_to_a_sentence_is_refused():
    asked = {"model": "minilm", "layer": 0, "head": 0, "measure": "same"}
    assert measure_sentence(asked, {"text": "dogs see dogs"})["value"] > 0
    with pytest.raises(HeadlightError, match="no value for your sentence"):
        measure_sentence(asked, {"text": "dogs see cats"})
