"""A folder that cannot be loaded is refused in one sentence, and nothing is written."""

import json
import os

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, processors
from transformers import (
    AlbertConfig,
    AlbertModel,
    FunnelConfig,
    NystromformerConfig,
    NystromformerModel,
)

from model import HeadlightError, load_model
from model.catalogue.models import load_causal
from tests.model import checkpoints
from tests.model.checkpoints import configure

QUERY = "encoder.layer.1.attention.self.query.weight"


@pytest.fixture
def folder(copied):
    """A valid checkpoint, which each test breaks in one way."""
    return copied("bert")


def refused(folder, private_hub_cache, load=load_model, **options) -> str:
    """Try to load, and return the sentence of the error."""
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    with pytest.raises(HeadlightError) as error:
        load(str(folder), **options)
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before
    assert not private_hub_cache.exists()
    sentence = str(error.value)
    assert sentence.startswith((str(folder), "The ", "Headlight ", "According "))
    assert sentence.endswith(".")
    assert "\n" not in sentence and "Error" not in sentence
    return sentence


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
    assert (
        load_model(str(folder)).attend("it").origin["weights_sha256"]
        != first.origin["weights_sha256"]
    )


# The folder and its config.json.


def test_a_folder_without_read_permission_is_refused(folder, private_hub_cache, monkeypatch):
    stat = os.stat

    def locked(path, **options):
        if str(path).startswith(f"{folder}{os.sep}"):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", locked)
    with pytest.raises(HeadlightError, match="no permission to read") as error:
        load_model(str(folder))
    assert str(folder) in str(error.value)


def test_a_folder_without_a_config_is_refused(folder, private_hub_cache):
    (folder / "config.json").unlink()
    assert "there is no config.json" in refused(folder, private_hub_cache)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff\xfe\x00", b"[" * 100_000, b'{"model_type": "bert"}' + b" " * 2**20],
    ids=lambda content: ascii(content[:9]),
)
def test_a_config_that_is_not_a_json_object_or_too_long_is_refused(
    folder, private_hub_cache, content
):
    (folder / "config.json").write_bytes(content)
    assert "The config.json of" in refused(folder, private_hub_cache)


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_size": "24"},
        {"num_attention_heads": 0},
        {"num_hidden_layers": None},
        {"vocab_size": 1e30},
        {"max_position_embeddings": 2},
        {"dtype": "float99"},
    ],
    ids=str,
)
def test_an_invalid_config_is_refused_in_words(folder, private_hub_cache, changes):
    configure(folder, **changes)
    assert "config.json" in refused(folder, private_hub_cache)


def test_quantised_weights_are_refused_by_name(folder, private_hub_cache):
    configure(folder, quantization_config={"quant_method": "gptq"})
    assert "the weights are quantised" in refused(folder, private_hub_cache)


@pytest.mark.parametrize("model_type", ["gpt3", None, ["bert"]], ids=str)
def test_an_unknown_type_is_named(folder, private_hub_cache, model_type):
    configure(folder, model_type=model_type)
    sentence = refused(folder, private_hub_cache)
    assert f"type {model_type or 'unknown'}, which transformers does not know" in sentence


def test_the_decoder_loader_refuses_encoders(folder, private_hub_cache):
    assert "cannot continue a text" in refused(folder, private_hub_cache, load_causal)


def test_a_bert_trained_as_a_decoder_is_refused(folder, private_hub_cache):
    """Its mask is causal; shown as an encoder's, its heads would mislead."""
    configure(folder, is_decoder=True)
    assert "trained as a decoder" in refused(folder, private_hub_cache)


def test_an_albert_with_several_attentions_per_layer_is_refused(tmp_path, private_hub_cache):
    config = AlbertConfig(
        vocab_size=50,
        embedding_size=16,
        hidden_size=24,
        num_attention_heads=3,
        num_hidden_layers=2,
        inner_group_num=3,
        intermediate_size=40,
    )
    folder = checkpoints.write(tmp_path / "albert", AlbertModel(config), None)
    assert "Headlight captures only models in which every layer" in refused(
        folder, private_hub_cache
    )


def test_code_in_a_checkpoint_is_never_run(folder):
    (folder / "evil.py").write_text("raise SystemExit('the code was run')")
    configure(folder, auto_map={"AutoConfig": "evil.Config", "AutoModel": "evil.Model"})
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"auto_map": {"AutoTokenizer": ["evil.Tokenizer", "evil.Tokenizer"]}})
    )
    assert load_model(str(folder)).n_layers == 2


# The weights.


def test_pickled_weights_are_never_opened(folder, private_hub_cache):
    """Even valid ones, which would load."""
    weights = folder / "model.safetensors"
    torch.save(load_file(weights), folder / "pytorch_model.bin")
    weights.rename(folder / "adapter.safetensors")  # another component's weights
    assert "cannot read the weights" in refused(folder, private_hub_cache)
    (folder / "adapter.safetensors").unlink()
    assert "does not open pickle files" in refused(folder, private_hub_cache)


@pytest.mark.parametrize("share", [0.0, 0.999])
def test_truncated_weights_are_refused(folder, private_hub_cache, share):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])
    assert "cannot read the weights" in refused(folder, private_hub_cache)


def test_an_index_of_missing_shards_is_refused(folder, private_hub_cache):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": {QUERY: "model-00002-of-00002.safetensors"}})
    )
    assert "cannot read the weights" in refused(folder, private_hub_cache)


EXTRA = "encoder.layer.0.attention.self.distance_embedding.weight"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda weights: weights.pop(QUERY), ["1 are missing", QUERY]),
        # For example a BERT with relative positions, or more layers than its config.json says.
        (lambda weights: weights.update({EXTRA: torch.zeros(95, 8)}), ["the model has no", EXTRA]),
        (lambda weights: weights.update({QUERY: torch.zeros(3, 5)}), ["does not fit its config"]),
    ],
    ids=["missing", "surplus", "shape"],
)
def test_other_weights_than_the_models_are_named(folder, private_hub_cache, change, words):
    """Missing ones are not initialised at random, surplus ones not ignored."""
    rewrite_weights(folder, change)
    sentence = refused(folder, private_hub_cache)
    assert all(each in sentence for each in words)


def test_half_precision_weights_are_computed_in_float32(folder):
    rewrite_weights(
        folder, lambda weights: weights.update({key: x.half() for key, x in weights.items()})
    )
    model = load_model(str(folder))
    assert {parameter.dtype for parameter in model.module.parameters()} == {torch.float32}
    assert model.nbytes == 4 * model.n_parameters


# The tokenizer.


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_a_missing_tokenizer_is_refused(copied, private_hub_cache, family):
    """transformers would make a tokenizer without words."""
    folder = copied(family)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (folder / file).unlink()
        sentence = refused(folder, private_hub_cache)
        assert "Copy" in sentence and "from the model that it was trained from" in sentence
    assert "has no tokenizer.json" in sentence


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", [b"", b"[]"])
def test_a_broken_tokenizer_is_refused(folder, private_hub_cache, file, content):
    (folder / file).write_bytes(content)
    assert "cannot read the tokenizer" in refused(folder, private_hub_cache)


def test_token_ids_beyond_the_embeddings_are_refused(folder, private_hub_cache):
    """They are refused when the model is loaded, not at the first word without a row."""
    file = folder / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(file))
    n_rows = tokenizer.get_vocab_size()
    tokenizer.add_tokens(["unheard"])
    tokenizer.save(str(file))
    sentence = refused(folder, private_hub_cache)
    assert f"token id is {n_rows}, but there are only {n_rows} embeddings" in sentence
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[X] $A", pair="[X] $A $B", special_tokens=[("[X]", 9_999)]
    )
    tokenizer.save(str(file))
    assert "largest token id is 9999" in refused(folder, private_hub_cache)


@pytest.mark.parametrize(
    ("files", "advice"),
    [
        (["adapter_config.json", "adapter_model.safetensors"], "names no base model"),
        (["model-q4.gguf", "model-q8.gguf"], "model-q4.gguf."),
        (["checkpoint-90/config.json", "checkpoint-500/config.json"], "checkpoint-500."),
    ],
)
def test_a_folder_that_is_no_model_gets_its_own_advice(tmp_path, files, advice):
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"{}")
    with pytest.raises(HeadlightError) as error:
        load_model(str(tmp_path))
    assert advice in str(error.value)


@pytest.mark.parametrize(("model_type", "part"), [("gemma3", "vision"), ("clap", "audio")])
def test_a_model_of_images_or_sound_is_named_as_one(tmp_path, model_type, part):
    config = {"model_type": model_type, "text_config": {}, f"{part}_config": {"hidden_size": 24}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(HeadlightError, match=r"also reads images or sound\. Headlight opens"):
        load_model(str(tmp_path))


def test_a_type_with_several_base_models_needs_the_name_of_its_class(tmp_path):
    FunnelConfig().save_pretrained(tmp_path)
    with pytest.raises(HeadlightError, match=r"does not name the class.*into architectures"):
        load_model(str(tmp_path))


def test_a_type_that_cannot_read_any_length_is_refused(tmp_path, private_hub_cache):
    tokenizer = checkpoints.word_piece()
    config = NystromformerConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=32,
        num_landmarks=4,
        segment_means_seq_len=16,
    )
    folder = checkpoints.write(tmp_path / "segments", NystromformerModel(config), tokenizer)
    sentence = refused(folder, private_hub_cache)
    assert "of type nystromformer, which does not run on a text of 5 tokens" in sentence
