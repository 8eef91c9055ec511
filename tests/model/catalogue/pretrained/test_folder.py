"""A folder that cannot be loaded is refused in one sentence, and nothing is written."""

import json
import os

import pytest
import torch
from huggingface_hub import constants
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
EXTRA = "encoder.layer.0.attention.self.distance_embedding.weight"


@pytest.fixture
def folder(copied):
    """A valid checkpoint, which each test breaks in one way."""
    return copied("bert")


def refused(folder, load=load_model) -> str:
    """Try to load, and return the sentence of the error. Nothing is written or downloaded."""
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    with pytest.raises(HeadlightError) as error:
        load(str(folder))
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before
    assert not os.path.exists(constants.HF_HUB_CACHE)
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
    changed = load_model(str(folder)).attend("it").origin["weights_sha256"]
    assert changed != first.origin["weights_sha256"]


# The folder and its config.json.


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


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff\xfe\x00", b"[" * 100_000, b'{"model_type": "bert"}' + b" " * 2**20],
    ids=lambda content: ascii(content[:9]),
)
def test_a_config_that_is_not_a_json_object_or_too_long_is_refused(folder, content):
    (folder / "config.json").write_bytes(content)
    assert "The config.json of" in refused(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_size": "24"}, "config.json"),
        ({"num_attention_heads": 0}, "config.json"),
        ({"num_hidden_layers": None}, "config.json"),
        ({"vocab_size": 1e30}, "config.json"),
        ({"max_position_embeddings": 2}, "config.json"),
        ({"dtype": "float99"}, "config.json"),
        ({"quantization_config": {"quant_method": "gptq"}}, "the weights are quantised"),
        ({"model_type": "gpt3"}, "type gpt3, which transformers does not know"),
        ({"model_type": None}, "type unknown, which transformers does not know"),
        ({"model_type": ["bert"]}, "type ['bert'], which transformers does not know"),
        # Its mask is causal; shown as an encoder's, its heads would mislead.
        ({"is_decoder": True}, "trained as a decoder"),
    ],
    ids=str,
)
def test_an_invalid_config_is_refused_in_words(folder, changes, words):
    configure(folder, **changes)
    assert words in refused(folder)


def test_the_decoder_loader_refuses_encoders(folder):
    assert "cannot continue a text" in refused(folder, load_causal)


SIZES = {**checkpoints.PLAIN, "vocab_size": 99}


@pytest.mark.parametrize(
    ("make", "config", "words"),
    [
        (AlbertModel, AlbertConfig(**SIZES, inner_group_num=3), "models in which every layer"),
        (
            NystromformerModel,
            NystromformerConfig(**SIZES, num_landmarks=4, segment_means_seq_len=16),
            "of type nystromformer, which does not run on a text of 5 tokens",
        ),
    ],
    ids=["several attentions in a layer", "texts of one length"],
)
def test_a_type_whose_weights_have_another_form_is_refused(tmp_path, make, config, words):
    folder = checkpoints.write(tmp_path / "tiny", make(config), checkpoints.word_piece())
    assert words in refused(folder)


def test_a_type_with_several_base_models_needs_the_name_of_its_class(tmp_path):
    FunnelConfig().save_pretrained(tmp_path)
    with pytest.raises(HeadlightError, match=r"does not name the class.*into architectures"):
        load_model(str(tmp_path))


@pytest.mark.parametrize(("model_type", "part"), [("gemma3", "vision"), ("clap", "audio")])
def test_a_model_of_images_or_sound_is_named_as_one(tmp_path, model_type, part):
    config = {"model_type": model_type, "text_config": {}, f"{part}_config": {"hidden_size": 24}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(HeadlightError, match=r"also reads images or sound\. Headlight opens"):
        load_model(str(tmp_path))


@pytest.mark.parametrize(
    ("files", "advice"),
    [
        ([], "there is no config.json"),
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


def test_code_in_a_checkpoint_is_never_run(folder):
    (folder / "evil.py").write_text("raise SystemExit('the code was run')")
    configure(folder, auto_map={"AutoConfig": "evil.Config", "AutoModel": "evil.Model"})
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"auto_map": {"AutoTokenizer": ["evil.Tokenizer", "evil.Tokenizer"]}})
    )
    assert load_model(str(folder)).n_layers == 2


# The weights.


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
    for share in (0.0, 0.999):
        file.write_bytes(content[: int(share * len(content))])
        assert "cannot read the weights" in refused(folder)
    file.write_bytes(content)
    file.rename(folder / "model-00001-of-00002.safetensors")
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": {QUERY: "model-00002-of-00002.safetensors"}})
    )
    assert "cannot read the weights" in refused(folder)


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
def test_other_weights_than_the_models_are_named(folder, change, words):
    """Missing ones are not initialised at random, surplus ones not ignored."""
    rewrite_weights(folder, change)
    sentence = refused(folder)
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
def test_a_missing_tokenizer_is_refused(copied, family):
    """transformers would make a tokenizer without words."""
    folder = copied(family)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (folder / file).unlink()
        sentence = refused(folder)
        assert "Copy" in sentence and "from the model that it was trained from" in sentence
    assert "has no tokenizer.json" in sentence


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", [b"", b"[]"])
def test_a_broken_tokenizer_is_refused(folder, file, content):
    (folder / file).write_bytes(content)
    assert "cannot read the tokenizer" in refused(folder)


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
