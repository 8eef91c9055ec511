"""Numbers of a lesson computed by a model."""

from collections.abc import Container
from typing import TYPE_CHECKING, Annotated, Literal, Union

import numpy as np
import torch
from pydantic import Field, NonNegativeInt
from torch import nn

from lessons import by_formula as by_formula  # it registers its kinds
from lessons.value import KINDS, Value, entry, value
from model import AttentionCapture, HeadlightError
from model.analysis.grammar.atlas import read_atlas
from model.analysis.intervention import Intervention
from model.analysis.labels import LABELS, THRESHOLDS
from model.catalogue import encoder_files
from model.catalogue.names import TRANSLATORS
from model.transformer.positions import sinusoids_at
from viz import distinct
from web.cache import captures, generated_texts, loaded_models

CapturedStack = Literal["encoder", "decoder", "cross"]


def captured(model: str, text: str, stack: CapturedStack) -> AttentionCapture:
    """Return the capture of a model's stack; for a translator, of the translation it wrote."""
    if loaded_models.cache_name(model) in TRANSLATORS:
        found: AttentionCapture = getattr(generated_texts.translation(model, text), stack)
        return found
    return captures.capture(model, text, None)


def row(
    model: str, text: str, layer: int, head: int, query: str, stack: CapturedStack
) -> dict[str, float]:
    """Return a head's weights from one query token, by the labels of the keys."""
    capture = captured(model, text, stack)
    if layer >= capture.n_layers or head >= capture.n_heads:
        raise HeadlightError(
            "{model} has no head L{layer}·H{head}.", model=model, layer=layer, head=head
        )
    at = index_of(query, distinct(capture.tokens))
    keys = capture.tokens if capture.other_keys is None else capture.key_tokens
    return dict(zip(distinct(keys), map(float, capture.weights[layer, head, at]), strict=True))


def index_of(token: str, labels: list[str]) -> int:
    """Return the index of the token with this label, as figures print it."""
    if token not in labels:
        raise HeadlightError(
            "There is no token {token} among {labels}.", token=token, labels=" ".join(labels)
        )
    return labels.index(token)


def _known(name: str, names: Container[str]) -> None:
    if name not in names:
        raise HeadlightError("There is no label or measure {name}.", name=name)


@value
def weight(
    model: str,
    text: str,
    layer: NonNegativeInt,
    head: NonNegativeInt,
    query: str,
    key: str,
    stack: CapturedStack = "encoder",
) -> float:
    """A head's weight from one token to another; both are named by their labels in figures."""
    weights = row(model, text, layer, head, query, stack)
    index_of(key, list(weights))
    return weights[key]


@value
def row_sum(
    model: str,
    text: str,
    layer: NonNegativeInt,
    head: NonNegativeInt,
    query: str,
) -> float:
    """The sum of a head's weights from one token."""
    return sum(row(model, text, layer, head, query, "encoder").values())


@value
def tokens(model: str, text: str, special: bool = True) -> float:
    """The number of tokens of a text; ``special`` counts [CLS] and [SEP] too."""
    added = captures.capture(model, text, None).special
    return float(len(added) if special else np.count_nonzero(~added))


@value
def token_id(model: str, text: str, token: str) -> float:
    """The id of a token in a model's vocabulary."""
    at = index_of(token, distinct(captures.capture(model, text, None).tokens))
    return float(loaded_models.loaded_model(model).tokenize(text).ids[at])


@value
def size(
    model: str,
    of: Literal[
        "layers", "heads", "all_heads", "d_model", "d_head", "head_input", "parameters",
        "vocabulary",
    ],
) -> float:  # fmt: skip
    """A size of a model; ``head_input`` is the number of rows of W^Q."""
    loaded = loaded_models.loaded_model(model)
    match of:
        case "layers":
            return loaded.n_layers
        case "heads":
            return loaded.n_heads
        case "all_heads":
            return loaded.n_layers * loaded.n_heads
        case "d_model":
            return loaded.d_model
        case "parameters":
            return loaded.n_parameters
        case "vocabulary":
            return loaded.tokenizer.get_vocab_size()
        case "d_head":
            loaded.check_outputs()
            return loaded.d_head
    for attention, _ in next(iter(loaded.attentions.values()), ()):
        for part in attention.modules():  # its first map computes the queries
            if isinstance(part, nn.Linear):
                return part.in_features
    raise HeadlightError("{model} has no map to its queries.", model=model)


@value
def pre_norm(model: str) -> float:
    """1 if a model normalises the input of each sublayer, otherwise 0."""
    try:
        stacks = loaded_models.parts(model).stacks.values()
    except LookupError as error:
        raise HeadlightError("The layers of {model} are unknown.", model=model) from error
    return float(next(iter(stacks)).norm_placement == "pre")


@value
def position(position: NonNegativeInt, model: str | None = None) -> float:
    """The length of the vector of a position: of a model's table, or of 128 sinusoids."""
    if model is None:
        return float(sinusoids_at(torch.tensor([position]), 128).norm())
    table = loaded_models.loaded_model(model).position_table
    if table is None or position >= len(table):
        raise HeadlightError(
            "{model} has no vector of position {position}.", model=model, position=position
        )
    return float(table[position].norm())


def _measured(model: str, text: str, measure: str) -> np.ndarray:
    measured = captures.head_measures(model, text, None)
    _known(measure, measured)
    return measured[measure]


@value
def measure(
    model: str,
    text: str,
    measure: str,
    layer: NonNegativeInt,
    head: NonNegativeInt | None = None,
) -> float:
    """A measure of a head as on the Profile view, or the mean over a layer's heads."""
    heads = _measured(model, text, measure)
    if head is not None:
        return entry(heads, layer, head)
    means = np.ma.masked_invalid(heads).mean(axis=1).filled(np.nan)  # (L, H) -> (L,)
    return entry(means, layer)


@value
def best_layer(model: str, text: str, measure: str) -> float:
    """The layer of the head with the largest measure, counted from 0."""
    heads = _measured(model, text, measure)
    largest = np.ma.masked_invalid(heads).max(axis=1).filled(np.nan)  # (L, H) -> (L,)
    best = int(np.ma.masked_invalid(largest).argmax())
    entry(largest, best)  # an error if the measure is undefined for every head
    return float(best)


@value
def learned(
    step: NonNegativeInt,
    measure: Literal["next", "previous"],
    layer: NonNegativeInt,
    head: NonNegativeInt,
) -> float:
    """The attention of a head of scratch to its neighbour at a training step, on held-out text."""
    for checkpoint in encoder_files.history().checkpoints:
        if checkpoint.step == step:
            shares = checkpoint.next if measure == "next" else checkpoint.previous
            return entry(shares, layer, head)
    raise HeadlightError("There is no checkpoint of step {step}.", step=step)


@value
def labelled(model: str, text: str, label: str) -> float:
    """The number of heads with a label on a text."""
    _known(label, LABELS)
    labels = captures.head_labels(model, text, None)
    return float(sum(each.name == label for row in labels for each in row))


@value
def threshold(label: str) -> float:
    """The share of a head's attention from which it has a label."""
    _known(label, THRESHOLDS)
    return THRESHOLDS[label]


@value
def sentences(model: str) -> float:
    """The number of sentences over which a model's heads were counted."""
    atlas = read_atlas(model)
    if atlas is None:
        raise HeadlightError("{model} has no counts over a treebank.", model=model)
    return float(atlas.sentences)


@value
def grammar(model: str, relation: str, of: Literal["accuracy", "baseline"] = "accuracy") -> float:
    """The accuracy of a model's best head for a relation, or of the best fixed distance."""
    atlas = read_atlas(model)
    for best in atlas.best_heads() if atlas else ():
        if best.relation == relation:
            return float(best.accuracy if of == "accuracy" else best.baseline)
    raise HeadlightError("There are no counts of {name} for {model}.", name=relation, model=model)


@value
def probability(model: str, text: str, token: str, off: tuple[tuple[int, int], ...] = ()) -> float:
    """The probability of a token at the first mask, or for a decoder after the text."""
    loaded = loaded_models.loaded_model(model)
    if loaded.stack == "decoder":
        probabilities = dict(captures.next_tokens(model, text))
        if token not in probabilities or off:
            raise HeadlightError("{token} is not among the most probable tokens.", token=token)
        return probabilities[token]
    outcome = captures.intervention_outcome(model, text, None, Intervention(off=frozenset(off)))
    id_ = loaded.tokenizer.token_to_id(token)
    if outcome.predicted is None or not len(outcome.predicted) or id_ is None:
        raise HeadlightError(
            "{model} does not predict {token} here: it is not in its list, or no token is [MASK].",
            model=model,
            token=token,
        )
    return float(outcome.predicted[0, id_])


@value
def moved(model: str, text: str, order: tuple[int, ...], strength: float = 0.0) -> float:
    """The change of an encoder's output when words are reordered, word compared with itself."""
    run = captures.reordered_run(model, text, order, strength)
    return run.hidden_difference(captures.reordered_run(model, text, None, strength))


@value
def stream(
    model: str,
    text: str,
    layer: NonNegativeInt,
    token: str,
    of: Literal["entering", "leaving", "attention_share", "feed_forward_share"],
) -> float:
    """The norm of a token's residual-stream vector, or the share that a part adds to it."""
    at = index_of(token, distinct(captures.capture(model, text, None).tokens))
    found = captures.residual_stream(model, text, None)
    norms = {"entering": found.layer_input, "leaving": found.layer_output}
    return entry(norms[of] if of in norms else getattr(found, of), layer, at)


if TYPE_CHECKING:
    AnyValue = Value
else:  # every kind of this file and of by_formula.py, selected by ``what``
    AnyValue = Annotated[Union[tuple(KINDS.values())], Field(discriminator="what")]  # noqa: UP007
