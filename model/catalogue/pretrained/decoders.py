"""Decoders of transformers as loaded models. Axes: B batch, V vocab_size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import (
    DynamicCache,
    EncoderDecoderCache,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.capture.sites import to_cpu
from model.capture.tokens import most_tokens
from model.catalogue.causal import ChatTemplate, LoadedCausal, Message
from model.catalogue.pretrained.attention_layers import (
    PROBE_IDS,
    AttentionLayers,
    mixes_elsewhere,
    probed_stream,
)
from model.catalogue.pretrained.families import family_of, max_len
from model.transformer.generation import Predictor

LANGUAGE_HEADS = ("ForCausalLM", "LMHeadModel")
"""Endings of the class names of models with a language head."""

ATTENTION_TYPES = ("full_attention", "sliding_attention", "chunked_attention")
"""Types of layers with keys and values alone, as transformers names them."""


def as_causal(
    name: str, module: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, layers: AttentionLayers
) -> LoadedCausal:
    """Install hooks on a decoder of transformers with its language head."""
    decoder, config = _without_head(module), module.config.get_text_config()
    stream, most = probed_stream(module, layers), max_len(decoder, config)
    room = most_tokens(config.num_hidden_layers * config.num_attention_heads)

    def encode(token_ids: Tensor, segment_ids: Tensor) -> Tensor:
        # A cache would copy every key and value.
        result = decoder(input_ids=token_ids.to(module.device), use_cache=False, return_dict=True)
        return to_cpu(result.last_hidden_state)

    return LoadedCausal(
        name=name,
        module=module,
        encode=encode,
        tokenizer=tokenizer.backend_tokenizer,
        predictor=_predictor(module, min(most, room)),
        n_layers=config.num_hidden_layers,
        n_heads=config.num_attention_heads,
        d_model=config.hidden_size,
        max_len=most,
        outputs=layers.outputs,
        attention_layers=layers.numbers,
        layers=stream.layers,
        mixes_elsewhere=mixes_elsewhere(decoder, layers, stream),
        language_head=stream.head,
        position_table=family_of(config).position_table(decoder, config),
        end=_end(config, tokenizer),
        other_ends=_ends(module, config, tokenizer),
        chat_template=_chat_template(tokenizer),
    ).with_hooks(layers.sites)


def _without_head(module: Any) -> Any:
    """The part of a model below its language head, which Llama 4 names in another way."""
    if module.base_model is not module:
        return module.base_model
    table, head = module.get_input_embeddings(), module.get_output_embeddings()
    models = [part for part in module.modules() if isinstance(part, PreTrainedModel)]
    return next(each for each in models if {table, head}.intersection(each.modules()) == {table})


@dataclass
class KeyValues:
    """A key/value cache of transformers, of ``n_read`` tokens, with the interface of generation."""

    cache: DynamicCache | EncoderDecoderCache
    n_read: int = 0

    def select(self, rows: Tensor) -> None:
        """Keep rows of the batch in a new order. An index may appear twice."""
        self.cache.reorder_cache(rows)  # type: ignore[arg-type]


@torch.inference_mode()
def _predictor(module: PreTrainedModel, max_len: int) -> Predictor:
    config = module.config.get_text_config()
    kinds = getattr(config, "layer_types", None) or ()
    hybrid = any(kind not in ATTENTION_TYPES for kind in kinds)

    @torch.inference_mode()
    def next_logits(token_ids: Tensor, cache: Any) -> Tensor:
        past: dict[str, Any] = {}
        if cache is not None:
            past, first = {"past_key_values": cache.cache}, cache.n_read
            cache.n_read += token_ids.shape[1]
            if hybrid:  # a cache whose first layer has no keys does not know its length (Bamba)
                positions = torch.arange(first, cache.n_read, device=module.device)
                past["position_ids"] = positions.expand(token_ids.shape)  # (B, T)
        logits: Tensor = module(
            input_ids=token_ids.to(module.device),
            use_cache=cache is not None,
            logits_to_keep=1,
            **past,
        ).logits
        return to_cpu(logits[:, -1])  # (B, 1, V) -> (B, V)

    if not hybrid:
        # With the configuration, the cache would keep the last keys of a sliding window only, and
        # for a window of 1 all of them (transformers 5.23). The mask limits the window in any case.
        return Predictor(next_logits, lambda: KeyValues(DynamicCache()), max_len)

    def new_cache() -> KeyValues:
        return KeyValues(DynamicCache(config=config))

    # Some types compute other numbers from their states (Nemotron-H): they get no cache.
    ids, cache = torch.tensor([PROBE_IDS]).remainder(config.vocab_size), new_cache()
    whole = next_logits(ids, None)
    next_logits(ids[:, :2], cache)
    *_, stepped = (next_logits(ids[:, i : i + 1], cache) for i in range(2, len(PROBE_IDS)))
    eps = max(1e-5, 4 * torch.finfo(module.dtype).eps)
    same = torch.allclose(stepped, whole, rtol=0, atol=eps * float(whole.abs().max()))
    return Predictor(next_logits, new_cache if same else lambda: None, max_len)


def _end(config: PretrainedConfig, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """The end token; of several, the tokenizer's, which ends a message."""
    ends = getattr(config, "eos_token_id", None)
    if isinstance(ends, list):
        own = tokenizer.eos_token_id
        return own if own in ends else next(iter(ends), None)
    return ends


def _ends(
    module: PreTrainedModel, config: PretrainedConfig, tokenizer: PreTrainedTokenizerFast
) -> frozenset[int]:
    """All end tokens in the files: of the network, of its generation settings, of the tokenizer."""
    of_generation = getattr(module.generation_config, "eos_token_id", None)
    named = (getattr(config, "eos_token_id", None), of_generation, tokenizer.eos_token_id)
    ids = (id_ for ends in named for id_ in (ends if isinstance(ends, list) else [ends]))
    return frozenset(id_ for id_ in ids if isinstance(id_, int))


def _chat_template(tokenizer: PreTrainedTokenizerFast) -> ChatTemplate | None:
    if not tokenizer.chat_template:
        return None

    def apply(messages: Sequence[Message]) -> str:
        # transformers runs the template in a sandbox.
        copies = [dict(message) for message in messages]
        return str(
            tokenizer.apply_chat_template(copies, tokenize=False, add_generation_prompt=True)
        )

    return apply
