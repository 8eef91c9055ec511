"""The part "Base and fine-tuned": changes head by head, and the model's decisions."""

import streamlit as st

from model import HeadlightError
from model.analysis.align import align
from pages.heads.next_token import knows_language_head, next_of_both
from pages.heads.selection import is_decoder, named, selected
from pages.heads.url import Heads
from web.cache import loaded_models
from web.language import _, in_words, plain
from web.subject import Subject
from web.widgets import findings, head_difference
from web.widgets.changed_cells import more_in
from web.widgets.task_decisions import decision
from web.widgets.view_code import difference_code

RELATED = 0.5
"""Cosine of two models' W^O weights above which one counts as trained from the other; the cosine of
models trained independently is almost 0."""


def tuned(left: Subject, right: Subject) -> None:
    """Draw both models' decisions and the difference of every head."""
    st.caption(
        _(
            "Compare a base model with a model that was fine-tuned from it: one of the catalogue, "
            "a local folder or a hub id. It can be a decoder, classify texts or tokens, or answer "
            "questions."
        )
    )
    decoders = is_decoder(left) and is_decoder(right)
    for view, column in zip((left, right), st.columns(2), strict=True):
        with column:
            decision(view)
            if loaded_models.loaded_model(view.model).task is None and not decoders:
                st.caption(
                    _("{model} was not fine-tuned for a task, so it makes no decision.").format(
                        model=plain(view.name)
                    )
                )
    ours, theirs = left.capture(), right.capture()
    if _unrelated(left, right, decoders) and not _wanted_anyway(left, right):
        return
    if ours.weights.shape[:2] != theirs.weights.shape[:2]:
        st.info(
            _(
                "{left} has {ours} heads and {right} has {theirs}: only models of one shape can "
                "be compared head by head. Similar heads of any two models are on the Layers page."
            ).format(
                left=plain(left.name),
                ours="{} × {}".format(*ours.weights.shape[:2]),
                right=plain(right.name),
                theirs="{} × {}".format(*theirs.weights.shape[:2]),
            )
        )
        return
    try:
        pairs = align(left.units, right.units).pairs
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return
    if decoders and left.units and knows_language_head(left) and knows_language_head(right):
        _next(left, right)
    names = named(left, right), named(right, left)
    labels = [left.labels[i] for i, _j in pairs]
    runs = head_difference.RunPair(left, right, pairs, labels, names, more_in(names))
    layer, head = selected(left)
    weights = f"first.weights[{layer}, {head}]", f"second.weights[{layer}, {head}]"
    code = difference_code(left, right, weights, paper="Clark et al. 2019, 6")
    head_difference.draw_heads(runs, code)


def _unrelated(left: Subject, right: Subject, decoders: bool) -> bool:
    """Whether two models were trained independently; of decoders, the weights decide."""
    if decoders:
        return loaded_models.kinship(left.model, right.model) < RELATED
    return all(loaded_models.loaded_model(each.model).task is None for each in (left, right))


def _next(left: Subject, right: Subject) -> None:
    """Draw both decoders' next-token predictions if they share a vocabulary."""
    ours, theirs = (loaded_models.decoder(view.model) for view in (left, right))
    if left.capture().token_ids != right.capture().token_ids or (
        ours.tokenizer.get_vocab() != theirs.tokenizer.get_vocab()
    ):
        st.info(_("The models have different vocabularies, so their predictions are not compared."))
        return
    next_of_both(left, right)


def _wanted_anyway(left: Subject, right: Subject) -> bool:
    """Explain why nothing is compared, and offer to compare anyway."""
    st.info(
        _(
            "According to their weights, {left} and {right} were trained separately. Heads with "
            "the same number then have nothing in common, so they are not compared."
        ).format(left=plain(left.name), right=plain(right.name))
        if is_decoder(left) and is_decoder(right)
        else _(
            "{left} and {right} were not fine-tuned for a task. Heads with the same number then "
            "have nothing in common, so they are not compared."
        ).format(left=plain(left.name), right=plain(right.name))
    )
    findings.link_to("sentiment", _("Compare MiniLM before and after fine-tuning"))
    return Heads.anyway.draw()
