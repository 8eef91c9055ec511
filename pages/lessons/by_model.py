"""Numbers of a lesson that a model gives, by what the pages show them by."""

from typing import Literal

import numpy as np
from pydantic import NonNegativeInt

from model import AttentionCapture, HeadlightError
from model.analysis.grammar.atlas import read_atlas
from model.analysis.intervention import Intervention
from model.catalogue import shipped
from model.catalogue.names import TRANSLATORS
from pages.lessons.value import Value
from pages.shared import captures, loading, texts
from viz import distinct

Stack = Literal["encoder", "decoder", "cross"]


def captured(model: str, text: str, stack: Stack) -> AttentionCapture:
    """What a model's stack saw; of a translator, while it wrote its translation."""
    if loading.one_name(model) in TRANSLATORS:
        found: AttentionCapture = getattr(texts.translated(model, text), stack)
        return found
    return captures.capture(model, text, None)


def row(model: str, text: str, layer: int, head: int, query: str, stack: Stack) -> dict[str, float]:
    """What a head gives from a token, by the names of the tokens attended to.

    Raises:
        HeadlightError: If there is no such head or token.
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
    """Where a token stands, by the name that the figures print.

    Raises:
        HeadlightError: If none is called so.
    """
    if token not in labels:
        raise HeadlightError(
            "There is no token {token} among {labels}.", token=token, labels=" ".join(labels)
        )
    return labels.index(token)


class Weight(Value):
    """What a head gives from one token to another, both by the names that the figures print."""

    what: Literal["weight"]
    model: str
    text: str
    layer: NonNegativeInt
    head: NonNegativeInt
    query: str
    key: str
    stack: Stack = "encoder"

    def compute(self) -> float:
        """The weight."""
        weights = row(self.model, self.text, self.layer, self.head, self.query, self.stack)
        return weights[list(weights)[position(list(weights), self.key)]]


class RowSum(Value):
    """What a head's weights from one token add up to."""

    what: Literal["row_sum"]
    model: str
    text: str
    layer: NonNegativeInt
    head: NonNegativeInt
    query: str

    def compute(self) -> float:
        """The sum."""
        return sum(
            row(self.model, self.text, self.layer, self.head, self.query, "encoder").values()
        )


class Count(Value):
    """How many tokens a text is for a model, with those that the model adds."""

    what: Literal["tokens"]
    model: str
    text: str

    def compute(self) -> float:
        """The count."""
        return float(len(captures.capture(self.model, self.text, None).tokens))


class TokenId(Value):
    """The number of a token in a model's vocabulary."""

    what: Literal["token_id"]
    model: str
    text: str
    token: str

    def compute(self) -> float:
        """The number."""
        capture = captures.capture(self.model, self.text, None)
        at = position(distinct(capture.tokens), self.token)
        return float(loading.loaded_model(self.model).tokenize(self.text).ids[at])


class Size(Value):
    """How large a model is."""

    what: Literal["size"]
    model: str
    of: Literal["layers", "heads", "all_heads", "d_model", "d_head", "parameters", "vocabulary"]

    def compute(self) -> float:
        """The size."""
        model = loading.loaded_model(self.model)
        return float(
            {
                "layers": model.n_layers,
                "heads": model.n_heads,
                "all_heads": model.n_layers * model.n_heads,
                "d_model": model.d_model,
                "d_head": model.d_model // model.n_heads,
                "parameters": model.n_parameters,
                "vocabulary": model.tokenizer.get_vocab_size(),
            }[self.of]
        )


class Measure(Value):
    """A measure of a head, as Profile draws it; of a layer, the mean of its heads."""

    what: Literal["measure"]
    model: str
    text: str
    measure: str
    layer: NonNegativeInt
    head: NonNegativeInt | None = None

    def compute(self) -> float:
        """The measure."""
        measured = captures.profiled(self.model, self.text, None)
        if self.measure not in measured:
            raise HeadlightError("There is no measure {name}.", name=self.measure)
        layer = measured[self.measure][self.layer]
        return float(np.nanmean(layer) if self.head is None else layer[self.head])


class Learned(Value):
    """What a head of scratch gave its neighbour at a step of the training, on held-out text."""

    what: Literal["learned"]
    step: NonNegativeInt
    measure: Literal["next", "previous"]
    layer: NonNegativeInt
    head: NonNegativeInt

    def compute(self) -> float:
        """The share of its attention."""
        for kept in shipped.history().checkpoints:
            if kept.step == self.step:
                shares = kept.next if self.measure == "next" else kept.previous
                return float(shares[self.layer][self.head])
        raise HeadlightError("No checkpoint of step {step} was kept.", step=self.step)


class Labelled(Value):
    """How many heads of a model are called so on a text."""

    what: Literal["labelled"]
    model: str
    text: str
    label: str

    def compute(self) -> float:
        """The count."""
        labels = captures.labelled(self.model, self.text, None)
        return float(sum(label.name == self.label for row in labels for label in row))


class Grammar(Value):
    """How often a model's best head for a relation finds the word, and the best fixed distance."""

    what: Literal["grammar"]
    model: str
    relation: str
    of: Literal["accuracy", "baseline"] = "accuracy"

    def compute(self) -> float:
        """The share of cases."""
        atlas = read_atlas(self.model)
        for best in atlas.best_heads() if atlas else ():
            if best.relation == self.relation:
                return float(best.accuracy if self.of == "accuracy" else best.baseline)
        raise HeadlightError(
            "Nobody counted {name} of {model}.", name=self.relation, model=self.model
        )


class Probability(Value):
    """What a model gives a token behind the first mask; of a decoder, behind the text."""

    what: Literal["probability"]
    model: str
    text: str
    token: str
    off: tuple[tuple[int, int], ...] = ()

    def compute(self) -> float:
        """The probability."""
        model = loading.loaded_model(self.model)
        if model.stack == "decoder":
            said = dict(captures.said_next(self.model, self.text))
            if self.token not in said or self.off:
                raise HeadlightError("{token} is not among what is told.", token=self.token)
            return said[self.token]
        change = Intervention(off=frozenset(self.off))
        outcome = captures.intervened(self.model, self.text, None, change)
        id_ = model.tokenizer.token_to_id(self.token)
        if outcome.predicted is None or not len(outcome.predicted) or id_ is None:
            raise HeadlightError(
                "{model} guesses no {token} here.", model=self.model, token=self.token
            )
        return float(outcome.predicted[0, id_])


class Moved(Value):
    """How far an encoder's output moves when the words change places, each word with itself."""

    what: Literal["moved"]
    model: str
    text: str
    order: tuple[int, ...]
    strength: float = 0.0

    def compute(self) -> float:
        """The largest difference of a number."""
        other = captures.reordered(self.model, self.text, self.order, self.strength)
        return other.hidden_difference(
            captures.reordered(self.model, self.text, None, self.strength)
        )


class Stream(Value):
    """A token's length in the residual stream, or what a part adds to it, as Layers draws it."""

    what: Literal["stream"]
    model: str
    text: str
    layer: NonNegativeInt
    token: str
    of: Literal["entering", "leaving", "attention_share", "feed_forward_share"]

    def compute(self) -> float:
        """The length, or the share."""
        at = position(distinct(captures.capture(self.model, self.text, None).tokens), self.token)
        return float(
            getattr(captures.streamed(self.model, self.text, None), self.of)[self.layer, at]
        )
