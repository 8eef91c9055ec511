"""Captures of an encoder, a decoder, and cross-attention; all sizes differ.

A forward pass through our own attention: two layers, three heads, 5 target tokens, 7 source
tokens. Tiny T5 and Llama models add scale, bias and shared key heads.
"""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import Tensor, nn
from torch.testing import assert_close

from model import AttentionCapture, HeadlightError, scaled_dot_product_attention
from model.capture import serialisation
from model.capture.attention_hooks import HeadsOff, install_attention_hooks, record_attention
from model.capture.sites import own_site
from model.capture.stacks import Stacks, to_captures
from model.capture.tokens import Tokens
from model.transformer.attention import MultiHeadAttention, causal_mask
from tests.model.capture.test_record import arrays_of, assert_same, retained_bytes

NAMED = SimpleNamespace(name="tiny", origin={"torch": "2.0"})  # instead of a model
LAYERS, HEADS, D_HEAD, D_MODEL, WRITTEN, READ = 2, 3, 4, 12, 5, 7


class Attention(MultiHeadAttention):
    """Our attention, with keys and values from another sequence if one is given."""

    def forward(self, x: Tensor, mask: Tensor | None = None, memory: Tensor | None = None):
        memory = x if memory is None else memory
        heads = [
            map_(y).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (1, T, D) -> (1, H, T, K)
            for map_, y in ((self.query, x), (self.key, memory), (self.value, memory))
        ]
        steps = scaled_dot_product_attention(*heads, mask)
        return self.output(steps.context.transpose(1, 2).flatten(2)), steps.weights


class Tiny(nn.Module):
    """An encoder and a decoder with attention alone."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.encoder, self.decoder, self.cross = (
            nn.ModuleList(Attention(D_MODEL, HEADS) for _ in range(LAYERS)) for _ in range(3)
        )
        for stack in ("encoder", "decoder", "cross"):
            attentions = getattr(self, stack)
            sites = [own_site(attention, stack) for attention in attentions]
            install_attention_hooks(sites, [attention.output for attention in attentions], stack)

    @torch.inference_mode()
    def forward(self, read: Tensor, written: Tensor) -> Tensor:
        for attention in self.encoder:
            read = read + attention(read)[0]
        for own, cross in zip(self.decoder, self.cross, strict=True):
            written = written + own(written, causal_mask(WRITTEN))[0]
            written = written + cross(written, None, read)[0]
        return written


def tokens(pieces: str) -> Tokens:
    """Tokens separated by spaces; the first is a special token."""
    each = tuple(pieces.split())
    starts = [sum(len(piece) + 1 for piece in each[1:i]) for i in range(1, len(each))]
    spans = [(start, start + len(piece)) for start, piece in zip(starts, each[1:], strict=True)]
    words = (None, *range(len(each) - 1))
    return Tokens(each, tuple(range(len(each))), ((0, 0), *spans), words, (0,) * len(each))


SOURCE = ("the blue flower is not small", tokens("<s> the blue flower is not small"))
TARGET = ("la fleur bleue est", tokens("<s> la fleur bleue est"))


@pytest.fixture(scope="module")
def tiny() -> Tiny:
    return Tiny()


@pytest.fixture(scope="module")
def states() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(8)
    return tuple(torch.randn(1, n, D_MODEL, generator=generator) for n in (READ, WRITTEN))


@pytest.fixture(scope="module")
def stacks(tiny, states) -> Stacks:
    with record_attention() as observed:
        tiny(*states)
    return to_captures(observed, NAMED, SOURCE, TARGET)


def test_each_stack_gets_its_own_layers_from_an_interleaved_pass(tiny, states, stacks):
    """The attention of each stack by hand, from the output before it."""
    assert [capture.stack for capture in stacks] == ["encoder", "decoder", "cross"]
    read, written = states
    with torch.inference_mode():
        for layer in range(LAYERS):
            output, weights = tiny.encoder[layer](read)
            assert_allclose(stacks.encoder.weights[layer], weights[0], atol=1e-6)
            read = read + output
        for layer in range(LAYERS):
            output, weights = tiny.decoder[layer](written, causal_mask(WRITTEN))
            assert_allclose(stacks.decoder.weights[layer], weights[0], atol=1e-6)
            written = written + output
            output, weights = tiny.cross[layer](written, None, read)
            assert_allclose(stacks.cross.weights[layer], weights[0], atol=1e-6)
            written = written + output


def test_queries_and_keys_have_their_own_tokens(stacks):
    assert stacks.cross.tokens == stacks.decoder.tokens == TARGET[1].pieces
    assert stacks.cross.key_tokens == stacks.encoder.tokens == SOURCE[1].pieces
    assert (stacks.cross.text, stacks.cross.keys.text) == (TARGET[0], SOURCE[0])
    assert stacks.cross.keys.special.tolist() == [True] + [False] * 6
    # A mask can be a positional argument.
    triangle = np.tri(WRITTEN, dtype=bool)
    assert all(np.array_equal(mask, triangle) for mask in stacks.decoder.allowed)
    assert stacks.encoder.allowed == stacks.cross.allowed == (None,) * LAYERS
    for capture in stacks:
        assert capture.nbytes == retained_bytes(arrays_of(capture)) - capture.special.nbytes
        assert not any(array.flags.writeable for array in arrays_of(capture))


@pytest.mark.parametrize("stack", ["encoder", "decoder", "cross"])
def test_the_steps_of_a_head_reproduce_its_weights(stacks, stack):
    capture = getattr(stacks, stack)
    back = AttentionCapture.from_npz(capture.to_npz())
    assert_same(back, capture)
    assert back.keys.tokens == capture.key_tokens and not back.keys.special.flags.writeable
    for layer, head in np.ndindex(LAYERS, HEADS):
        steps = capture.head(layer, head)
        assert steps.scale == 1 / math.sqrt(D_HEAD) and steps.bias is None
        assert_allclose(steps.raw_scores, steps.q @ steps.k.T, atol=1e-5)
        assert_allclose(steps.scaled_scores, steps.raw_scores / 2)  # sqrt(4)
        again = torch.tensor(steps.masked_scores).softmax(-1).numpy()
        assert_allclose(again, steps.weights, atol=1e-6)
        assert_allclose(steps.weights, capture.weights[layer, head])
        assert_allclose(steps.context, steps.weights @ steps.v, atol=1e-5)


def test_json_contains_the_tokens_of_the_keys(stacks):
    content = json.loads(stacks.cross.to_json())
    assert content["tokens"] == list(TARGET[1].pieces)
    assert content["key_tokens"] == list(SOURCE[1].pieces)
    assert (content["stack"], content["key_text"], content["scale"]) == ("cross", SOURCE[0], None)
    assert np.array_equal(np.array(content["weights"], np.float32), stacks.cross.weights)
    assert "key_tokens" not in json.loads(stacks.decoder.to_json())


def test_a_file_without_stacks_is_read_but_not_one_without_the_tokens_of_its_keys(stacks):
    capture = stacks.encoder
    meta, arrays = serialisation.read_file(capture.to_npz())
    del meta["stack"], meta["scale"]
    assert_same(AttentionCapture.from_npz(serialisation.write_npz(meta, arrays)), capture)
    meta, arrays = serialisation.read_file(stacks.cross.to_npz())
    del meta["key_tokens"]
    with pytest.raises(HeadlightError, match="not a capture"):
        AttentionCapture.from_npz(serialisation.write_npz(meta, arrays))


@pytest.mark.parametrize("stack", ["encoder", "decoder", "cross"])
def test_a_head_is_switched_off_in_its_own_stack_only(tiny, states, stacks, stack):
    off = HeadsOff(frozenset({(1, 2)}), "uniform", D_HEAD, stack)
    with record_attention(off) as observed:
        tiny(*states)
    changed = to_captures(observed, NAMED, SOURCE, TARGET)
    attended = getattr(changed, stack).weights[1, 2]
    allowed = getattr(stacks, stack).allowed[1]
    even = np.ones(attended.shape) if allowed is None else allowed
    assert_allclose(attended, even / even.sum(-1, keepdims=True), atol=1e-6)
    moved = {
        name: (~np.isclose(now.weights, before.weights, atol=1e-7).all(axis=(2, 3))).tolist()
        for name, now, before in zip(Stacks._fields, changed, stacks, strict=True)
    }
    none, every = [False] * HEADS, [True] * HEADS
    expected = {name: [none, none] for name in Stacks._fields}
    if stack == "encoder":  # both decoder layers read the encoder, the second one twice
        expected |= {"cross": [every, every], "decoder": [none, every]}
    if stack == "decoder":  # the cross-attention of the same layer comes after it
        expected["cross"] = [none, every]
    assert moved == {**expected, stack: [none, [False, False, True]]}


@pytest.mark.parametrize("stack", ["encoder", "decoder", "cross"])
def test_a_head_set_to_zero_adds_nothing_to_the_output(tiny, states, stack):
    def written(off: HeadsOff | None) -> Tensor:
        with record_attention(off):
            return tiny(*states)

    off = HeadsOff(frozenset({(0, 1)}), "zero", D_HEAD, stack)
    output = getattr(tiny, stack)[0].output
    kept = output.weight.detach().clone()
    with torch.no_grad():  # the same by hand: the head's rows of W^O are zero
        output.weight[:, D_HEAD : 2 * D_HEAD] = 0
    by_hand = written(None)
    with torch.no_grad():
        output.weight.copy_(kept)
    assert_close(written(off), by_hand)
    assert not torch.allclose(written(None), by_hand)


def test_different_masks_for_the_heads_of_a_layer_are_refused(tiny, states):
    attention = tiny.encoder[0]
    mask = torch.ones(1, HEADS, READ, READ, dtype=torch.bool)
    mask[0, 1, 0, 1] = False
    with pytest.raises(RuntimeError, match="masks of their own"), record_attention():
        attention(states[0], mask)
