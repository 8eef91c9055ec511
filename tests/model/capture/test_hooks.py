"""The hooks are silent unless a capture asks, and true under threads and errors."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from transformers import BertConfig, BertModel

from model.capture.hooks import install_hooks, recording
from model.capture.sites import AttentionSite, split_heads
from tests.model.capture.test_record import assert_same
from tests.model.conftest import ANIMAL


def test_nothing_is_recorded_outside_of_a_capture(families):
    for model in families.values():
        with recording() as record:
            pass
        model.hidden_states("it was the book")
        assert not (record.layers or record.projected)


def test_a_capture_records_each_layer_once_however_often_it_is_taken(families):
    for model in families.values():
        for _ in range(3):
            assert model.attend("it").n_layers == model.n_layers


def test_an_error_in_the_forward_pass_leaves_no_trace(minilm):
    before = minilm.attend(ANIMAL)
    records = []

    def breaks_off(token_ids, segment_ids):
        with recording() as record:
            records.append(record)
            minilm.encode(token_ids, segment_ids)
            raise MemoryError

    with pytest.raises(MemoryError):
        dataclasses.replace(minilm, encode=breaks_off).attend(ANIMAL)
    assert len(records[0].weights) == 6  # it did run, and recorded
    minilm.hidden_states(ANIMAL)
    assert len(records[0].weights) == 6  # and has stopped recording
    assert_same(minilm.attend(ANIMAL), before)


def test_another_threads_forward_pass_is_not_recorded(minilm):
    with recording() as record:
        thread = threading.Thread(target=minilm.hidden_states, args=(ANIMAL,))
        thread.start()
        thread.join()
    assert not record.weights and not record.projected


def test_a_model_without_eager_attention_says_so_instead_of_giving_nothing():
    sizes = {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 1}
    config = BertConfig(vocab_size=9, intermediate_size=40, attn_implementation="sdpa", **sizes)
    module = BertModel(config).eval()
    attention = module.encoder.layer[0].attention.self
    projections = (attention.query, attention.key, attention.value)
    install_hooks([AttentionSite(attention, projections, lambda *args: split_heads(3, *args))])
    ids = torch.tensor([[1, 2, 3]])
    module(ids)  # unrecorded: no complaint
    with pytest.raises(RuntimeError, match="must be loaded with eager attention"), recording():
        module(ids)


def test_a_capture_that_missed_a_layer_is_not_handed_out(minilm):
    with pytest.raises(RuntimeError, match="6 of 7 layers"):
        dataclasses.replace(minilm, n_layers=7).attend("word")


def test_threads_that_share_a_model_get_what_they_would_get_alone(minilm, families):
    sentences = [f"{'very ' * i}different sentence number {i}" for i in range(6)]
    models = [minilm, families["albert"], families["modernbert"]]
    alone = [[model.attend(sentence) for model in models] for sentence in sentences]
    start = threading.Barrier(len(sentences))

    def work(i: int) -> None:
        start.wait()
        for _ in range(8):
            for model, expected in zip(models, alone[i], strict=True):
                model.hidden_states(sentences[i - 1])  # unrecorded runs in between
                assert_same(model.attend(sentences[i]), expected)

    with ThreadPoolExecutor(len(sentences)) as pool:
        list(pool.map(work, range(len(sentences))))


def test_a_mask_of_the_keys_serves_queries_of_any_number():
    """4 tokens of an encoder, then 2 of a decoder that looks at them; one key is hidden."""

    class Attention(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.map = torch.nn.Linear(6, 6)

        def forward(self, x, keys, attention_mask):
            q, k = self.map(x), self.map(keys)
            self.map(keys)
            return x, torch.softmax((q @ k.mT)[:, None] + attention_mask, dim=-1)

    attention, keys = Attention(), torch.randn(1, 4, 6)
    install_hooks([AttentionSite(attention, (attention.map,), lambda p, _: split_heads(1, p, {}))])
    mask = torch.tensor([0, 0, torch.finfo().min, 0]).view(1, 1, 1, 4)
    with recording() as record:
        attention(keys, keys, attention_mask=mask)
        attention(keys[:, :2], keys, attention_mask=mask)
    assert [list(layer.allowed.shape) for layer in record.layers] == [[4, 4], [2, 4]]
    assert all((layer.allowed == (mask[0, 0] == 0)).all() for layer in record.layers)
