"""A decoder of transformers, with its tokenizer, as Headlight looks at it.

Axes: B batch, V vocab_size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from model.capture.tokens import most_tokens
from model.catalogue.causal import Conversation, LoadedCausal, Message
from model.catalogue.pretrained.family import Family
from model.errors import HeadlightError
from model.transformer.generation import Predictor

LANGUAGE_HEADS = ("ForCausalLM", "LMHeadModel")
"""How the names of classes end that can say what comes next."""


def check_language_head(name: str, config: PretrainedConfig) -> None:
    """Refuse a decoder that was saved without its language head, or with another.

    Raises:
        HeadlightError: If it was; it is called by the name.
    """
    saved_as = config.architectures or [LANGUAGE_HEADS[0]]
    if not isinstance(saved_as, list) or not str(saved_as[0]).endswith(LANGUAGE_HEADS):
        raise HeadlightError(
            "{name} was saved without what says the next token: its config.json calls it "
            "{saved_as}. Save it as a language model.",
            name=name,
            saved_as=str(saved_as[0]) if isinstance(saved_as, list) else str(saved_as),
        )


def as_causal(
    name: str,
    family: Family,
    module: PreTrainedModel,
    config: PretrainedConfig,
    tokenizer: PreTrainedTokenizerFast,
) -> LoadedCausal:
    """Put hooks on a decoder with its language head."""
    decoder = module.base_model
    room = most_tokens(config.num_hidden_layers * config.num_attention_heads)
    return LoadedCausal(
        name=name,
        module=module,
        encode=family.forward(decoder, config, "last_hidden_state"),
        tokenizer=tokenizer.backend_tokenizer,
        predictor=_predictor(module, config, min(family.max_len(config), room)),
        n_layers=config.num_hidden_layers,
        n_heads=config.num_attention_heads,
        d_model=config.hidden_size,
        max_len=family.max_len(config),
        outputs=family.outputs(decoder, config),
        layers=family.layers(decoder),
        language_head=family.head.found(module) if family.head else None,
        position_table=family.positions(decoder, config),
        end=_end(config, tokenizer),
        other_ends=_ends(module, config, tokenizer),
        conversation=_conversation(tokenizer),
    ).hooked(family.sites(decoder, config))


@dataclass(frozen=True)
class KeptKeys:
    """transformers' cache of keys and values, as generation asks for one."""

    kept: DynamicCache

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order; a row may come twice."""
        self.kept.reorder_cache(rows)  # type: ignore[arg-type]


def _predictor(module: PreTrainedModel, config: PretrainedConfig, max_len: int) -> Predictor:
    @torch.inference_mode()
    def next_logits(token_ids: Tensor, cache: Any) -> Tensor:
        kept = {} if cache is None else {"past_key_values": cache.kept}
        logits: Tensor = module(
            input_ids=token_ids, use_cache=cache is not None, logits_to_keep=1, **kept
        ).logits
        return logits[:, -1]  # (B, 1, V) -> (B, V)

    return Predictor(next_logits, lambda: KeptKeys(DynamicCache(config=config)), max_len)


def _end(config: PretrainedConfig, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """The token that ends a text; of several the tokenizer's own, which ends a turn."""
    ends = config.eos_token_id
    if isinstance(ends, list):
        own = tokenizer.eos_token_id
        return own if own in ends else next(iter(ends), None)
    return ends


def _ends(
    module: PreTrainedModel, config: PretrainedConfig, tokenizer: PreTrainedTokenizerFast
) -> frozenset[int]:
    """All that its files name: the network's, those it was meant to write with, the tokenizer's."""
    written_with = getattr(module.generation_config, "eos_token_id", None)
    named = (config.eos_token_id, written_with, tokenizer.eos_token_id)
    ids = (id_ for ends in named for id_ in (ends if isinstance(ends, list) else [ends]))
    return frozenset(id_ for id_ in ids if isinstance(id_, int))


def _conversation(tokenizer: PreTrainedTokenizerFast) -> Conversation | None:
    if not tokenizer.chat_template:
        return None

    def written(messages: Sequence[Message]) -> str:
        # transformers runs the template in a sandbox that changes nothing outside it.
        turns = [dict(message) for message in messages]
        return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))

    return written
