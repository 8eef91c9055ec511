"""A folder that cannot be loaded is refused in one sentence, and nothing is written; networks."""

import json
import os
from copy import deepcopy

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, processors
from transformers import AutoModel, AutoTokenizer

from model import Encoder, EncoderConfig, HeadlightError, load_model
from model.catalogue.models import bert_tokenizer
from tests.model.checkpoints import configure, refused

QUERY = "encoder.layer.1.attention.self.query.weight"
HEADS = {"hidden_size": 96, "num_attention_heads": 96}
EXTRA = "encoder.layer.0.attention.self.distance_embedding.weight"


@pytest.fixture
def folder(copied):
    """A valid checkpoint, which each test breaks in one way."""
    return copied("bert")


def rewrite_weights(folder, change):
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def test_the_hash_of_the_weights_depends_on_the_weights_alone(folder):
    """Without a pooler in the file, transformers would initialise one at random."""
    pooled = [name for name in load_file(folder / "model.safetensors") if "pooler" in name]
    expected = load_model(str(folder)).attend("it was").weights
    rewrite_weights(folder, lambda weights: [weights.pop(name) for name in pooled])
    first, second = (load_model(str(folder)).attend("it was") for _ in range(2))
    assert pooled and first.origin == second.origin and (first.weights == expected).all()
    rewrite_weights(folder, lambda weights: weights[QUERY].mul_(2))
    changed = load_model(str(folder)).attend("it").origin["weights_sha256"]
    assert changed != first.origin["weights_sha256"]


def test_a_folder_without_read_permission_is_refused(folder, monkeypatch):
    stat = os.stat

    def locked(path, **options):
        if str(path).startswith(f"{folder}{os.sep}"):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", locked)
    with pytest.raises(HeadlightError, match="no permission to read") as error:
        load_model(str(folder))
    assert str(folder) in str(error.value)


def test_a_config_that_is_not_a_json_object_or_too_long_is_refused(folder):
    for content in (b"[]", b"[" * 100_000, b'{"model_type": "bert"}' + b" " * 2**20):
        (folder / "config.json").write_bytes(content)
        assert "The config.json of" in refused(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_size": "24"}, "config.json"),
        ({"max_position_embeddings": 2}, "config.json"),
        ({"quantization_config": {"quant_method": "gptq"}}, "the weights are quantised"),
        ({"num_hidden_layers": 2_000}, "num_hidden_layers = 2,000. Headlight shows up to 100"),
        ({**HEADS, "num_hidden_layers": 86}, "num_hidden_layers * num_attention_heads = 8,256"),
        ({"id2label": {str(i): f"l{i}" for i in range(10_001)}}, "num_labels = 10,001"),
        ({"model_type": "gpt3"}, "type gpt3, which transformers does not know"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_invalid_config_is_refused_in_words(folder, changes, words):
    configure(folder, **changes)
    assert words in refused(folder)


@pytest.mark.parametrize(
    ("files", "advice"),
    [
        ({}, "there is no config.json"),
        ({"model-q4.gguf": "", "model-q8.gguf": ""}, "model-q4.gguf."),
        ({"checkpoint-90/config.json": "", "checkpoint-500/config.json": ""}, "checkpoint-500."),
        ({"config.json": '{"model_type": "funnel"}'}, "into architectures"),
    ],
    ids=str,
)
def test_a_folder_that_is_no_model_of_text_gets_its_own_advice(tmp_path, files, advice):
    for file, content in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(content)
    assert advice in refused(tmp_path)


def test_code_in_a_checkpoint_is_never_run(folder):
    (folder / "evil.py").write_text("raise SystemExit('the code was run')")
    configure(folder, auto_map={"AutoConfig": "evil.Config", "AutoModel": "evil.Model"})
    tokenizer = {"auto_map": {"AutoTokenizer": ["evil.Tokenizer", "evil.Tokenizer"]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    assert load_model(str(folder)).n_layers == 2


def test_pickled_weights_are_never_opened(folder):
    """Even valid ones, which would load."""
    weights = folder / "model.safetensors"
    torch.save(load_file(weights), folder / "pytorch_model.bin")
    weights.rename(folder / "adapter.safetensors")  # another component's weights
    assert "cannot read the weights" in refused(folder)
    (folder / "adapter.safetensors").unlink()
    assert "does not open pickle files" in refused(folder)


def test_truncated_weights_and_missing_shards_are_refused(folder):
    file = folder / "model.safetensors"
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    assert "cannot read the weights" in refused(folder)
    file.unlink()
    os.mkfifo(file)  # whose reader waits for a writer
    assert "cannot read the weights" in refused(folder)
    file.unlink()
    file.write_bytes(content)
    file.rename(folder / "model-00001-of-00002.safetensors")
    shards = {"metadata": {}, "weight_map": {QUERY: "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(shards))
    assert "cannot read the weights" in refused(folder)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda weights: weights.pop(QUERY), ["1 are missing", QUERY]),
        # For example a BERT with relative positions, or more layers than its config.json says.
        (lambda weights: weights.update({EXTRA: torch.zeros(95, 8)}), ["the model has no", EXTRA]),
        (lambda weights: weights.update({QUERY: torch.zeros(3, 5)}), ["does not fit its config"]),
    ],
)
def test_other_weights_than_the_models_are_named(folder, change, words):
    """Missing ones are not initialised at random, surplus ones not ignored."""
    rewrite_weights(folder, change)
    sentence = refused(folder)
    assert all(each in sentence for each in words)


def test_half_precision_weights_are_computed_in_float32(folder):
    rewrite_weights(folder, lambda all_: all_.update({key: x.half() for key, x in all_.items()}))
    model = load_model(str(folder))
    assert {parameter.dtype for parameter in model.module.parameters()} == {torch.float32}
    assert model.nbytes == 4 * model.n_parameters


def test_a_missing_or_broken_tokenizer_is_refused(folder):
    """transformers would make a tokenizer without words."""
    for file in ("tokenizer.json", "tokenizer_config.json"):
        content = (folder / file).read_bytes()
        (folder / file).write_bytes(b"[]")
        assert "cannot read the tokenizer" in refused(folder)
        (folder / file).write_bytes(content)
    content = json.loads((folder / "tokenizer.json").read_text())
    template = {**content["post_processor"], "special_tokens": {}}
    normalizer = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
    for panics in ({"normalizer": normalizer}, {"post_processor": template}):
        (folder / "tokenizer.json").write_text(json.dumps({**content, **panics}))
        assert "cannot read the tokenizer" in refused(folder)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (folder / file).unlink()
        sentence = refused(folder)
        assert "Copy" in sentence and "from the model that it was trained from" in sentence
    assert "has no tokenizer.json" in sentence


def test_token_ids_beyond_the_embeddings_are_refused(folder):
    """They are refused when the model is loaded, not at the first word without a row."""
    file = folder / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(file))
    n_rows = tokenizer.get_vocab_size()
    tokenizer.add_tokens(["unheard"])
    tokenizer.save(str(file))
    assert f"token id is {n_rows}, but there are only {n_rows} embeddings" in refused(folder)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[X] $A", pair="[X] $A $B", special_tokens=[("[X]", 9_999)]
    )
    tokenizer.save(str(file))
    assert "largest token id is 9999" in refused(folder)


def test_a_network_in_memory_is_copied(minilm, opened):
    folder = minilm.module.name_or_path
    network, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.enable_truncation(3)
    model = load_model(network.train(), tokenizer)
    with torch.no_grad():
        network.encoder.layer[0].attention.self.query.weight.zero_()
    found, expected = (each.attend("the animal was tired") for each in (model, minilm))
    np.testing.assert_array_equal(found.weights, expected.weights)
    assert found.origin == expected.origin and found.model == "BertModel"
    assert network.training and network.config._attn_implementation == "sdpa"
    own = load_model(Encoder(EncoderConfig(30_522, 12, 3, 20, 2)), bert_tokenizer())
    assert own.attend("it was").weights.shape == (2, 3, 4, 4)
    for family in ("llama", "bart"):
        loaded = opened(family)
        copied = load_model(loaded.model.module, AutoTokenizer.from_pretrained(loaded.folder))
        assert type(copied) is type(loaded.model)
        assert (
            copied.generate("it was", max_new_tokens=4).text
            == loaded.model.generate("it was", max_new_tokens=4).text
        )
    for given, why in (
        ((network, None), "fast tokenizer.*NoneType"),
        ((torch.nn.ReLU(), tokenizer), "not a ReLU"),
        ((deepcopy(network).double(), tokenizer), "not float64"),
    ):
        with pytest.raises(HeadlightError, match=why):
            load_model(*given)
    with pytest.raises(HeadlightError, match="stays where it is"):
        load_model(network, tokenizer, dtype="bfloat16")
