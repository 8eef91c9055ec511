"""Texts and token ids, and predictions of masked words."""

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM

from model import CutTextWarning, HeadlightError, load_model
from tests.model import checkpoints


@pytest.fixture(scope="module")
def masked_lm(tmp_path_factory):
    return load_model(str(checkpoints.save_masked_lm(tmp_path_factory.mktemp("tiny"))))


@pytest.mark.parametrize("pair", [None, "it was [MASK]."])
def test_predictions_are_the_softmax_of_the_models_logits(masked_lm, pair):
    text = "the [MASK] was [MASK]"
    predictions = masked_lm.predict(text, pair, top_k=4)
    tokens = masked_lm.tokenize(text, pair)
    module = AutoModelForMaskedLM.from_pretrained(masked_lm.name).eval()
    with torch.inference_mode():
        logits = module(
            input_ids=torch.tensor([tokens.ids]), token_type_ids=torch.tensor([tokens.segment_ids])
        ).logits[0]
    masked = [i for i, piece in enumerate(tokens.pieces) if piece == "[MASK]"]
    assert len(predictions) == len(masked) == (3 if pair else 2)
    for prediction, position in zip(predictions, masked, strict=True):
        probabilities, ids = logits[position].softmax(-1).sort(descending=True)
        assert [p for _, p in prediction] == pytest.approx(probabilities[:4].tolist(), abs=1e-6)
        best = [masked_lm.tokenizer.id_to_token(i) for i in ids[:4].tolist()]
        assert [token for token, _ in prediction] == best


def test_all_candidates_are_named_as_readable_text_and_sum_to_one(tmp_path):
    model = load_model(str(checkpoints.save_masked_lm(tmp_path / "tiny", "roberta")))
    assert model.mask_token == "<mask>"
    (prediction,) = model.predict("the <mask>", top_k=10_000)
    assert len(prediction) == model.tokenizer.get_vocab_size()
    assert sum(p for _, p in prediction) == pytest.approx(1, abs=1e-5)
    candidates = {token for token, _ in prediction}
    assert {"the", "it", "<mask>"} <= candidates
    assert "Ġthe" not in candidates


def test_a_prediction_needs_a_mask_and_a_head(masked_lm, families):
    with pytest.raises(HeadlightError, match=r"Replace a word by \[MASK\]"):
        masked_lm.predict("the book")
    with pytest.raises(HeadlightError, match="it has no masked-language head"):
        families["bert"].predict("the [MASK].")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_numbers_that_are_not_finite_are_an_error_in_words(tmp_path, dtype):
    model = load_model(str(checkpoints.save("bert", tmp_path / "tiny")), dtype=dtype)
    with torch.no_grad():
        model.layers[0].attention.weight.fill_(float("nan"))
    with pytest.raises(HeadlightError, match=f"In layer 1 of .* overflow in {dtype}"):
        model.attend("it was")


def test_a_limit_of_tokens_is_stated_by_a_warning_and_bounded_by_the_memory(decoders, monkeypatch):
    model, text = decoders["llama"], "it was " * 40
    monkeypatch.setattr(type(model), "most_tokens", 12)
    with pytest.warns(CutTextWarning, match="read the first 12 tokens"):
        assert len(model.attend(text).tokens) == 12
    whole = model.attend(text[:45], max_tokens=model.max_len)
    assert whole.left_out == ("", "") and len(whole.tokens) > 12
    with pytest.raises(
        HeadlightError, match=f"max_tokens must be a whole number from 1 to {model.max_len}"
    ):
        model.attend(text, max_tokens=model.max_len + 1)
    monkeypatch.setattr("model.catalogue.input_limits.free_memory", lambda: 100)
    with pytest.raises(HeadlightError, match=r"\d tokens need 0\.0 GB .* Reduce max_tokens"):
        model.attend(text[:45], max_tokens=model.max_len)


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_token_ids_give_the_capture_of_their_text(name, request):
    model = request.getfixturevalue(name)
    expected = model.attend("the animal didn't cross.")
    found = model.attend(input_ids=torch.tensor([expected.token_ids]))
    np.testing.assert_array_equal(found.weights, expected.weights)
    for what in ("tokens", "word_ids", "segment_ids"):
        assert getattr(found, what) == getattr(expected, what)
    spans = [found.text[a:b] for a, b in found.offsets]
    assert spans == [expected.text[a:b].strip() for a, b in expected.offsets]
    rows = len(model.module.get_input_embeddings().weight)
    for ids, why in (
        ([], "one text"),
        ([[1], [2]], "one text"),
        (["it"], "whole numbers"),
        ([5, -1], "not -1"),
        ([rows], f"from 0 to {rows - 1}"),
        ([1] * 513, "from 1 to 512, not 513" if name == "minilm" else "number of token ids"),
    ):
        with pytest.raises(HeadlightError, match=why):
            model.attend(input_ids=ids)
    with pytest.raises(HeadlightError, match="Give one of them"):
        model.attend("it", input_ids=[1])
