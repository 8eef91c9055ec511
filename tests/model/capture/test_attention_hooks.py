"""Attention hooks do nothing without a record, and are correct with threads and after errors."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel

from model import load_model
from model.capture.attention_hooks import install_attention_hooks, record_attention
from model.capture.residual_stream import record_stream
from model.capture.sites import AttentionSite, split_heads
from tests.model.capture.test_record import assert_same
from tests.model.conftest import ANIMAL


def test_only_passes_of_the_own_thread_within_the_block_are_recorded(families, minilm):
    with record_attention() as record, record_stream() as stream:
        thread = threading.Thread(target=minilm.hidden_states, args=(ANIMAL,))
        thread.start()
        thread.join()
    for model in (minilm, *families.values()):
        model.hidden_states("it was the book")
    assert not (record.layers or record.projected or stream)


def test_an_error_in_the_forward_pass_stops_the_recording(minilm):
    before = minilm.attend(ANIMAL)
    records = []

    def fail(token_ids, segment_ids):
        with record_attention() as record:
            records.append(record)
            minilm.encode(token_ids, segment_ids)
            raise MemoryError

    with pytest.raises(MemoryError):
        dataclasses.replace(minilm, encode=fail).attend(ANIMAL)
    assert len(records[0].weights) == 6  # the pass ran and was recorded
    minilm.hidden_states(ANIMAL)
    assert len(records[0].weights) == 6  # the record no longer changes
    assert_same(minilm.attend(ANIMAL), before)
    with pytest.raises(RuntimeError, match="6 of 7 layers"):
        dataclasses.replace(minilm, n_layers=7).attend("word")


def test_attention_that_is_not_eager_raises_when_recorded():
    sizes = {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 1}
    module = BertModel(BertConfig(vocab_size=9, attn_implementation="sdpa", **sizes)).eval()
    attention = module.encoder.layer[0].attention.self
    projections = (attention.query, attention.key, attention.value)
    site = AttentionSite(attention, "encoder", projections, partial(split_heads, 3))
    install_attention_hooks([site])
    ids = torch.tensor([[1, 2, 3]])
    module(ids)  # without a record: no error
    with record_attention(), pytest.raises(RuntimeError, match="loaded with eager attention"):
        module(ids)


def test_threads_that_share_a_model_get_the_captures_of_single_runs(minilm, families):
    sentences = [f"{'very ' * i}different sentence number {i}" for i in range(4)]
    models = [minilm, families["albert"], families["modernbert"]]
    alone = [[model.attend(sentence) for model in models] for sentence in sentences]
    start = threading.Barrier(len(sentences))

    def work(i: int) -> None:
        start.wait()
        for _ in range(4):
            for model, expected in zip(models, alone[i], strict=True):
                model.hidden_states(sentences[i - 1])  # passes without a record in between
                assert_same(model.attend(sentences[i]), expected)

    with ThreadPoolExecutor(len(sentences)) as pool:
        list(pool.map(work, range(len(sentences))))


def test_a_mask_over_keys_fits_any_number_of_queries():
    """4 queries of an encoder, then 2 of a decoder with cross-attention; one key is masked."""

    class Attention(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.map = torch.nn.Linear(6, 6)

        def forward(self, x, keys, mask):
            q, k = self.map(x), self.map(keys)
            self.map(keys)
            return x, torch.softmax((q @ k.mT)[:, None] + mask, dim=-1)

    attention, keys = Attention(), torch.randn(1, 4, 6)
    install_attention_hooks(
        [AttentionSite(attention, "encoder", (attention.map,), partial(split_heads, 1))]
    )
    mask = torch.tensor([0, 0, torch.finfo().min, 0]).view(1, 1, 1, 4)
    with record_attention() as record:
        attention(keys, keys, mask=mask)
        attention(keys[:, :2], keys, mask=mask)
    assert [list(layer.allowed.shape) for layer in record.layers] == [[4, 4], [2, 4]]
    assert all((layer.allowed == (mask[0, 0] == 0)).all() for layer in record.layers)


@pytest.mark.parametrize("prepend", [True, False])
def test_a_hook_of_the_user_is_captured_if_it_runs_first(prepend):
    """docs/notebook.md recommends ``prepend=True``."""
    model = load_model("scratch-untrained")
    plain = model.attend("it was")
    attention = model.attentions["encoder"][1][0]
    handle = attention.query.register_forward_hook(
        lambda _module, _args, output: output * 2, prepend=prepend
    )
    changed = model.attend("it was")
    handle.remove()
    assert (changed.weights[1] != plain.weights[1]).any()
    assert np.array_equal(changed.q[1], 2 * plain.q[1]) == prepend
