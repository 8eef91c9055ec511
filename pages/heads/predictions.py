"""Predictions of two runs side by side: of hidden words, of labels, or a decoder's next token."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from model.analysis.intervention import Intervention, InterventionRun, next_tokens
from model.capture.whitespace import show_line_breaks
from model.catalogue.causal import LoadedCausal
from pages.heads.url import Heads
from viz.style.labels import percent
from web.cache import loaded_models
from web.language import _, plain
from web.subject import Subject
from web.widgets.head_picker import head_name
from web.widgets.tables import share_table

LABELS = ("sequence", "multi")
"""Tasks with a probability for each label of the whole text."""

TOP = 8
"""Most probable tokens listed for each run."""


@dataclass(frozen=True)
class Prediction:
    """The probabilities of all tokens at one place.

    Attributes:
        spell: Returns a token by its id, in quotes if spaces matter.
        runs: Each run's probabilities, (V,), by its name.
        hidden: The word behind the mask by its id; None if it is not known.
        named: What an id stands for; "" for a token.
    """

    title: str
    spell: Callable[[int], str]
    runs: Mapping[str, np.ndarray]
    hidden: int | None = None
    named: str = ""

    def effect(self, model: str, without: str) -> str:
        """Return a sentence on the most probable token of the first and of the last run.

        Args:
            without: The heads that are off in the last run; "" if there is one run.
        """
        before, *_others, after = *self.runs.values(), *self.runs.values()
        first, last = int(before.argmax()), int(after.argmax())
        shares = before[first], after[first], before[last], after[last]
        written = map(percent, map(float, shares))
        numbers = dict(zip(("before", "after", "last_before", "last_after"), written, strict=True))
        if not without:
            text = _("{model} predicts {first} with a probability of {before}.")
        elif first == last and numbers["after"] == numbers["before"]:
            text = _(
                "Without {what}, {model} still predicts {first}: its probability stays at {before}."
            )
        elif first == last:
            text = _(
                "Without {what}, {model} still predicts {first}, with a probability of {after} "
                "instead of {before}."
            )
        else:
            text = _(
                "With {what}, {model} predicts {first} ({before}; {last}: {last_before}). Without "
                "{what}: {last} ({last_after}; {first}: {after})."
            )
        return text.format(
            what=without,
            model=plain(model),
            first=_quoted(self.spell(first)),
            last=_quoted(self.spell(last)),
            **numbers,
        )

    def draw(self) -> None:
        """Draw the most probable tokens of each run, and the hidden word."""
        ids = [int(i) for run in self.runs.values() for i in np.argsort(-run, kind="stable")[:TOP]]
        ids = list(dict.fromkeys([*ids, *([] if self.hidden is None else [self.hidden])]))
        first = next(iter(self.runs.values()))
        ids.sort(key=lambda i: -first[i])
        st.caption(self.title)
        shares = {name: run[ids] for name, run in self.runs.items()}
        share_table(
            {self.named or _("token"): [self.spell(i) for i in ids], **shares},
            _("Tokens by probability"),
        )


def _quoted(token: str) -> str:
    return plain(token if token[:1] + token[-1:] == "“”" else f"“{token}”")


def run_names(change: Intervention) -> tuple[str, str]:
    """Return the names of the runs without a change and with it."""
    off = sorted(change.off)
    if not off:
        return _("before"), _("after")
    if len(off) > 1:
        return _("with all heads"), _("without these {n} heads").format(n=len(off))
    head = head_name(*off[0])
    return _("with {head}").format(head=head), _("without {head}").format(head=head)


def _runs(view: Subject, change: Intervention) -> dict[str, InterventionRun]:
    """Return the run with all heads on, and the one with some off, if there are such."""
    before, after = run_names(change)
    changes = {before: replace(change, off=frozenset())}
    if change.off:
        changes[after] = change
    return {name: replace(view, change=each).outcome() for name, each in changes.items()}


def decisions(view: Subject, change: Intervention) -> list[Prediction]:
    """Return the labels that a classifier gives the text, with all heads on and with some off."""
    found = {name: run.decision for name, run in _runs(view, change).items()}
    labels = {name: one.probabilities for name, one in found.items() if one and one.kind in LABELS}
    if not labels:
        return []
    title = _("What {model} decides").format(model=plain(view.name))
    (first, *_others) = filter(None, found.values())
    return [Prediction(title, first.labels.__getitem__, labels, named=_("label"))]


def at_masks(view: Subject, change: Intervention) -> list[Prediction]:
    """Return the predictions at each mask, with all heads on and with some off."""
    model, runs, found = loaded_models.loaded_model(view.model), _runs(view, change), []
    for number, position in enumerate(next(iter(runs.values())).masks):
        predicted = {
            name: run.predicted[number] for name, run in runs.items() if run.predicted is not None
        }
        if not predicted:  # the model has no masked-language head
            break
        hidden = None
        if position in change.masked:
            hidden = view.capture().token_ids[position]
            title = _("What {model} predicts for the hidden word “{word}”").format(
                model=plain(view.name), word=plain(model.piece(hidden))
            )
        else:  # the text itself has a mask
            title = _("What {model} predicts for {mask}").format(
                model=plain(view.name), mask=plain(view.capture().tokens[position])
            )
        found.append(Prediction(title, model.piece, predicted, hidden))
    return found


def next_token(view: Subject, runs: Mapping[str, Subject]) -> list[Prediction]:
    """Draw the picker of words; return the runs' predictions of the token after each.

    Args:
        view: The side whose words are offered.
        runs: Decoders with one vocabulary, or one decoder, by the run's name.
    """
    models = {name: loaded_models.decoder(run.model) for name, run in runs.items()}
    for name, model in models.items():
        if model.language_head is None:
            text = _("Headlight does not know how {model} computes its predictions.")
            st.caption(text.format(model=plain(runs[name].name)))
            return []
    hidden = {name: run.outcome().hidden for name, run in runs.items()}
    words = dict(enumerate(view.labels))
    chosen = Heads.behind.draw(options=words, placeholder=view.labels[-1])
    predictions = []
    for unit in sorted(chosen) or [len(words) - 1]:
        position = view.units[unit].positions[-1]
        found = {
            name: next_tokens(model, hidden[name][[position]])[0] for name, model in models.items()
        }
        title = _("After “{text}”").format(text=plain(words[unit]))
        predictions.append(Prediction(title, partial(spelled, model), found))
    return predictions


def spelled(model: LoadedCausal, token_id: int) -> str:
    """Return a token in quotes with visible spaces and line breaks."""
    return f"“{show_line_breaks(model.token_name(token_id))}”"
