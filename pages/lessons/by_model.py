"""Values of a lesson computed by a model."""

from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field, NonNegativeInt
from torch import nn

from model import AttentionCapture, HeadlightError
from model.analysis.grammar.atlas import read_atlas
from model.analysis.intervention import Intervention
from model.analysis.labels import LABELS, THRESHOLDS
from model.catalogue import encoder_files
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.names import TRANSLATORS
from model.transformer.positions import sinusoids_at
from pages.lessons.value import Name, Text, Value, entry
from viz import distinct
from web.cache import captures, generated_texts, loaded_models

Stack = Literal["encoder", "decoder", "cross"]


def captured(model: str, text: str, stack: Stack) -> AttentionCapture:
    """Return the capture of a model's stack; for a translator, of the translation it wrote."""
    if loaded_models.cache_name(model) in TRANSLATORS:
        found: AttentionCapture = getattr(generated_texts.translation(model, text), stack)
        return found
    return captures.capture(model, text, None)


def row(model: str, text: str, layer: int, head: int, query: str, stack: Stack) -> dict[str, float]:
    """Return a head's weights from one query token, by the labels of the keys.

    Raises:
        HeadlightError: If the head or the token does not exist.
    """
    capture = captured(model, text, stack)
    if layer >= capture.n_layers or head >= capture.n_heads:
        raise HeadlightError(
            "{model} has no head L{layer}·H{head}.", model=model, layer=layer, head=head
        )
    at = position(distinct(capture.tokens), query)
    keys = capture.tokens if capture.other_keys is None else capture.key_tokens
    return dict(zip(distinct(keys), map(float, capture.weights[layer, head, at]), strict=True))


def position(labels: list[str], token: str) -> int:
    """Return the index of the token with this label, as figures print it.

    Raises:
        HeadlightError: If no token has the label.
    """
    if token not in labels:
        raise HeadlightError(
            "There is no token {token} among {labels}.", token=token, labels=" ".join(labels)
        )
    return labels.index(token)


class Weight(Value):
    """A head's weight from one token to another; both are named by their labels in figures."""

    what: Literal["weight"]
    model: Name
    text: Text
    layer: NonNegativeInt
    head: NonNegativeInt
    query: Name
    key: Name
    stack: Stack = "encoder"

    def compute(self) -> float:
        """Return the weight."""
        weights = row(self.model, self.text, self.layer, self.head, self.query, self.stack)
        return weights[list(weights)[position(list(weights), self.key)]]


class RowSum(Value):
    """The sum of a head's weights from one token, or over another axis of the weights.

    Attributes:
        over: ``keys``: the row of the token; ``queries``: its column; ``both``: all cells of the
            head; ``heads``: the cell from the token to itself, in all heads of the layer.
    """

    what: Literal["row_sum"]
    model: Name
    text: Text
    layer: NonNegativeInt
    head: NonNegativeInt
    query: Name
    over: Literal["keys", "queries", "both", "heads"] = "keys"

    def compute(self) -> float:
        """Return the sum."""
        name, text, layer, head = self.model, self.text, self.layer, self.head
        weights = row(name, text, layer, head, self.query, "encoder")
        if self.over == "keys":
            return sum(weights.values())
        of_layer = captured(name, text, "encoder").weights[layer]  # (H, T, T)
        at = list(weights).index(self.query)
        if self.over == "heads":
            return float(of_layer[:, at, at].sum())
        return float((of_layer[head] if self.over == "both" else of_layer[head, :, at]).sum())


class TokenCount(Value):
    """The number of tokens of a text.

    Attributes:
        special: Whether to count the tokens that the model adds, [CLS] and [SEP].
    """

    what: Literal["tokens"]
    model: Name
    text: Text
    special: bool = True

    def compute(self) -> float:
        """Return the count."""
        added = captures.capture(self.model, self.text, None).special
        return float(len(added) if self.special else np.count_nonzero(~added))


class TokenId(Value):
    """The id of a token in a model's vocabulary."""

    what: Literal["token_id"]
    model: Name
    text: Text
    token: Name

    def compute(self) -> float:
        """Return the id."""
        capture = captures.capture(self.model, self.text, None)
        at = position(distinct(capture.tokens), self.token)
        return float(loaded_models.loaded_model(self.model).tokenize(self.text).ids[at])


class ModelSize(Value):
    """A size of a model; ``head_input`` is the number of rows of W^Q."""

    what: Literal["size"]
    model: Name
    of: Literal[
        "layers",
        "heads",
        "all_heads",
        "d_model",
        "d_head",
        "head_input",
        "parameters",
        "vocabulary",
    ]

    def compute(self) -> float:
        """Return the size."""
        model = loaded_models.loaded_model(self.model)
        if self.of == "d_head":
            model.check_outputs()
            return float(model.d_head)
        if self.of == "head_input":
            return float(_head_input(model))
        return float(
            {
                "layers": model.n_layers,
                "heads": model.n_heads,
                "all_heads": model.n_layers * model.n_heads,
                "d_model": model.d_model,
                "parameters": model.n_parameters,
                "vocabulary": model.tokenizer.get_vocab_size(),
            }[self.of]
        )


def _head_input(model: LoadedModel) -> int:
    """Return the number of rows of W^Q: its map is the first of the attention module."""
    for attention, _ in next(iter(model.attentions.values()), ()):
        for part in attention.modules():
            if isinstance(part, nn.Linear):
                return part.in_features
    raise HeadlightError("{model} has no map to its queries.", model=model.name)


class PreNorm(Value):
    """1 if a model normalises before each sublayer, 0 if it normalises after each sum."""

    what: Literal["pre_norm"]
    model: Name

    def compute(self) -> float:
        """Return 1 or 0."""
        try:
            stacks = loaded_models.parts(self.model).stacks.values()
        except LookupError as error:
            raise HeadlightError("The layers of {model} are unknown.", model=self.model) from error
        return float(next(iter(stacks)).norm_placement == "pre")


class PositionLength(Value):
    """The length of the vector of a position: of a model's table, or of sinusoids.

    Attributes:
        model: A model with a position table; without one, the vector is 128 sinusoids.
    """

    what: Literal["position"]
    position: Annotated[int, Field(ge=0, lt=512)]
    model: Name | None = None

    def compute(self) -> float:
        """Return the length."""
        if self.model is None:
            return float(sinusoids_at(torch.tensor([self.position]), 128).norm())
        table = loaded_models.loaded_model(self.model).position_table
        if table is None or self.position >= len(table):
            raise HeadlightError(
                "{model} has no vector of position {position}.",
                model=self.model,
                position=self.position,
            )
        return float(table[self.position].norm())


def _measured(model: str, text: str, measure: str) -> np.ndarray:
    """Return a measure of all heads, (L, H)."""
    measured = captures.head_measures(model, text, None)
    if measure not in measured:
        raise HeadlightError("There is no measure {name}.", name=measure)
    return measured[measure]


class Measure(Value):
    """A measure of a head as on the Profile view, or the mean over a layer's heads."""

    what: Literal["measure"]
    model: Name
    text: Text
    measure: Name
    layer: NonNegativeInt
    head: NonNegativeInt | None = None

    def compute(self) -> float:
        """Return the measure."""
        heads = _measured(self.model, self.text, self.measure)
        if self.head is not None:
            return entry(heads, self.layer, self.head)
        means = np.ma.masked_invalid(heads).mean(axis=1).filled(np.nan)  # (L, H) -> (L,)
        return entry(means, self.layer)


class BestLayer(Value):
    """The layer of the head with the largest measure, counted from 0."""

    what: Literal["best_layer"]
    model: Name
    text: Text
    measure: Name

    def compute(self) -> float:
        """Return the layer."""
        heads = _measured(self.model, self.text, self.measure)
        largest = np.ma.masked_invalid(heads).max(axis=1).filled(np.nan)  # (L, H) -> (L,)
        best = int(np.ma.masked_invalid(largest).argmax())
        entry(largest, best)  # an error if the measure is undefined for every head
        return float(best)


class TrainedShare(Value):
    """The attention of a head of scratch to its neighbour at a training step, on held-out text."""

    what: Literal["learned"]
    step: NonNegativeInt
    measure: Literal["next", "previous"]
    layer: NonNegativeInt
    head: NonNegativeInt

    def compute(self) -> float:
        """Return the share of its attention."""
        for checkpoint in encoder_files.history().checkpoints:
            if checkpoint.step == self.step:
                shares = checkpoint.next if self.measure == "next" else checkpoint.previous
                return entry(shares, self.layer, self.head)
        raise HeadlightError("There is no checkpoint of step {step}.", step=self.step)


class LabelCount(Value):
    """The number of heads with a label on a text."""

    what: Literal["labelled"]
    model: Name
    text: Text
    label: Name

    def compute(self) -> float:
        """Return the count."""
        if self.label not in LABELS:
            raise HeadlightError("There is no label {name}.", name=self.label)
        labels = captures.head_labels(self.model, self.text, None)
        return float(sum(label.name == self.label for row in labels for label in row))


class LabelThreshold(Value):
    """The share of a head's attention from which it has a label."""

    what: Literal["threshold"]
    label: Name

    def compute(self) -> float:
        """Return the share."""
        if self.label not in THRESHOLDS:
            raise HeadlightError("There is no label {name}.", name=self.label)
        return THRESHOLDS[self.label]


class TreebankSize(Value):
    """The number of sentences over which a model's heads were counted."""

    what: Literal["sentences"]
    model: Name

    def compute(self) -> float:
        """Return the number."""
        atlas = read_atlas(self.model)
        if atlas is None:
            raise HeadlightError("{model} has no counts over a treebank.", model=self.model)
        return float(atlas.sentences)


class Grammar(Value):
    """The accuracy of a model's best head for a relation, or of the best fixed distance."""

    what: Literal["grammar"]
    model: Name
    relation: Name
    of: Literal["accuracy", "baseline"] = "accuracy"

    def compute(self) -> float:
        """Return the share of cases."""
        atlas = read_atlas(self.model)
        for best in atlas.best_heads() if atlas else ():
            if best.relation == self.relation:
                return float(best.accuracy if self.of == "accuracy" else best.baseline)
        raise HeadlightError(
            "There are no counts of {name} for {model}.", name=self.relation, model=self.model
        )


class Probability(Value):
    """The probability of a token at the first mask, or for a decoder after the text."""

    what: Literal["probability"]
    model: Name
    text: Text
    token: Name
    off: Annotated[tuple[tuple[int, int], ...], Field(max_length=200)] = ()

    def compute(self) -> float:
        """Return the probability."""
        model = loaded_models.loaded_model(self.model)
        if model.stack == "decoder":
            probabilities = dict(captures.next_tokens(self.model, self.text))
            if self.token not in probabilities or self.off:
                raise HeadlightError(
                    "{token} is not among the most probable tokens.", token=self.token
                )
            return probabilities[self.token]
        change = Intervention(off=frozenset(self.off))
        outcome = captures.intervention_outcome(self.model, self.text, None, change)
        id_ = model.tokenizer.token_to_id(self.token)
        if outcome.predicted is None or not len(outcome.predicted) or id_ is None:
            raise HeadlightError(
                "{model} does not predict {token} here: it is not in its list, or no token "
                "is [MASK].",
                model=self.model,
                token=self.token,
            )
        return float(outcome.predicted[0, id_])


class OutputChange(Value):
    """The change of an encoder's output when words are reordered, word compared with itself."""

    what: Literal["moved"]
    model: Name
    text: Text
    order: Annotated[tuple[int, ...], Field(max_length=200)]
    strength: float = 0.0

    def compute(self) -> float:
        """Return the largest absolute difference."""
        other = captures.reordered_run(self.model, self.text, self.order, self.strength)
        return other.hidden_difference(
            captures.reordered_run(self.model, self.text, None, self.strength)
        )


class Stream(Value):
    """The norm of a token's residual-stream vector, or the share that a part adds to it."""

    what: Literal["stream"]
    model: Name
    text: Text
    layer: NonNegativeInt
    token: Name
    of: Literal["entering", "leaving", "attention_share", "feed_forward_share"]

    def compute(self) -> float:
        """Return the norm or the share."""
        at = position(distinct(captures.capture(self.model, self.text, None).tokens), self.token)
        stream = captures.residual_stream(self.model, self.text, None)
        norms = {"entering": stream.layer_input, "leaving": stream.layer_output}
        values = norms[self.of] if self.of in norms else getattr(stream, self.of)
        return entry(values, self.layer, at)
