"""Encoder-decoders of transformers as loaded translators.

Axes: B batch, Ts source tokens, Tt target tokens, D d_model, V vocab_size.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import (
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    DynamicCache,
    EncoderDecoderCache,
    PretrainedConfig,
    PreTrainedModel,
)

from model.capture.sites import to_cpu
from model.capture.tokens import MAX_TOKENS
from model.catalogue.pretrained import checkpoint
from model.catalogue.pretrained.attention_layers import AttentionLayers
from model.catalogue.pretrained.decoders import KeyValues
from model.catalogue.pretrained.marian_tokenizers import marian_tokenizers
from model.catalogue.pretrained.size_limits import check_heads
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError
from model.transformer.generation import Predictor

LANGUAGE_HEADS = ("ForConditionalGeneration", "MTModel")
"""Endings of the class names of models that can generate."""

NEUTRAL = {
    "do_sample": False,
    "num_beams": 1,
    "min_length": 0,
    "no_repeat_ngram_size": 0,
    "repetition_penalty": 1.0,
    "length_penalty": 1.0,
    "forced_eos_token_id": None,
}
"""Settings of generation that have no effect here, and their neutral values.

Users choose beam search themselves. ``forced_eos_token_id`` would end a text at the length limit;
the page says instead that the limit was reached.
"""


def check_encoder_decoder(name: str, config: PretrainedConfig) -> None:
    """Refuse an encoder-decoder without a language head, that reads no text, or is too large."""
    declared = config.architectures or LANGUAGE_HEADS
    saved_as = declared if isinstance(declared, str) else str(declared[0])
    model_class = MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING.get(type(config), None)
    if getattr(model_class, "main_input_name", None) != "input_ids":
        raise checkpoint.not_text(name, config)
    if not saved_as.endswith(LANGUAGE_HEADS):
        raise HeadlightError(
            "{name} was saved without its language-model head (as {saved_as}). Headlight opens "
            "encoder-decoders that write text. Choose one with its language-model head.",
            name=name,
            saved_as=saved_as,
        )
    for side in _sides(config):
        check_heads(name, side)
    # T5: half of a side's buckets hold one distance each; the others need larger distances.
    n_buckets = getattr(config, "relative_attention_num_buckets", None)
    farthest = getattr(config, "relative_attention_max_distance", None)
    if n_buckets is not None and farthest is not None and not 2 <= n_buckets // 2 < farthest:
        raise HeadlightError(
            "The config.json of {name} has {n_buckets} buckets for distances up to {farthest}. "
            "T5 does not work with these numbers.",
            name=name,
            farthest=farthest,
            n_buckets=n_buckets,
        )


def _sides(config: PretrainedConfig) -> tuple[PretrainedConfig, PretrainedConfig]:
    """The configurations of encoder and decoder: parts of their own, or both the whole."""
    own = getattr(config, "encoder", None)
    encoder = own if isinstance(own, PretrainedConfig) else config.get_text_config(encoder=True)
    return encoder, config.get_text_config(decoder=True)


def _most_tokens(config: PretrainedConfig) -> int:
    """Most tokens of either side."""
    stated = (getattr(side, "max_position_embeddings", None) for side in _sides(config))
    return min([MAX_TOKENS, *(most for most in stated if isinstance(most, int))])


Tokenizers = tuple[Tokenizer, Tokenizer, Tokenizer | None, int | None]
"""See :func:`translator_tokenizers`."""


def translator_tokenizers(name: str, folder: Path, module: PreTrainedModel) -> Tokenizers:
    """The tokenizers of source, generated ids and given target; known ids of the first, or None."""
    if module.config.model_type != "marian":
        tokenizer = checkpoint.load_tokenizer(name, folder, module).backend_tokenizer
        return tokenizer, tokenizer, tokenizer, None
    source, target, target_reader, n_known = marian_tokenizers(name, folder)
    checkpoint.check_vocabulary(name, target, _n_written(module))
    rows = next(module.get_encoder().get_input_embeddings().parameters())  # (vocab_size, D)
    if n_known > len(rows):
        raise checkpoint.other_vocabulary(name, n_known - 1, len(rows))
    return source, target, target_reader, n_known


def _n_written(module: PreTrainedModel) -> int:
    """V: number of tokens that the model chooses from."""
    head = module.get_output_embeddings()  # type: ignore[no-untyped-call]
    return len(head.weight)


def as_translator(
    name: str, tokenizers: Tokenizers, module: PreTrainedModel, layers: AttentionLayers
) -> LoadedTranslator:
    """Install hooks on an encoder-decoder of transformers."""
    config = module.config
    source, target, target_reader, n_known = tokenizers
    settings = _Settings(module, config)
    suppress = _suppressor(settings.suppressed)
    most = _most_tokens(config)

    def forward(source_ids: Tensor, target_ids: Tensor) -> Tensor:
        output = module(
            input_ids=source_ids.to(module.device),
            decoder_input_ids=target_ids.to(module.device),
            use_cache=False,
        )
        return suppress(to_cpu(output.logits))

    return LoadedTranslator(
        name=name,
        module=module,
        source=source,
        target=target,
        encode_source=_source_encoder(module, suppress, most),
        forward=forward,
        start=settings.start(name),
        ends=frozenset(settings.ids("eos_token_id")),
        max_source=most,
        max_target=most,
        unknown_id=source.token_to_id("<unk>"),
        n_known=n_known,
        target_reader=target_reader,
        forced_first_token=next(iter(settings.ids("forced_bos_token_id")), None),
        task_prefixes=_task_prefixes(config, source),
        ignored_settings=settings.ignored(),
    ).with_hooks(layers.sites, layers.outputs)


@dataclass(frozen=True)
class _Settings:
    """Settings of generation, from generation_config.json and config.json."""

    module: PreTrainedModel
    config: PretrainedConfig

    def get(self, setting: str) -> Any:
        """A setting; None if neither file names it."""
        value = getattr(self.module.generation_config, setting, None)
        return getattr(self.config, setting, None) if value is None else value

    def ids(self, setting: str) -> list[int]:
        """The token ids of a setting that the model can generate."""
        return self._known(_flat(self.get(setting)))

    def start(self, name: str) -> int:
        """The first token of the decoder's input."""
        found = [*self.ids("decoder_start_token_id"), *self.ids("bos_token_id")]
        if not found:
            raise HeadlightError(
                "The config.json of {name} lacks the first token of its output "
                "(decoder_start_token_id).",
                name=name,
            )
        return found[0]

    @property
    def suppressed(self) -> list[int]:
        """Tokens that must not be generated, such as Marian's padding."""
        single = [word[0] for word in self._bad_words() if len(word) == 1]
        return self._known([*single, *_flat(self.get("suppress_tokens"))])

    def ignored(self) -> dict[str, object]:
        """Settings that have no effect here but are not neutral."""
        found = {setting: self.get(setting) for setting in NEUTRAL}
        found["bad_words_ids"] = [word for word in self._bad_words() if len(word) > 1] or None
        return {k: v for k, v in found.items() if v is not None and v != NEUTRAL.get(k)}

    def _bad_words(self) -> list[list[object]]:
        """Token sequences that must not be generated."""
        words = self.get("bad_words_ids")
        return [word for word in words or () if isinstance(word, list)]

    def _known(self, ids: Iterable[object]) -> list[int]:
        most = _n_written(self.module)
        return [id_ for id_ in ids if type(id_) is int and 0 <= id_ < most]


def _flat(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _suppressor(ids: list[int]) -> Callable[[Tensor], Tensor]:
    """Make a function that gives tokens a probability of 0 in logits (..., V)."""

    def suppress(logits: Tensor) -> Tensor:
        if ids:
            logits = logits.clone()
            logits[..., ids] = -torch.inf
        return logits

    return suppress


def _task_prefixes(config: PretrainedConfig, source: Tokenizer) -> tuple[str, ...]:
    """Prefixes of a text: T5's task names, or Marian's language codes."""
    params = getattr(config, "task_specific_params", None)
    each = params.values() if isinstance(params, Mapping) else ()
    found = (task.get("prefix") for task in each if isinstance(task, Mapping))
    prefixes = [prefix for prefix in found if isinstance(prefix, str) and prefix.strip()]
    added = (token.content for token in source.get_added_tokens_decoder().values())
    return (*prefixes, *(f"{token} " for token in added if token.startswith(">>")))


def _source_encoder(
    module: PreTrainedModel, suppress: Callable[[Tensor], Tensor], most: int
) -> Callable[[Tensor], Predictor]:
    def new_cache() -> KeyValues:
        return KeyValues(EncoderDecoderCache(DynamicCache(), DynamicCache()))

    def encode_source(token_ids: Tensor) -> Predictor:
        encoder, ids = module.get_encoder(), token_ids.to(module.device)
        encoded = encoder(input_ids=ids)
        memory: Tensor = encoded.last_hidden_state  # (1, Ts, D)

        @torch.inference_mode()
        def next_logits(target_ids: Tensor, cache: Any) -> Tensor:
            expanded = memory.expand(len(target_ids), -1, -1)  # (1, Ts, D) -> (B, Ts, D)
            logits = module(
                encoder_outputs=type(encoded)(last_hidden_state=expanded),
                decoder_input_ids=target_ids.to(module.device),
                past_key_values=None if cache is None else cache.cache,
                use_cache=cache is not None,
            ).logits
            return suppress(to_cpu(logits[:, -1]))  # (B, Tt, V) -> (B, V)

        return Predictor(next_logits, new_cache, most)

    return encode_source
