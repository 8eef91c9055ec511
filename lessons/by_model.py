"""Numbers of a lesson computed by a model."""

from typing import TYPE_CHECKING, Annotated, Literal, Union

import numpy as np
from pydantic import Field, NonNegativeInt

from lessons import by_formula as by_formula  # it registers its kinds
from lessons.value import KINDS, Value, entry, value
from model import AttentionCapture, HeadlightError
from model.analysis.grammar.atlas import read_atlas
from model.analysis.intervention import Intervention
from model.analysis.labels import LABELS, THRESHOLDS
from model.catalogue import encoder_files
from model.catalogue.names import TRANSLATORS
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
    model: str, of: Literal["layers", "heads", "all_heads", "d_model", "d_head", "vocabulary"]
) -> float:
    """A size of a model."""
    loaded = loaded_models.loaded_model(model)
    if of == "d_head":
        loaded.check_outputs()
        return loaded.d_head
    sizes = {
        "layers": loaded.n_layers,
        "heads": loaded.n_heads,
        "all_heads": loaded.n_layers * loaded.n_heads,
        "d_model": loaded.d_model,
        "vocabulary": loaded.tokenizer.get_vocab_size(),
    }
    return sizes[of]


@value
def measure(
    model: str,
    text: str,
    measure: str,
    layer: NonNegativeInt,
    head: NonNegativeInt | None = None,
) -> float:
    """A measure of a head as in its summary, or the mean over a layer's heads."""
    heads = captures.head_measures(model, text, None)[measure]
    if head is not None:
        return entry(heads, layer, head)
    means = np.ma.masked_invalid(heads).mean(axis=1).filled(np.nan)  # (L, H) -> (L,)
    return entry(means, layer)


@value
def learned(step: NonNegativeInt, layer: NonNegativeInt, head: NonNegativeInt) -> float:
    """The attention of a head of scratch to the next token at a training step, on held-out text."""
    by_step = {each.step: each.next for each in encoder_files.history().checkpoints}
    return entry(by_step[step], layer, head)


@value
def labelled(model: str, text: str, label: str) -> float:
    """The number of heads with a label on a text."""
    if label not in LABELS:
        raise LookupError(f"no label {label}")
    labels = captures.head_labels(model, text, None)
    return float(sum(each.name == label for row in labels for each in row))


@value
def threshold(label: str) -> float:
    """The share of a head's attention from which it has a label."""
    return THRESHOLDS[label]


@value
def grammar(model: str, relation: str, of: Literal["accuracy", "baseline"] = "accuracy") -> float:
    """The accuracy of a model's best head for a relation, or of the best fixed distance."""
    atlas = read_atlas(model)
    heads = {best.relation: best for best in atlas.best_heads()} if atlas else {}
    return float(getattr(heads[relation], of))


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
    of: Literal["attention_share", "feed_forward_share"],
) -> float:
    """The share that a part of a layer adds to a token's residual-stream vector."""
    at = index_of(token, distinct(captures.capture(model, text, None).tokens))
    return entry(getattr(captures.residual_stream(model, text, None), of), layer, at)


if TYPE_CHECKING:
    AnyValue = Value
else:  # every kind of this file and of by_formula.py, selected by ``what``
    AnyValue = Annotated[Union[tuple(KINDS.values())], Field(discriminator="what")]  # noqa: UP007
