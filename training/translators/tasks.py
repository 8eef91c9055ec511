"""Tasks of the translators: training examples, held-out examples, model sizes."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from model.catalogue.translation_files import TaskName
from model.errors import HeadlightError
from model.languages import dates, phrases
from model.transformer.config import DecoderConfig, EncoderConfig
from training.recipe import TranslatorRecipe
from training.translators import sampling
from training.translators.tokenizers import date_tokenizers, phrase_tokenizers

HELD_OUT_PHRASES = 4_000
INPUTS: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("inputs.json").read_text(encoding="utf-8")
)
"""For each task the examples of the page, and inputs outside the training for the model card."""


@dataclass(frozen=True)
class Example:
    """A source with its target, and the source positions that each target token translates."""

    source: str
    target: str
    pattern: str
    sources: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True)
class DataSizes:
    """Sizes of a translator."""

    encoder: EncoderConfig
    decoder: DecoderConfig


@dataclass(frozen=True)
class TranslationTask:
    """A task that a translator learns; it changes most between the shipped ``checkpoints``."""

    name: TaskName
    source: Tokenizer
    target: Tokenizer
    sizes: DataSizes
    recipe: TranslatorRecipe
    checkpoints: tuple[int, ...]
    sample: Callable[[random.Random], Example]
    held_out: Callable[[], list[Example]]


def task_named(name: str) -> TranslationTask:
    """The task with a name."""
    if name not in TASKS:
        raise HeadlightError(
            "There is no task {name}. Choose one of these: {names}.",
            name=name,
            names=", ".join(TASKS),
        )
    return TASKS[name]()


def phrase_example(phrase: phrases.Phrase) -> Example:
    """The example of a phrase."""
    pair = phrases.pair(phrase)
    sources = tuple(word.sources for word in pair.french)
    return Example(pair.source, pair.target, sampling.pattern_of(phrase), sources)


def date_example(when: date, form: str) -> Example:
    """The example of a date in a format."""
    return Example(dates.write(when, form), when.isoformat(), form)


def _sizes(source: Tokenizer, target: Tokenizer, dropout: float) -> DataSizes:
    shared: dict[str, Any] = {
        "d_model": 64, "n_heads": 4, "d_ff": 256, "n_layers": 2, "max_len": 64, "dropout": dropout,
    }  # fmt: skip
    return DataSizes(
        EncoderConfig(vocab_size=source.get_vocab_size(), **shared),
        DecoderConfig(vocab_size=target.get_vocab_size(), **shared),
    )


@cache
def _phrases() -> TranslationTask:
    source, target = phrase_tokenizers()
    return TranslationTask(
        name="phrases",
        source=source,
        target=target,
        sizes=_sizes(source, target, dropout=0.1),
        recipe=TranslatorRecipe(task="phrases", steps=5_000, lr=3e-3, forget=0.3),
        checkpoints=(0, 100, 200, 300, 500, 1_000),
        sample=lambda rng: phrase_example(sampling.Sampler(rng).phrase()),
        held_out=lambda: [
            phrase_example(phrase) for phrase in sampling.untrained_phrases(HELD_OUT_PHRASES)
        ],
    )


@cache
def _dates() -> TranslationTask:
    source, target = date_tokenizers()
    return TranslationTask(
        name="dates",
        source=source,
        target=target,
        sizes=_sizes(source, target, dropout=0.0),
        recipe=TranslatorRecipe(task="dates", steps=4_000),
        checkpoints=(0, 100, 200, 400, 800, 1_200, 2_000),
        sample=lambda rng: date_example(*dates.draw(rng)),
        held_out=lambda: [date_example(*each) for each in dates.held_out_texts()],
    )


TASKS = {"phrases": _phrases, "dates": _dates}
