"""GGUF files compared with the checkpoints of transformers from which they are written."""

import random
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quantize
from numpy.testing import assert_allclose
from transformers import LlamaConfig, LlamaForCausalLM

from model import HeadlightError, load_model
from model.catalogue.names import canonical_name
from tests.model import decoder_checkpoints, gguf_checkpoints, parity
from tests.model.checkpoints import byte_level, refused
from tests.model.general_checkpoints import LLAMA3
from tests.model.parity import SENTENCE


@pytest.fixture
def llama(tmp_path):
    return gguf_checkpoints.save(gguf_checkpoints.module_of("llama"), tmp_path / "llama.gguf")


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_a_file_gives_the_weights_of_the_checkpoint(tmp_path, family):
    parity.check_gguf(family, tmp_path)


def test_the_rotation_of_llama_3_1_is_read_from_the_file(tmp_path):
    """transformers computes the divisors from four settings; GGUF stores them."""
    rope = {"rope_theta": 500.0, "factor": 8.0, "original_max_position_embeddings": 16}
    sizes = {**decoder_checkpoints.GROUPED, "vocab_size": 300, "head_dim": 10}
    config = LlamaConfig(**sizes, rope_parameters={**LLAMA3, **rope}, eos_token_id=0)
    torch.manual_seed(5)
    module = LlamaForCausalLM(config)
    plain = 500.0 ** (-torch.arange(0, 10, 2) / 10)
    factors = plain / module.model.rotary_emb.inv_freq
    assert len(set(factors.tolist())) > 2
    tensors = {**gguf_checkpoints.stored(module), "rope_freqs.weight": factors}
    file = tmp_path / "llama.gguf"
    gguf_checkpoints.write(file, gguf_checkpoints.settings(module), tensors)
    tokenizer = byte_level(list(gguf_checkpoints.BYTES))
    folder = decoder_checkpoints.write(tmp_path / "saved", module, tokenizer)
    expected = load_model(str(folder)).attend(SENTENCE).weights
    assert_allclose(load_model(str(file)).attend(SENTENCE).weights, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("type_", ["BF16", "Q4_0"])
def test_quantised_weights_are_those_of_the_file(tmp_path, type_):
    sizes = {**decoder_checkpoints.GROUPED, "hidden_size": 96, "intermediate_size": 64}
    config = LlamaConfig(**sizes, vocab_size=300, eos_token_id=0)
    torch.manual_seed(3)
    module = LlamaForCausalLM(config)
    file = gguf_checkpoints.save(module, tmp_path / "llama.gguf", type_)
    model = load_model(str(file))
    assert model.quantisation == ("" if type_.endswith("F16") else type_)
    weights = module.model.layers[1].mlp.up_proj.weight.detach().numpy()
    of = GGMLQuantizationType[type_]
    expected = dequantize(quantize(weights, of), of)
    read = model.module.model.layers[1].mlp.up_proj.weight.detach().numpy()
    np.testing.assert_array_equal(read, expected)
    assert 0 < np.abs(read - weights).max() < 0.3


def test_a_folder_with_one_file_is_that_file_with_one_name(llama, tmp_path, monkeypatch):
    assert load_model(str(tmp_path)).attend("it was").weights.shape == (3, 6, 5, 5)
    (tmp_path / "link.gguf").symlink_to(llama)
    blob = Path(shutil.copy(llama, tmp_path / "sha256-843d"))  # as Ollama names it
    assert load_model(str(blob)).name == str(blob)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for alias in ("./llama.gguf", "~/llama.gguf"):
        assert canonical_name(alias) == str(llama)
    assert load_model("link.gguf").name == str(tmp_path / "link.gguf")
    assert "has 2 GGUF files" in refused(tmp_path)
    parts = tmp_path / "parts"
    parts.mkdir()
    for n in (1, 2):
        changes = {"split__count": 2, "split__no": n - 1}
        part = parts / f"x-0000{n}-of-00002.gguf"
        gguf_checkpoints.save(gguf_checkpoints.module_of("llama"), part, **changes)
    assert "is one of 2 parts of a GGUF file" in refused(parts)


def test_sentence_piece_merges_by_score(tmp_path):
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    words = {"▁": -9.0, "t": -8.0, "h": -8.0, "e": -8.0, "th": -2.0, "he": -1.0, "▁t": -3.0}
    types = [2, 3, 3] + [6] * 256 + [1] * len(words)
    module = gguf_checkpoints.module_of("llama")
    module.resize_token_embeddings(len(types))
    file = gguf_checkpoints.save(
        module,
        tmp_path / "llama.gguf",
        tokenizer__ggml__model="llama",
        tokenizer__ggml__pre=None,
        tokenizer__ggml__merges=None,
        tokenizer__ggml__add_bos_token=None,
        tokenizer__ggml__tokens=[*pieces, *words],
        tokenizer__ggml__scores=[0.0] * len(pieces) + list(words.values()),
        tokenizer__ggml__token_type=types,
        tokenizer__ggml__bos_token_id=1,
        tokenizer__ggml__eos_token_id=2,
    )
    model = load_model(str(file))
    # "he" (-1) merges before "th" (-2), then "▁t" (-3); ü is two bytes. One more space begins it.
    for text, spaces in (("the thü", []), ("  the thü", ["▁", "▁"])):
        encoding = model.tokenizer.encode(text)
        assert encoding.tokens == ["<s>", *spaces, "▁t", "he", "▁", "th", "<0xC3>", "<0xBC>"]
        assert model.tokenizer.decode(encoding.ids) == text


def test_changed_bytes_never_raise_another_error(llama):
    """Lengths, types and offsets of any size, in 40 files; the whole model of some is loaded."""
    content, choose = llama.read_bytes(), random.Random(7)
    header = content.index(b"blk.2.ffn_down.weight") + 60
    for _ in range(40):
        changed = bytearray(content)
        for _ in range(choose.choice([1, 2, 8])):
            changed[choose.randrange(header)] = choose.choice([0, 1, 127, 255])
        llama.write_bytes(changed)
        try:
            load_model(str(llama))
        except HeadlightError:
            continue


@pytest.mark.parametrize("length", [2**31, 2**64 - 1])
def test_lengths_are_compared_with_the_file_before_anything_is_allocated(tmp_path, length):
    file = tmp_path / "huge.gguf"
    start = b"GGUF" + struct.pack("<IQQQ", 3, 1, 0, 17) + b"token_embd.weight"
    for shape, offset in (((length,), 0), ((1, length), 0), ((8,), length)):
        header = start + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        file.write_bytes(header + bytes(200))
        assert "cannot read the GGUF file" in refused(file)
    array = struct.pack("<QQQ", 0, 1, 1) + b"x"
    for inner in (0, 8, 9):
        listed = struct.pack("<IIQ", 9, inner, length)
        file.write_bytes(b"GGUF" + struct.pack("<I", 3) + array + listed + bytes(200))
        assert "cannot read the GGUF file" in refused(file)


def test_other_architectures_and_settings_are_named(tmp_path):
    module, file = gguf_checkpoints.module_of("llama"), tmp_path / "llama.gguf"
    for changes, words in (
        (
            {"general__architecture": "gemma3"},
            "general.architecture = gemma3. Headlight reads llama, qwen2,",
        ),
        ({"llama__expert_count": 4}, "sets llama.expert_count, which Headlight does not read"),
        ({"llama__rope__dimension_count": 4}, "rope.dimension_count = 4. Headlight reads 10."),
        ({"tokenizer__ggml__pre": "viking"}, "tokenizer.ggml.pre = viking"),
        (
            {"llama__rope__scaling__type": "yarn"},
            "rope.scaling.type = yarn. Headlight reads none, linear.",
        ),
        ({"llama__block_count": None}, "settings in the GGUF file"),
        ({"llama__block_count": 2}, "has weights for which transformers has no place"),
        ({"llama__block_count": 1_000_000}, "num_hidden_layers = 1,000,000"),
    ):
        gguf_checkpoints.save(module, file, **changes)
        assert words in refused(file), changes


def test_a_type_that_cannot_be_decoded_and_a_truncated_file_are_refused(llama):
    content, name = llama.read_bytes(), b"blk.0.attn_q.weight"
    place = content.index(name) + len(name) + 4 + 16
    assert content[place] == 0
    llama.write_bytes(content[:place] + bytes([26]) + content[place + 1 :])  # I32
    assert "quantised as I32" in refused(llama)
    llama.write_bytes(content[:-1])
    assert "cannot read the GGUF file" in refused(llama)
