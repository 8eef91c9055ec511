"""Base against fine-tuned: what fine-tuning moved, head by head, and what it decides."""

import streamlit as st

from model import HeadlightError
from model.analysis.align import align
from pages.heads.next_token import next_of_both
from pages.heads.selection import is_decoder, named, selected
from pages.shared import loading, moved
from pages.shared.changes import more_in
from pages.shared.decisions import decision
from pages.shared.language import _, in_words, plain
from pages.shared.notebook import difference_lines
from pages.shared.recipe import Recipe, Shown

KIN = 0.5
"""The cosine between the weights of two models, W^O of all layers, above which one is taken to have
been trained from the other. Of two that were trained apart it is 0, nearly."""


def tuned(left_side: Recipe, right_side: Recipe) -> None:
    """Draw what both models decide, and how far each head of one is from the other's."""
    left, right = left_side.show(), right_side.show()
    st.caption(
        _(
            "Put a model on the left and a fine-tuned one of the same shape on the right: a local "
            "folder or a hub id, with its classification, token-classification or "
            "question-answering head; or two decoders, of which one was trained from the other. In "
            "the folder of Headlight, this makes one in about a "
            "minute: {command}"
        ).format(command="`python -m examples.sentiment.finetune --out sentiment-minilm`")
    )
    decoders = is_decoder(left) and is_decoder(right)
    for shown, column in zip((left, right), st.columns(2), strict=True):
        with column:
            decision(shown.recipe)
            if loading.loaded_model(shown.recipe.model).task is None and not decoders:
                st.caption(
                    _("{model} decides nothing: it has no fine-tuned head.").format(
                        model=plain(shown.name)
                    )
                )
    ours, theirs = left.capture, right.capture
    if _strangers(left_side, right_side, decoders) and not _wanted_anyway(left, right):
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
    if decoders and left.units:
        _next(left, right)
    names = named(left, right), named(right, left)
    labels = [left.labels[i] for i, _j in pairs]
    runs = moved.Runs(left, right, pairs, labels, names, more_in(names))
    place = selected(left)
    lines = difference_lines(left_side, right_side, "head", (place[0],) * 2, (place[1],) * 2)
    moved.heads(runs, lines)


def _strangers(left: Recipe, right: Recipe, decoders: bool) -> bool:
    """Whether neither was trained from the other: then what differs is two trainings, or nothing.

    A decoder that was trained further still says what comes next: its weights alone tell.
    """
    if decoders:
        return loading.kinship(left.model, right.model) < KIN
    return all(loading.loaded_model(each.model).task is None for each in (left, right))


def _next(left: Shown, right: Shown) -> None:
    """Draw what comes next by two decoders, if they mean the same by a token's number."""
    ours, theirs = (loading.decoder(shown.recipe.model) for shown in (left, right))
    if left.capture.token_ids != right.capture.token_ids or (
        ours.tokenizer.get_vocab() != theirs.tokenizer.get_vocab()
    ):
        st.info(_("The two know other tokens, so what comes next is not compared."))
        return
    next_of_both(left, right)


def _wanted_anyway(left: Shown, right: Shown) -> bool:
    """Say why nothing is compared, and ask."""
    st.info(
        _(
            "Neither {left} nor {right} was trained from the other, as far as their weights tell. "
            "Heads of two models that were trained apart have nothing in common but their number, "
            "so they are not compared."
        ).format(left=plain(left.name), right=plain(right.name))
        if is_decoder(left) and is_decoder(right)
        else _(
            "Neither {left} nor {right} has a fine-tuned head. Heads of two models that were "
            "trained apart have nothing in common but their number, so they are not compared."
        ).format(left=plain(left.name), right=plain(right.name))
    )
    return st.toggle(_("Compare them all the same"), key="compared_anyway", persist_state="session")
