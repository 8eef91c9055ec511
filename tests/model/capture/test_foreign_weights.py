"""Weights that another program recorded: what a capture of them knows, computes and refuses."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.torch import save

from model import (
    AttentionCapture,
    HeadlightError,
    contributions,
    js_distance,
    load_model,
    logit_lens,
    open_capture,
    profile,
    read_capture,
    rollout,
    unit_weights,
    units,
    value_norms,
)
from model.capture import serialisation
from viz import attention_figure

# L 2, H 3, T 5
TOKENS = ["<s>", "The", " cat", " sat", "."]
ADDED = [1, 0, 0, 0, 0]


def softmaxed(*shape: int, causal: bool = False) -> torch.Tensor:
    scores = torch.randn(*shape, generator=torch.Generator().manual_seed(0))
    later = torch.ones(shape[-2:]).triu(1).bool() & causal
    return scores.masked_fill(later, -torch.inf).softmax(-1)


WEIGHTS = softmaxed(2, 3, 5, 5)


@pytest.mark.parametrize(
    "given",
    [
        WEIGHTS,
        WEIGHTS.double().requires_grad_(),
        WEIGHTS.numpy(),
        WEIGHTS.tolist(),
        list(WEIGHTS),
    ],
    ids=["torch", "float64", "numpy", "lists", "tensors"],
)
def test_any_kind_of_array_gives_the_same_capture(given: Any) -> None:
    capture = open_capture(given, TOKENS)
    assert_array_equal(capture.weights, WEIGHTS.numpy())
    assert capture.weights.dtype == np.float32 and not capture.weights.flags.writeable
    assert (capture.tokens, capture.model, capture.stack) == (tuple(TOKENS), "my run", "encoder")
    assert not np.shares_memory(capture.weights, WEIGHTS.numpy())  # a later change has no effect


def test_sixteen_bits_are_precise_enough() -> None:
    wide = softmaxed(1, 2, 300, 300)
    capture = open_capture(wide.bfloat16(), ["x"] * 300)
    assert_allclose(capture.weights, wide, atol=2e-3)


def test_a_mask_is_found_stated_or_ignored() -> None:
    causal = softmaxed(2, 3, 5, 5, causal=True)
    for stated in (None, True):
        capture = open_capture(causal, TOKENS, causal=stated)
        assert capture.stack == "decoder" and len(capture.allowed) == 2
        assert_array_equal(capture.allowed[1], np.tri(5, dtype=bool))
    almost = causal.clone()
    almost[1, 2, 3] = torch.tensor([0.3, 0.3, 0.2, 0.1, 0.1])
    for weights, stated in ((causal, False), (WEIGHTS, None), (almost, None)):
        capture = open_capture(weights, TOKENS, causal=stated)
        assert (capture.stack, capture.allowed) == ("encoder", (None, None))
    one = torch.ones(1, 1, 1, 1)
    assert open_capture(one, ["x"]).stack == "encoder"
    assert open_capture(one, ["x"], causal=True).stack == "decoder"
    with pytest.raises(HeadlightError, match="not causal"):
        open_capture(almost, TOKENS, causal=True)


def test_cross_attention_has_keys_of_its_own() -> None:
    weights = softmaxed(2, 3, 5, 4)
    capture = open_capture(weights, TOKENS, ["die", "Katze", "saß", "."], model="mt")
    assert (capture.stack, capture.key_tokens[1]) == ("cross", "Katze")
    assert capture.to_frame().iloc[-1]["key_token"] == "."
    assert "2 layers x 3 heads, 5 queries x 4 keys" in repr(capture)
    for ask, words in (
        (lambda: profile(capture), "tokens of another text"),
        (lambda: open_capture(weights, TOKENS, list("abcd"), causal=True), "not causal"),
        (lambda: open_capture(weights, TOKENS), "5 rows of 4 weights, but 5 tokens attend to 5"),
    ):
        with pytest.raises(HeadlightError, match=words):
            ask()


def changed(at: tuple[int, ...], value: float) -> torch.Tensor:
    weights = WEIGHTS.clone()
    weights[at] = value
    return weights


@pytest.mark.parametrize(
    ("weights", "tokens", "words"),
    [
        (changed((1, 2, 3), 0.3), TOKENS, r"layer 1, head 2, row 3, the weights sum to 1\.500"),
        (changed((1, 0, 4), 0), TOKENS, r"layer 1, head 0, row 4, the weights sum to 0\.000"),
        (changed((0, 2, 1, 4), torch.nan), TOKENS, "layer 0, head 2, row 1, .* no finite number"),
        (WEIGHTS.double() * 1e300, TOKENS, "layer 0, head 0, row 0, .* no finite number"),
        (torch.eye(2)[None, None] * 2 - 1 + torch.eye(2), "ab", "list of strings"),
        (2 * torch.eye(2)[None, None] - torch.eye(2).flip(0), ["a", "b"], "a weight is negative"),
        (WEIGHTS[:, None], TOKENS, r"shape \(2, 1, 3, 5, 5\)"),
        (WEIGHTS[:0], TOKENS, r"shape \(0, 3, 5, 5\)"),
        (WEIGHTS, TOKENS[1:], "5 rows of 5 weights, but 4 tokens attend to 4"),
        (WEIGHTS, [1, 2, 3, 4, 5], "list of strings"),
        ([[1.0], [0.5, 0.5]], ["a", "b"], "are real numbers"),
        (WEIGHTS + 0j, TOKENS, "are real numbers"),
        (torch.eye(2)[None, None].to(torch.float8_e4m3fn), ["a", "b"], "at least 16 bits"),
        (torch.eye(2, dtype=torch.int8)[None, None], ["a", "b"], "at least 16 bits"),
        ([[[["1"]]]], ["a"], "are real numbers"),
    ],
)
def test_what_is_no_attention_is_refused_in_words(weights: Any, tokens: Any, words: str) -> None:
    with pytest.raises(HeadlightError, match=words):
        open_capture(weights, tokens)


def test_the_text_is_the_tokens_without_the_added_ones() -> None:
    capture = open_capture(WEIGHTS, TOKENS, special=ADDED)
    assert capture.text == "The cat sat."
    assert [capture.text[slice(*span)] for span in capture.offsets] == ["", *TOKENS[1:]]
    words = units(capture, merge_words=True, hide_special=True)
    assert [unit.label for unit in words] == ["The", " cat", "sat."]
    assert unit_weights(capture.weights, words).shape == (2, 3, 3, 3)
    assert open_capture(WEIGHTS, list("abcde")).text == "a b c d e"
    with pytest.raises(HeadlightError, match="has 1 values for 5 tokens"):
        open_capture(WEIGHTS, TOKENS, special=[True])


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_an_opened_capture_has_the_measures_of_the_original(name: str, request) -> None:
    model = request.getfixturevalue(name)
    original = model.attend("The cat saw the cat, and the dog saw it.")
    tokens, added = original.tokens, original.special
    capture = open_capture(original.weights, tokens, model=name, special=added)
    assert capture.stack == original.stack
    for key, values in profile(original).items():
        assert_array_equal(profile(capture)[key], values, err_msg=key)
    assert_array_equal(rollout(capture.weights), rollout(original.weights))
    assert js_distance(capture.weights, original.weights).max() < 1e-3
    assert attention_figure(capture, 1, 2).to_bytes("svg", width_mm=85)


def test_what_was_not_recorded_is_refused_in_words() -> None:
    model, text = load_model("scratch"), "It [MASK]."
    original = model.attend(text)
    unnamed = open_capture(original.weights, original.tokens)
    lens = logit_lens(model, text, positions=[2])
    outputs = model.output_weights()
    asked: list[tuple[str, Callable[[], object]]] = [
        ("not its queries, keys and values", lambda: unnamed.head(1, 2)),
        ("not its queries, keys and values", lambda: unnamed.key_head(1)),
        ("not its queries, keys and values", unnamed.check_softmax),
        ("not its queries, keys and values", lambda: value_norms(unnamed, outputs)),
        ("not its queries, keys and values", lambda: contributions(model, unnamed, lens, 2, 1)),
        ("not recorded which tokens the model added", lambda: profile(unnamed)),
        ("not recorded which tokens the model added", lambda: units(unnamed, hide_special=True)),
        ("has no head L99", lambda: unnamed.head(99, 0)),
    ]
    for words, ask in asked:
        with pytest.raises(HeadlightError, match=words):
            ask()
    assert not any(unit.special for unit in units(unnamed))
    assert (unnamed.token_ids, unnamed.has_steps) == ((), False)


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def tensors(weights: torch.Tensor, **lists: Any) -> bytes:
    meta = {name: json.dumps(value) for name, value in lists.items() if name != "model"}
    meta |= {"model": lists["model"]} if "model" in lists else {}
    return save({"weights": weights, "unused": torch.zeros(3)}, meta)


def test_files_of_every_kind_are_read_by_path_and_by_bytes(tmp_path: Path) -> None:
    given = {"tokens": TOKENS, "special": ADDED, "model": "gpt2"}
    opened = open_capture(WEIGHTS, **given)
    file = tmp_path / "it"
    for data in (
        opened.to_npz(),
        npz(weights=WEIGHTS.numpy().astype(np.float64), **given),
        tensors(WEIGHTS, **given, text="The cat sat."),
    ):
        file.write_bytes(data)
        for capture in (read_capture(data), read_capture(file), read_capture(str(file))):
            np.testing.assert_equal(vars(capture), vars(opened))
    half = read_capture(tensors(WEIGHTS.bfloat16(), tokens=TOKENS))
    assert_allclose(half.weights, WEIGHTS, atol=2e-3)
    assert (half.model, half.special.size) == ("my run", 0)
    cross = softmaxed(2, 3, 5, 4, causal=True)
    for data in (
        npz(weights=cross.numpy(), tokens=TOKENS, key_tokens=list("abcd")),
        tensors(cross, tokens=TOKENS, key_tokens=list("abcd")),
    ):
        assert read_capture(data).key_tokens == tuple("abcd")
    back = read_capture(open_capture(cross, TOKENS, list("abcd")).to_npz())
    assert (back.stack, back.key_tokens, back.keys.special.size) == ("cross", tuple("abcd"), 0)


def header_of_eight_gigabytes() -> bytes:
    stated = {"descr": "<f4", "fortran_order": False, "shape": (1, 2, 2**15, 2**15)}
    header, file = io.BytesIO(), io.BytesIO(npz(tokens=TOKENS))
    np.lib.format.write_array_header_1_0(header, stated)
    with zipfile.ZipFile(file, "a") as zipped:
        zipped.writestr("weights.npy", header.getvalue() + b"\0" * 64)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (npz(weights=WEIGHTS.numpy()), "not a capture"),
        (npz(tokens=TOKENS), "not a capture"),
        (save({"weights": WEIGHTS}), "not a capture"),
        (save({"other": WEIGHTS}, {"tokens": json.dumps(TOKENS)}), "not a capture"),
        (save({"weights": WEIGHTS}, {"tokens": "[" * 100_000}), "not a capture"),
        (save({"weights": WEIGHTS}, {"tokens": '"<s> The"'}), "list of strings"),
        (tensors(WEIGHTS, tokens=TOKENS)[:-1], "not a capture"),
        (tensors(WEIGHTS, tokens=["x" * 2**20] * 5), "not a capture"),  # a header of 5 MB
        (npz(weights=WEIGHTS.numpy(), tokens=[b"a"] * 5), "list of strings"),
        (npz(weights=2 * WEIGHTS.numpy(), tokens=TOKENS), "sum to 2"),
        (tensors(2 * WEIGHTS, tokens=TOKENS), "sum to 2"),
        (npz(weights=WEIGHTS.numpy(), tokens=TOKENS[1:]), "4 tokens"),
        (header_of_eight_gigabytes(), "unpacks to more than 1,073,741,824 bytes"),
    ],
)
def test_other_files_are_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(HeadlightError, match=words):
        read_capture(data)


def test_no_file_takes_more_memory_than_allowed(tmp_path: Path) -> None:
    zeros = np.zeros((1, 1, 1000, 1000), np.float32)
    for data in (npz(weights=zeros, tokens=["x"] * 1000), tensors(WEIGHTS, tokens=["x" * 9000])):
        file = tmp_path / "it"
        file.write_bytes(data)
        for source in (data, file):
            with pytest.raises(HeadlightError, match="more than 9,000 bytes"):
                read_capture(source, max_bytes=9_000)


def test_a_damaged_capture_names_the_wrong_row(minilm) -> None:
    """The check is the same for files of Headlight and of others."""
    meta, arrays = serialisation.read_file(minilm.attend("It was.").to_npz())
    arrays["weights"] = arrays["weights"].copy()
    arrays["weights"][4, 7, 2] *= 0.5
    with pytest.raises(HeadlightError, match=r"layer 4, head 7, row 2, the weights sum to 0\.500"):
        AttentionCapture.from_npz(serialisation.write_npz(meta, arrays))
