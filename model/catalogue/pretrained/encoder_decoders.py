"""An encoder-decoder of transformers, with its tokenizers, as Headlight looks at it.

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
    AutoModelForSeq2SeqLM,
    DynamicCache,
    EncoderDecoderCache,
    PretrainedConfig,
    PreTrainedModel,
)
from transformers.modeling_outputs import BaseModelOutput

from model.capture.tokens import MAX_TOKENS
from model.catalogue.pretrained.checkpoint import (
    check_vocabulary,
    declared,
    load_config,
    load_module,
    load_tokenizer,
    other_vocabulary,
)
from model.catalogue.pretrained.encoder_decoder_family import EncoderDecoderFamily
from model.catalogue.pretrained.families import ENCODER_DECODERS
from model.catalogue.pretrained.marian_tokenizers import marian_tokenizers
from model.catalogue.pretrained.sizes import check_heads
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError
from model.transformer.generation import Predictor

LANGUAGE_HEADS = ("ForConditionalGeneration", "MTModel")
"""How the names of classes end that can write."""

NEUTRAL = {
    "do_sample": False,
    "num_beams": 1,
    "min_length": 0,
    "no_repeat_ngram_size": 0,
    "repetition_penalty": 1.0,
    "length_penalty": 1.0,
    "forced_eos_token_id": None,
}
"""What a model's own settings of writing may ask for besides, and the value that asks for nothing.

A beam search of 4 is what a reader chooses here. Where the last token that fits should be the end
of the text (``forced_eos_token_id``), the page says that the limit was reached.
"""


def is_encoder_decoder(name: str, folder: Path) -> bool:
    """Whether a folder's config.json names a family that reads one text and writes another.

    Raises:
        HeadlightError: If there is none that can be read.
    """
    return declared(name, folder)["model_type"] in ENCODER_DECODERS


def load_encoder_decoder(name: str, folder: Path) -> LoadedTranslator:
    """Load an encoder-decoder from a folder that ``save_pretrained`` wrote.

    Args:
        name: What it is called.
        folder: Where it is.

    Raises:
        HeadlightError: If the folder is no model, the family is not one of those that Headlight
            reads, it is too large, the weights are pickled, broken or incomplete, or there is no
            tokenizer that fits them.
    """
    said = declared(name, folder)
    family = ENCODER_DECODERS.get(said["model_type"])
    if family is None:
        raise HeadlightError(
            "{name} is a model of type {model_type}, which does not read one text and write "
            "another. These do: {families}.",
            name=name,
            model_type=said["model_type"],
            families=", ".join(ENCODER_DECODERS),
        )
    config = load_config(name, folder, said)
    _check_language_head(name, config)
    family.refuse(name, config)
    for counts in family.counts:
        check_heads(name, config, counts)
    module = load_module(name, folder, config, AutoModelForSeq2SeqLM)
    return _as_translator(name, family, module, config, _tokenizers(name, folder, family, module))


def _check_language_head(name: str, config: PretrainedConfig) -> None:
    saved_as = config.architectures or [LANGUAGE_HEADS[0]]
    if not isinstance(saved_as, list) or not str(saved_as[0]).endswith(LANGUAGE_HEADS):
        raise HeadlightError(
            "{name} was saved without what says the next token: its config.json calls it "
            "{saved_as}. Save it as a language model.",
            name=name,
            saved_as=str(saved_as[0]) if isinstance(saved_as, list) else str(saved_as),
        )


def _tokenizers(
    name: str, folder: Path, family: EncoderDecoderFamily, module: PreTrainedModel
) -> tuple[Tokenizer, Tokenizer, int | None]:
    """Those of what is read and of what is written, and how many ids the first knows; None: all."""
    if family.tokenizers == "one":
        tokenizer = load_tokenizer(name, folder, module).backend_tokenizer
        return tokenizer, tokenizer, None
    source, target, n_known = marian_tokenizers(name, folder)
    check_vocabulary(name, target, _n_written(module))
    rows = next(module.get_encoder().get_input_embeddings().parameters())  # (vocab_size, D)
    if n_known > len(rows):
        raise other_vocabulary(name, n_known - 1, len(rows))
    return source, target, n_known


def _n_written(module: PreTrainedModel) -> int:
    """V: how many tokens it chooses among."""
    head = module.get_output_embeddings()  # type: ignore[no-untyped-call]
    return len(head.weight)


def _as_translator(
    name: str,
    family: EncoderDecoderFamily,
    module: PreTrainedModel,
    config: PretrainedConfig,
    tokenizers: tuple[Tokenizer, Tokenizer, int | None],
) -> LoadedTranslator:
    """Put hooks on an encoder-decoder with its language head."""
    source, target, n_known = tokenizers
    settings = _Settings(module, config)
    logits = _without(settings.never)
    most = min(family.max_len(config), MAX_TOKENS)

    def run(read: Tensor, written: Tensor) -> Tensor:
        return logits(module(input_ids=read, decoder_input_ids=written, use_cache=False).logits)

    return LoadedTranslator(
        name=name,
        module=module,
        source=source,
        target=target,
        read=_reader(module, logits, most),
        run=run,
        start=settings.start(name),
        ends=frozenset(settings.ids("eos_token_id")),
        max_source=most,
        max_target=most,
        unknown_id=source.token_to_id("<unk>"),
        n_known=n_known,
        first=next(iter(settings.ids("forced_bos_token_id")), None),
        tasks=_tasks(config, source),
        unheeded=settings.unheeded(),
    ).hooked(family.sites(module), family.outputs(module))


@dataclass(frozen=True)
class _Settings:
    """How a model was meant to write: its generation_config.json, and what its config.json says."""

    module: PreTrainedModel
    config: PretrainedConfig

    def get(self, setting: str) -> Any:
        """A setting; None if neither names it."""
        said = getattr(self.module.generation_config, setting, None)
        return getattr(self.config, setting, None) if said is None else said

    def ids(self, setting: str) -> list[int]:
        """The token, or tokens, that a setting names; those that there are."""
        return self._known(_flat(self.get(setting)))

    def start(self, name: str) -> int:
        """The token that the decoder begins with."""
        found = [*self.ids("decoder_start_token_id"), *self.ids("bos_token_id")]
        if not found:
            raise HeadlightError(
                "The config.json of {name} does not say with which token its writing begins "
                "(decoder_start_token_id).",
                name=name,
            )
        return found[0]

    @property
    def never(self) -> list[int]:
        """Tokens that may not be written, each by itself: Marian's padding is one."""
        alone = [word[0] for word in self._bad_words() if len(word) == 1]
        return self._known([*alone, *_flat(self.get("suppress_tokens"))])

    def unheeded(self) -> dict[str, object]:
        """What is asked for besides, and is not done."""
        asked = {setting: self.get(setting) for setting in NEUTRAL}
        asked["bad_words_ids"] = [word for word in self._bad_words() if len(word) > 1] or None
        return {k: v for k, v in asked.items() if v is not None and v != NEUTRAL.get(k)}

    def _bad_words(self) -> list[list[object]]:
        """What may not be written, token by token."""
        words = self.get("bad_words_ids")
        return [word for word in words or () if isinstance(word, list)]

    def _known(self, ids: Iterable[object]) -> list[int]:
        most = _n_written(self.module)
        return [id_ for id_ in ids if type(id_) is int and 0 <= id_ < most]


def _flat(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _without(never: list[int]) -> Callable[[Tensor], Tensor]:
    """Takes tokens out of logits (..., V): none of the probability is theirs."""

    def without(logits: Tensor) -> Tensor:
        if never:
            logits = logits.clone()
            logits[..., never] = -torch.inf
        return logits

    return without


def _tasks(config: PretrainedConfig, source: Tokenizer) -> tuple[str, ...]:
    """What stands before a text: T5's names of tasks, or Marian's of languages."""
    said = getattr(config, "task_specific_params", None)
    each = said.values() if isinstance(said, Mapping) else ()
    found = (task.get("prefix") for task in each if isinstance(task, Mapping))
    prefixes = [prefix for prefix in found if isinstance(prefix, str) and prefix.strip()]
    added = (token.content for token in source.get_added_tokens_decoder().values())
    return (*prefixes, *(f"{token} " for token in added if token.startswith(">>")))


@dataclass(frozen=True)
class _KeptKeys:
    """transformers' cache of keys and values: of what was written, and of what was read."""

    kept: EncoderDecoderCache

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order; a row may come twice."""
        self.kept.reorder_cache(rows)  # type: ignore[arg-type]


def _reader(
    module: PreTrainedModel,
    logits: Callable[[Tensor], Tensor],
    most: int,
) -> Callable[[Tensor], Predictor]:
    def new_cache() -> _KeptKeys:
        return _KeptKeys(EncoderDecoderCache(DynamicCache(), DynamicCache()))

    def read(token_ids: Tensor) -> Predictor:
        memory: Tensor = module.get_encoder()(input_ids=token_ids).last_hidden_state  # (1, Ts, D)

        @torch.inference_mode()
        def next_logits(written: Tensor, cache: Any) -> Tensor:
            seen = memory.expand(len(written), -1, -1)  # (1, Ts, D) -> (B, Ts, D)
            said = module(
                encoder_outputs=BaseModelOutput(last_hidden_state=seen),
                decoder_input_ids=written,
                past_key_values=None if cache is None else cache.kept,
                use_cache=cache is not None,
            ).logits
            return logits(said[:, -1])  # (B, Tt, V) -> (B, V)

        return Predictor(next_logits, new_cache, most)

    return read
