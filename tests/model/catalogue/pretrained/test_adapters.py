"""LoRA adapters compared with checkpoints whose weights are W + alpha / r * B A."""

import json
import shutil
import sys

import peft
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from model import HeadlightError, load_model
from tests.model import decoder_checkpoints
from tests.model.checkpoints import refused

RANK, ALPHA = 2, 6.0

QUERY = "encoder.layer.0.attention.self.query"


def write(folder, base, tensors, **changes):
    folder.mkdir(exist_ok=True)
    settings = {"peft_type": "LORA", "base_model_name_or_path": str(base), "r": RANK}
    settings |= {"lora_alpha": ALPHA, "init_lora_weights": True, "fan_in_fan_out": False}
    (folder / "adapter_config.json").write_text(json.dumps(settings | changes))
    stored = {f"base_model.model.{key}": x.contiguous() for key, x in tensors.items()}
    save_file(stored, folder / "adapter_model.safetensors")
    return folder


def factors(shape):
    torch.manual_seed(11)
    return torch.randn(RANK, shape[1]), torch.randn(shape[0], RANK)  # A (R, I), B (O, R)


@pytest.fixture
def base(opened):
    return opened("bert").folder


@pytest.mark.parametrize(
    ("family", "path", "transposed", "key", "rslora"),  # transposed: stored as (inputs, outputs)
    [
        ("bert", QUERY, False, f"bert.{QUERY}", False),
        ("gpt2", "transformer.h.1.attn.c_attn", True, None, True),
        ("t5", "encoder.block.0.layer.0.SelfAttention.q", False, None, False),
    ],
)
def test_an_adapter_changes_the_weights_of_its_base(
    tmp_path, opened, family, path, transposed, key, rslora
):
    base = opened(family).folder
    weights = load_file(base / "model.safetensors")
    stored = weights[f"{path}.weight"]
    a, b = factors(stored.T.shape if transposed else stored.shape)
    change = ALPHA / (RANK**0.5 if rslora else RANK) * b @ a
    merged = shutil.copytree(base, tmp_path / "merged")
    weights[f"{path}.weight"] = stored + (change.T if transposed else change)
    save_file(weights, merged / "model.safetensors", metadata={"format": "pt"})
    key = key or path
    tensors = {f"{key}.lora_A.weight": a, f"{key}.lora_B.weight": b}
    adapter = write(tmp_path / "adapter", base, tensors, use_rslora=rslora)
    ours, theirs = load_model(str(adapter)), load_model(str(merged))
    assert ours.name == str(adapter)
    for mine, expected in zip(ours.module.parameters(), theirs.module.parameters(), strict=True):
        assert_allclose(mine.detach(), expected.detach(), rtol=0, atol=1e-5)


@pytest.mark.filterwarnings("ignore")  # of peft
@pytest.mark.parametrize(("family", "n_new"), [("qwen2", 0), ("qwen2", 3), ("llama", 3)])
@pytest.mark.parametrize(
    "settings",
    [
        {"modules_to_save": ["embed_tokens", "lm_head"]},  # two tables, also for a tied base
        {"target_modules": ["embed_tokens", "lm_head"], "rank_pattern": {"embed_tokens": 5}},
        {"trainable_token_indices": [4, 7]},
    ],
    ids=str,
)
def test_saved_tables_and_larger_vocabularies_equal_peft(tmp_path, settings, family, n_new):
    base = decoder_checkpoints.save(family, tmp_path / "base")
    module = AutoModelForCausalLM.from_pretrained(base, attn_implementation="eager")
    module.resize_token_embeddings(module.config.vocab_size + n_new, mean_resizing=False)
    config = peft.LoraConfig(**{"target_modules": ["q_proj"], **settings})
    adapted, folder = peft.get_peft_model(module, config), tmp_path / "adapter"
    for part in adapted.parameters():
        part.data += 0.2 * torch.randn_like(part) if part.requires_grad else 0
    adapted.save_pretrained(folder, save_embedding_layers=n_new > 0 or "auto")
    capture, probabilities = load_model(str(folder)).attend_and_predict("the animal")
    ids = torch.tensor([capture.token_ids])
    with torch.inference_mode():
        theirs = adapted.merge_and_unload().eval()(ids, output_attentions=True)
    assert_allclose(capture.weights, torch.cat(theirs.attentions), atol=1e-5)
    assert_allclose(probabilities, theirs.logits[0, -1].softmax(-1), atol=1e-5)


def test_a_bias_is_replaced_a_head_ignored_and_16_bits_stay_16_bits(tmp_path, base):
    bias, (a, b) = torch.full((24,), 0.5), factors((24, 24))
    tensors = {f"bert.{QUERY}.base_layer.bias": bias, "classifier.weight": torch.ones(2, 24)}
    tensors |= {f"bert.{QUERY}.lora_A.weight": a, f"bert.{QUERY}.lora_B.weight": b}
    changes = {"modules_to_save": ["classifier"], "bias": "lora_only"}
    adapter = write(tmp_path / "adapter", base, tensors, **changes)
    model = load_model(str(adapter), dtype="bfloat16")
    assert_allclose(model.module.get_parameter(f"{QUERY}.bias").detach().float(), bias)
    assert {each.dtype for each in model.module.parameters()} == {torch.bfloat16}


def test_a_base_that_is_not_here_is_named(tmp_path):
    adapter, x = tmp_path / "adapter", {"x": torch.ones(1)}
    for base, changes, named in (
        (tmp_path / "none", {}, f"of {tmp_path / 'none'}, which is not on this machine"),
        ("owner/base", {"revision": "v2"}, "of owner/base@v2, which"),
        ("", {}, "names no base model"),
        (adapter, {}, "there is no config.json in it"),  # itself
    ):
        assert named in refused(write(adapter, base, x, **changes), download=False)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"peft_type": "IA3"}, "IA3"),
        ({"alpha_pattern": {"(a+)+": 3}}, "LORA with alpha_pattern"),
        ({"mystery": 1}, "LORA with mystery"),
    ],
)
def test_other_adapters_are_named_with_the_way_to_merge_them(tmp_path, base, changes, kind):
    sentence = refused(write(tmp_path / "adapter", base, {"x": torch.ones(1)}, **changes))
    assert f"is an adapter of type {kind}." in sentence
    assert f"base model {base}: merge_and_unload()" in sentence


@pytest.mark.parametrize(
    "tensors",
    [
        {"bert.encoder.layer.9.attention.self.query.lora_B.weight": torch.ones(24, RANK)},
        {f"bert.{QUERY}.lora_B.weight": torch.ones(24, RANK)},
        {"bert.embeddings.word_embeddings.lora_embedding_A": torch.ones(RANK, 9)},
        # peft would allocate 10^9 x 24 numbers, and divide by a rank of 0.
        {f"bert.{QUERY}.lora_A.weight": torch.ones(10**9, 0)},
        {f"bert.{QUERY}.lora_{x}.weight": torch.ones(24, 24)[:n] for x, n in (("A", 0), ("B", 24))},
    ],
)
def test_weights_that_do_not_fit_the_base_are_refused(tmp_path, base, tensors):
    sentence = refused(write(tmp_path / "adapter", base, tensors))
    assert f"does not fit its base model {base}" in sentence


def test_without_peft_the_page_says_what_to_install(tmp_path, base, monkeypatch):
    adapter = write(tmp_path / "adapter", base, {"x": torch.ones(1)})
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(HeadlightError, match=r"pip install headlight-attention\[peft\]"):
        load_model(str(adapter))


def test_pickled_and_damaged_adapters_are_refused(tmp_path, base):
    adapter = write(tmp_path / "adapter", base, {"x": torch.ones(1)})
    (adapter / "adapter_model.safetensors").write_bytes(b"{}")
    assert "cannot read the weights" in refused(adapter)
    (adapter / "adapter_model.safetensors").rename(adapter / "adapter_model.bin")
    assert "does not open pickle files" in refused(adapter)
    (adapter / "adapter_config.json").write_text("[]")
    assert "The adapter_config.json of" in refused(adapter)
