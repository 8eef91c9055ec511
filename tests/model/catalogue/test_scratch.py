"""Our encoder with BERT's weights computes BERT's numbers, so it is BERT's architecture."""

import pytest
import torch
from torch.testing import assert_close
from transformers import BertModel

from model.capture.attention_hooks import record_attention
from model.catalogue.pretrained.hub import embedded_folder
from model.catalogue.scratch import as_loaded, from_bert
from tests.model import checkpoints
from tests.model.conftest import ANIMAL

CLOSE = {"atol": 1e-5, "rtol": 0}


@pytest.fixture(scope="session")
def bert() -> BertModel:
    """The embedded checkpoint, loaded by transformers alone."""
    return BertModel.from_pretrained(embedded_folder(), attn_implementation="eager").eval()


@torch.inference_mode()
def compare(ours, theirs: BertModel, ids: torch.Tensor, segments: torch.Tensor) -> None:
    """Compare every attention weight and the last hidden state, to 1e-5."""
    with record_attention() as record:
        hidden = ours.encode(ids, segments)
    expected = theirs(input_ids=ids, token_type_ids=segments, output_attentions=True)
    assert len(record.weights) == len(expected.attentions) == ours.n_layers
    assert_close(torch.stack(record.weights), torch.cat(expected.attentions), **CLOSE)
    assert_close(hidden, expected.last_hidden_state, **CLOSE)


def random_ids(n_tokens: int, vocab_size: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(n_tokens)
    return torch.randint(vocab_size, (1, n_tokens), generator=generator)


@pytest.mark.parametrize("n_tokens", [1, 128])
def test_minilm_weights_give_minilm_numbers(scratch_minilm, bert, n_tokens):
    ids = random_ids(n_tokens, bert.config.vocab_size)
    second = (torch.arange(n_tokens)[None] > n_tokens // 3).long()
    compare(scratch_minilm, bert, ids, second)


def test_both_implementations_give_the_same_capture_of_a_sentence(scratch_minilm, minilm):
    for pair in (None, "It slept."):
        ours, theirs = scratch_minilm.attend(ANIMAL, pair), minilm.attend(ANIMAL, pair)
        assert ours.tokens == theirs.tokens
        assert ours.segment_ids == theirs.segment_ids
        assert_close(torch.tensor(ours.weights), torch.tensor(theirs.weights), **CLOSE)


def test_a_bert_of_other_sizes_gives_the_same_numbers():
    config = checkpoints.config_of("bert", 99)
    config._attn_implementation = "eager"
    theirs = checkpoints.seeded(BertModel, config)
    ours = as_loaded("tiny", from_bert(config.to_dict(), theirs.state_dict()), tokenizer=None)
    compare(ours, theirs, random_ids(48, 99), (torch.arange(48)[None] > 5).long())


def test_a_checkpoint_with_a_missing_weight_is_refused(bert):
    state = bert.state_dict()
    del state["encoder.layer.3.output.dense.bias"]
    with pytest.raises(RuntimeError, match=r"feed_forward\.contract\.bias"):
        from_bert(bert.config.to_dict(), state)


def test_the_prefix_of_a_masked_language_model_is_accepted(bert):
    state = {f"bert.{name}": weights for name, weights in bert.state_dict().items()}
    state["cls.predictions.bias"] = torch.zeros(bert.config.vocab_size)
    encoder = from_bert(bert.config.to_dict(), state)
    assert torch.equal(encoder.embeddings.token.weight, bert.embeddings.word_embeddings.weight)
