"""Every type of transformers that writes or predicts text, and what Headlight makes of it.

`python -m tests.nightly.types_table` writes the table of types.md; test_types.py compares it.
Each model is random and small: the default settings of its type, with the sizes below.
"""

import copy
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import CONFIG_MAPPING, PretrainedConfig
from transformers.models.auto import modeling_auto

from model import HeadlightError, LoadedTranslator, load_model
from tests.model import checkpoints
from tests.model.parity import SENTENCE

PAGE = Path(__file__).parents[2] / "docs" / "types.md"
CLASSES = {
    "SEQ_TO_SEQ_CAUSAL_LM": transformers.AutoModelForSeq2SeqLM,
    "MULTIMODAL_LM": transformers.AutoModelForMultimodalLM,
    "MASKED_LM": transformers.AutoModelForMaskedLM,
    "CAUSAL_LM": transformers.AutoModelForCausalLM,
}
OF = {
    model_type: auto
    for kind, auto in reversed(CLASSES.items())
    for model_type in getattr(modeling_auto, f"MODEL_FOR_{kind}_MAPPING_NAMES")
}
"""The class of each type; of several, the first of CLASSES."""

MOST_WEIGHTS = 30_000_000
SIZES = {
    32: "hidden_size d_model n_embd dim embedding_size embed_dim word_embed_proj_dim",
    40: "intermediate_size d_ff ffn_dim hidden_dim encoder_ffn_dim decoder_ffn_dim d_inner",
    16: "moe_intermediate_size shared_expert_intermediate_size out_hidden_size",
    2: "num_hidden_layers n_layers n_layer num_layers encoder_layers decoder_layers depth "
    "num_decoder_layers num_encoder_layers num_key_value_heads num_kv_heads",
    4: "num_attention_heads n_heads n_head num_heads encoder_attention_heads rotary_dim "
    "decoder_attention_heads num_experts num_local_experts n_routed_experts qk_rope_head_dim "
    "qk_nope_head_dim",
    8: "head_dim d_kv v_head_dim q_lora_rank kv_lora_rank",
    64: "max_position_embeddings n_positions max_seq_len",
    0: "pad_token_id",
    1: "bos_token_id eos_token_id decoder_start_token_id num_experts_per_tok n_group topk_group",
    28: "image_size",
    14: "patch_size",
}
SIZE = {name: size for size, names in SIZES.items() for name in names.split()}


def small(model_type: str, vocab_size: int) -> PretrainedConfig:
    """Make a small configuration of a type, with those of its parts."""
    make: Any = CONFIG_MAPPING[model_type]
    default = make()
    changed: dict[str, Any] = {"vocab_size": vocab_size}
    for name, size in SIZE.items():
        value = getattr(default, name, None)
        if getattr(make, name, None).__class__ is property:  # computed from others
            continue
        if (isinstance(value, int) and value >= 0) or name == "pad_token_id":
            changed[name] = size
    if "qk_rope_head_dim" in changed:  # which head_dim repeats
        changed |= {"num_key_value_heads": 4, "head_dim": changed["qk_rope_head_dim"]}
    layers = getattr(default, "layer_types", None)
    computed = isinstance(getattr(make, "layer_types", None), property)
    if isinstance(layers, list) and not computed and (kinds := list(dict.fromkeys(layers))):
        changed |= {"layer_types": kinds * 2, "num_hidden_layers": 2 * len(kinds)}
    if any(name in model_type for name in ("vl_text", "glm4v", "glm_ocr", "glmga", "omni")):
        rope = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [2, 1, 1]}
        changed["rope_parameters"] = rope
    for part in make.sub_configs:
        own = getattr(default, part, None)
        if getattr(own, "model_type", None) in CONFIG_MAPPING:
            changed[part] = small(own.model_type, vocab_size).to_dict()
    return make(**changed)


def row(model_type: str) -> str:
    """Build, open and compare a model of a type: a row of the table."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        try:
            auto, tokenizer = OF[model_type], checkpoints.word_piece()
            # transformers adds tokens for images to some tokenizers.
            config = small(model_type, tokenizer.get_vocab_size() + 8)
            config.decoder_start_token_id = 2
            with torch.device("meta"):
                module = auto.from_config(copy.deepcopy(config))
            if sum(each.numel() for each in module.parameters()) > MOST_WEIGHTS:
                raise ValueError("its default settings are too large")
            module = checkpoints.seeded(auto.from_config, config)
            checkpoints.write(Path(folder), module, tokenizer)
        except Exception as error:  # a size of SIZES does not fit the type
            reason = f"{type(error).__name__}: {error}".partition("\n")[0][:90]
            return f"| {model_type} | not tried | {reason} |"
        try:
            return f"| {model_type} | yes | {_opened(auto, folder)} |"
        except HeadlightError as error:
            reason = str(error).removeprefix(f"{folder} ")
            reason = reason if reason == str(error) else f"It {reason}"
            return f"| {model_type} | no | {reason.replace(folder, 'the model')} |"
        except Exception as error:  # a fault of Headlight
            return f"| {model_type} | fault | {type(error).__name__}: {str(error)[:90]} |"


def _opened(auto: Any, folder: str) -> str:
    """What a model of a folder is. Its weights equal those of transformers to the bit."""
    model, theirs = load_model(folder), auto.from_pretrained(folder, attn_implementation="eager")
    if theirs.config.model_type == "xmod":  # Headlight sets the only language by itself
        theirs.set_default_language(*theirs.config.languages)
    if isinstance(model, LoadedTranslator):
        written = model.generate(SENTENCE, max_new_tokens=3)
        expected = {"decoder_input_ids": torch.tensor([written.decoder.token_ids])}
        capture, name = written.encoder, "encoder_attentions"
    else:
        capture, name, expected = model.attend(SENTENCE), "attentions", {}
    ids, layers = torch.tensor([capture.token_ids]), capture.attention_layers
    with torch.inference_mode():
        found = theirs.eval()(input_ids=ids, output_attentions=True, **expected)[name]
    weights = torch.tensor(capture.weights if layers is None else capture.weights[list(layers)])
    known = torch.cat([x for x in found if x is not None])
    if capture.sink is not None and not torch.equal(weights, known):  # Granite SWA's have no sink
        torch.testing.assert_close(weights, known * (1 - torch.tensor(capture.sink)[..., None]))
    else:
        assert torch.equal(weights, known)
    if hasattr(model, "stream"):
        model.generate(SENTENCE, max_new_tokens=3)
    stack = "encoder-decoder" if name != "attentions" else model.stack
    of = "" if layers is None else f", attention in {len(layers)} of {capture.n_layers} layers"
    return stack + of + ("" if capture.has_steps else ", weights alone")


def main() -> None:
    """Write the table."""
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    before = PAGE.read_text().partition("| type |")[0]
    rows = ["| type | opens | as, or why not |", "|---|---|---|", *map(row, sorted(OF))]
    PAGE.write_text(before + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
