"""Captures and generated text of encoder-decoders match transformers' own results."""

import json
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from transformers import AutoTokenizer

from model import HeadlightError
from model.catalogue.models import load_reader, load_translator
from tests.model import parity
from tests.model.checkpoints import configure, refused
from tests.model.encoder_decoder_checkpoints import CODE, PREFIX, marian_vocabulary
from tests.model.parity import N_WRITTEN, SENTENCE, stacks

MECHANISMS = {
    "t5": "a bias by distance, no scale",
    "bart": "cross-attention of our attention function",
    "marian": "suppressed tokens, two ends, tokenizers of its own",
    "t5gemma": "hooks: soft-capped scores, a configuration for each side",
}


@pytest.mark.parametrize("family", MECHANISMS)
def test_text_weights_of_all_stacks_and_next_token_probabilities_equal_transformers(opened, family):
    parity.check_translation(opened(family))
    parity.check_probabilities(opened(family))


@pytest.mark.parametrize("family", ["t5", "bart", "marian"])
def test_a_given_target_has_the_captures_of_the_same_generated_target(opened, family):
    model = opened(family).model
    ids = model.target_reader.encode("it was").ids
    done = model.generate(SENTENCE, forced=dict(enumerate(map(model.token_name, ids))))
    given = model.attend(SENTENCE, "it was")
    assert given.cross.tokens == done.cross.tokens
    for stack, capture in stacks(given).items():
        assert_allclose(capture.weights, stacks(done)[stack].weights, rtol=0, atol=1e-6)
    for target, why in (("", "There is no text"), ("it " * 600, "too long")):
        with pytest.raises(HeadlightError, match=why):
            model.attend(SENTENCE, target)


def test_t5_does_not_scale_and_adds_a_bias_by_distance(opened):
    model = opened("t5").model
    done = model.generate(SENTENCE, max_new_tokens=N_WRITTEN)
    for capture in stacks(done).values():
        assert capture.scale == (1.0,) * capture.n_layers
    assert done.cross.bias is None
    for capture in (done.encoder, done.decoder):
        first, last = capture.bias[0], capture.bias[-1]
        assert np.shares_memory(first, last)  # shared, and counted once
        for distance in range(-3, 1):
            along = np.diagonal(first, distance, axis1=1, axis2=2)
            assert_allclose(along, along[:, :1].repeat(along.shape[1], 1))
        assert first.std() > 0.1
    attention = model.module.encoder.block[0].layer[0].SelfAttention
    table = attention.relative_attention_bias.weight.detach()
    assert_allclose(done.encoder.bias[0][:, 0, 0], table[0])
    bart = opened("bart").model.generate(SENTENCE, max_new_tokens=3)
    assert all(each.scale is None and each.bias is None for each in stacks(bart).values())


def test_generation_settings_are_followed_or_listed(opened):
    bart, marian, t5 = (opened(family).model for family in ("bart", "marian", "t5"))
    done = bart.generate(SENTENCE, max_new_tokens=4)
    assert (done.decoder.tokens[0], done.tokens[0], done.steps[0].forced) == ("</s>", "<s>", True)
    assert bart.generate(SENTENCE, max_new_tokens=2, forced={0: "the"}).tokens[0] == "the"
    requested = {"num_beams": 5, "forced_eos_token_id": 2, "bad_words_ids": [[5, 6]]}
    assert bart.ignored_settings == requested and not t5.ignored_settings
    assert marian.ends == {0, 12} and bart.ends == {2}
    assert "<pad>" not in marian.generate(SENTENCE, max_new_tokens=N_WRITTEN).tokens
    assert t5.task_prefixes == (PREFIX,)
    assert marian.task_prefixes == (f"{CODE} ",)


# Tokenisation and decoding.


@pytest.mark.parametrize("family", ["t5", "bart"])
def test_words_have_their_offsets_in_source_and_target(opened, family):
    model, text = opened(family).model, "it was"
    ids = model.target.encode(text, add_special_tokens=False).ids
    forced = dict(enumerate(map(model.token_name, ids)))
    done = model.generate("the Table", max_new_tokens=len(ids), forced=forced)
    assert done.text == text and "".join(done.tokens).strip() == text
    read, written = done.encoder, done.decoder
    assert next(read.text[a:b].strip() for a, b in read.offsets if b) == "the"
    spans = [written.text[a:b] for a, b in written.offsets]
    assert spans[0] == "" and "".join(spans) == "".join(text.split())[: len("".join(spans))]
    assert model.unknown_words("it Was ßß too") == (["W", "ßß"] if family == "t5" else [])


def test_marian_splits_with_one_file_and_numbers_with_another(opened):
    model, numbers = opened("marian").model, marian_vocabulary()
    tokens = model.tokenize("  the dog   was a?")
    assert tokens.pieces == ("▁the", "▁dog", "▁was", "▁", "a", "?", "</s>")
    assert tokens.ids[1] == 1  # one piece, read as unknown
    assert tokens.word_ids[-1] is None
    assert model.unknown_words("the dog Was") == ["dog", "W"]
    assert model.tokenize(f"{CODE} the").ids == (numbers[CODE], numbers["▁the"], 0)
    assert model.tokenize("chien").pieces[:2] == ("▁", "c")  # a piece of the other language
    forced = dict(enumerate([" chien", " the", "x", "</s>"]))
    done = model.generate("the", forced=forced)
    assert (done.text, done.ending) == ("chien thex", "end")
    with warnings.catch_warnings(action="ignore"):  # recommends a library for Moses' rules
        theirs = AutoTokenizer.from_pretrained(opened("marian").folder)
    for text in ("  the dog   was a?", "it\twas.", f"{CODE} the animal", "ßthe"):
        assert model.tokenize(text).ids == tuple(theirs(text).input_ids), text


# Loading by name, and refused folders.


def test_the_configuration_determines_the_kind_of_a_model(opened):
    folder, bert = opened("t5").folder, opened("bert").folder
    expected = "reads one text and writes another. Open it on the Decoder"
    assert expected in refused(folder, load_reader)
    assert "does not translate" in refused(bert, load_translator)


@pytest.mark.parametrize(
    ("family", "changes", "why"),
    [
        ("t5", {"num_decoder_layers": 10**6}, "num_decoder_layers = 1,000,000"),
        ("bart", {"decoder_layers": 90, "decoder_attention_heads": 96}, "= 8,640"),
        ("t5", {"architectures": ["T5EncoderModel"]}, "T5EncoderModel"),
        ("t5", {"num_heads": 4}, "cannot read the weights"),
        ("bart", {"decoder_layers": None}, "has no num_hidden_layers"),
        ("t5", {"relative_attention_max_distance": 4}, "8 buckets for distances up to 4"),
        ("t5", {"decoder_start_token_id": 10**6}, "lacks the first token"),
        ("bart", {"encoder_layers": 3}, "are missing"),
        ("t5gemma", {"decoder": {"num_hidden_layers": 10**6}}, "num_hidden_layers = 1,000,000"),
    ],
    ids=str,
)
def test_a_configuration_that_contradicts_its_weights_is_refused(copied, family, changes, why):
    folder = copied(family)
    (folder / "generation_config.json").unlink()
    configure(folder, **changes)
    assert why in refused(folder, load_translator)


def test_broken_marian_tokenizers_are_refused_in_words(copied):
    folder, numbers = copied("marian"), marian_vocabulary()
    for broken, why in (
        ({**numbers, "more": len(numbers)}, "another model"),
        ({"</s>": 0, "<unk>": 7}, "cannot read the tokenizer"),
    ):
        (folder / "vocab.json").write_text(json.dumps(broken))
        assert why in refused(folder)
    (folder / "source.spm").unlink()
    assert "source.spm and vocab.json" in refused(folder)
