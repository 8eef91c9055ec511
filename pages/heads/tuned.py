"""The part "Base and fine-tuned": changes head by head, and what both models decide."""

from pathlib import Path

import streamlit as st

from model import HeadlightError
from model.analysis.align import align, largest_changes
from pages.heads import examples
from pages.heads.panel import layout
from pages.heads.predictions import next_token
from pages.heads.selection import named, selected
from web.cache import loaded_models
from web.language import _, in_words, plain
from web.subject import Subject
from web.view_state.address import link
from web.view_state.field import write_text
from web.widgets import findings, head_difference, present
from web.widgets.changed_cells import more_in
from web.widgets.glossary import underline_terms
from web.widgets.head_comparison import no_correspondence
from web.widgets.head_picker import head_name
from web.widgets.task_decisions import decision
from web.widgets.view_code import difference_code

RELATED = 0.5
"""Cosine of two models' W^O weights above which one counts as trained from the other; the cosine of
models trained independently is almost 0."""


def tuned(left: Subject, right: Subject) -> None:
    """Draw both models' decisions and the difference of every head."""
    sentence, controls, picture = layout()
    decoders = loaded_models.is_decoder(left.model) and loaded_models.is_decoder(right.model)
    for view in (left, right):
        view.capture()  # before all drawing: no table of an old sentence stays beside a new one
    with controls:
        if _unrelated(left, right, decoders):
            st.info(_("Choose a base model above, and a model that was trained further from it."))
            findings.link_to("sentiment", _("Compare minilm before and after fine-tuning"))
            st.caption(no_correspondence())
        if examples.is_of_page():
            st.markdown(_("This part shows an example with its own sentence and models."))
            label = _("Back to your sentence and models")
            st.button(label, key="tuned_back", on_click=examples.leave)
        is_example = (left.model, right.model) == ("minilm", "minilm-sentiment")
        with present.stage("decisions", grown=True):
            for view in (left, right):
                decision(view)
            if is_example:
                st.markdown(findings.what_to_see("sentiment"))
        if decoders and left.units:
            _next_tokens(left, right)
        if is_example:
            off = {"part": "change", "side": "right", "off": "5-1", "layer": "5", "head": "1"}
            off |= {"left": left.model, "right": right.model, "text": write_text(findings.DENIED)}
            st.page_link(
                Path(__file__).with_name("page.py"),
                label=_("Try “{text}” with {head} off").format(text=findings.DENIED, head="L5·H1"),
                icon=":material/toggle_off:",
                query_params=link(off),
            )
    ours, theirs = (view.capture().weights.shape[:2] for view in (left, right))
    if ours != theirs:
        text = _("{left} and {right} differ in size: only models of one shape are compared.")
        sentence.info(text.format(left=plain(left.name), right=plain(right.name)))
        return
    try:
        pairs = align(left.units, right.units).pairs
    except HeadlightError as error:
        sentence.error(plain(in_words(error)))
        return
    names = named(left, right), named(right, left)
    labels = [left.labels[i] for i, _j in pairs]
    runs = head_difference.RunPair(left, right, pairs, labels, names, more_in(names))
    layer, head = selected(left)
    sentence.markdown(underline_terms(_largest_change(runs, layer, head)))
    weights = f"first.weights[{layer}, {head}]", f"second.weights[{layer}, {head}]"
    code = difference_code(left, right, weights, paper="Clark et al. 2019, 6")
    with picture:
        head_difference.draw_heads(runs, code, controls)


def _largest_change(runs: head_difference.RunPair, layer: int, head: int) -> str:
    """Return a sentence on the weight of a head that differs most."""
    first, second = (weights[layer, head] for weights in runs.weights)
    found = largest_changes(second - first, 1)
    names = dict(zip(("first", "second"), map(plain, runs.names), strict=True))
    names["head"] = head_name(layer, head)
    if not found:
        return _("**In {head}, {first} and {second} have equal weights.**").format(**names)
    [(query, key, _change)] = found
    return _(
        "**In {head}, “{query}” gives {after:.3f} of its attention to “{key}” in {second}, and "
        "{before:.3f} in {first}.**"
    ).format(
        query=plain(runs.labels[query]),
        key=plain(runs.key_labels[key]),
        before=float(first[query, key]),
        after=float(second[query, key]),
        **names,
    )


def _unrelated(left: Subject, right: Subject, decoders: bool) -> bool:
    """Whether two models were trained independently; of decoders, the weights decide."""
    if decoders:
        return loaded_models.kinship(left.model, right.model) < RELATED
    return all(loaded_models.loaded_model(each.model).task is None for each in (left, right))


def _next_tokens(left: Subject, right: Subject) -> None:
    """Draw both decoders' next-token predictions if they share a vocabulary."""
    ours, theirs = (loaded_models.decoder(view.model) for view in (left, right))
    if left.capture().token_ids != right.capture().token_ids or (
        ours.tokenizer.get_vocab() != theirs.tokenizer.get_vocab()
    ):
        st.info(_("The models have different vocabularies, so their predictions are not compared."))
        return
    for prediction in next_token(left, {named(left, right): left, named(right, left): right}):
        prediction.draw()
