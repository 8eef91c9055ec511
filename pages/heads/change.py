"""The part "Does it matter?": heads switched off, words hidden, and the changes they cause."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import streamlit as st

from model import HeadlightError, Intervention, intervene, load_model, unit_weights, units
from model.analysis.intervention import relative_changes
from pages.heads import examples
from pages.heads.panel import layout, panel
from pages.heads.predictions import Prediction, at_masks, decisions, next_token, run_names
from pages.heads.selection import draw_side, selected
from pages.heads.url import Heads
from viz import difference_heatmap
from web.cache import loaded_models
from web.language import _, in_words, plain, sentences
from web.subject import Subject
from web.view_state.address import link
from web.widgets import head_difference, present
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_name
from web.widgets.view_code import ViewCode, between_units, loading, units_of


def change(left: Subject, right: Subject) -> None:
    """Draw the controls, and the run before and after."""
    examples.switch_example_head_off(left, right)
    sentence, controls, picture = layout()
    with controls:
        view, intervention = _controls(left, right)
        baseline = replace(view, change=intervention.baseline)
        request = replace(view, change=intervention)
        if not view.units:
            st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
            return
        if not (intervention.off or intervention.masked):
            sentence.info(_("Switch a head off, or hide a word, and see what changes."))
            with picture:
                panel(left, right)
            return
        try:
            after, before = request.outcome(), baseline.outcome()
        except HeadlightError as error:
            st.info(plain(in_words(error)))
            return
        predictions = _predictions(view, intervention)
        with present.stage("predictions", grown=True):
            for prediction in predictions:
                prediction.draw()
    effect = _effect(view, intervention, relative_changes(before.hidden, after.hidden), predictions)
    unmoved = _why_no_weight_changes(intervention, len(after.capture.weights))
    why = "" if predictions else _why_no_prediction(view)
    hidden = _("The model does not see the hidden word.") if intervention.masked else ""
    more = hidden, why, examples.how_many_decide(view), unmoved
    sentence.markdown(underline_terms(sentences(f"**{effect}**", *more)))
    if why:
        controls.page_link(
            Path(__file__).with_name("page.py"),
            label=_("See how a prediction of scratch changes"),
            icon=":material/visibility:",
            query_params=link({"part": "change"}),
        )
    if unmoved:
        with picture:
            panel(left, right)
        return
    names = run_names(intervention)
    pairs = tuple((i, i) for i in range(len(view.units)))
    ends, drawn = (_("more before"), _("more after")), ""
    if intervention.off:
        ends, drawn = (_("more with"), _("more without")), names[1]
    labels = [
        _("{word} (hidden)").format(word=label) if i in Heads.masked.value else label
        for i, label in enumerate(view.labels)
    ]
    runs = head_difference.RunPair(baseline, request, pairs, labels, names, ends, drawn)
    code, unchanged = _code(request, *selected(view)), _unchanged(view, intervention)
    with picture:
        head_difference.draw_heads(runs, code, controls, unchanged)


def _predictions(view: Subject, change: Intervention) -> list[Prediction]:
    """Return what the model predicts before and after, with the picker of a decoder's word."""
    if not loaded_models.is_decoder(view.model):
        return at_masks(view, change) or decisions(view, change)
    runs = zip(run_names(change), (change.baseline, change), strict=True)
    return next_token(view, {name: replace(view, change=each) for name, each in runs})


def _effect(
    view: Subject, change: Intervention, changed: np.ndarray, predictions: list[Prediction]
) -> str:
    """Return a sentence on the effect, for the relative change of each token's last state, (T,).

    It is about the asked unit; or the first prediction; or the unit that changes most.
    """
    off = sorted(change.off)
    without = head_name(*off[0]) if off else _("the hidden words")
    if len(off) > 1:
        without = _("these {n} heads").format(n=len(off))
    asked = [i for i in Heads.asked.value if i < len(view.units)]
    if predictions and not asked:
        return predictions[0].effect(view.name, without if off else "")
    measured = [float(changed[list(unit.positions)].mean()) for unit in view.units]
    words = [i for i, unit in enumerate(view.units) if not unit.special] or [*range(len(measured))]
    shown = asked[0] if asked else max(words, key=measured.__getitem__)
    text = (
        _(
            "Without {what}, the output vector of “{token}” changes by {share:.1%} of its length "
            "(the median of all words: {median:.1%})."
        )
        if asked
        else _(
            "Without {what}, the output vector of “{token}” changes most: by {share:.1%} of its "
            "length (the median of all words: {median:.1%})."
        )
    )
    median = float(np.median([measured[i] for i in words]))
    token = plain(view.labels[shown])
    return text.format(what=without, token=token, share=measured[shown], median=median)


def _why_no_prediction(view: Subject) -> str:
    model = loaded_models.loaded_model(view.model)
    if loaded_models.is_decoder(view.model) or model.masked_lm is not None:
        return ""
    text = _("{model} has no output layer for words, so it predicts none.")
    return text.format(model=plain(view.name))


def _first_off(change: Intervention) -> int:
    """Return the first layer with a head that is off; -1 if all are on."""
    return min(change.off, default=(-1, 0))[0]


def _why_no_weight_changes(change: Intervention, n_layers: int) -> str:
    """Return why no weight changes; "" if one can: an off head that attends equally does, too."""
    if change.masked or change.how != "zero" or _first_off(change) < n_layers - 1:
        return ""
    text = _("No weight changes: no layer comes after L{layer}.")
    return text.format(layer=_first_off(change))


def _unchanged(view: Subject, change: Intervention) -> str:
    """Return why the selected head cannot change; "" if it can."""
    first = _first_off(change)
    text = _("This head cannot change: only the layers after L{layer} read what L{layer} adds.")
    return "" if selected(view)[0] > first else text.format(layer=first)


def _code(request: Subject, layer: int, head: int) -> ViewCode:
    """Code of the change of one head's weights."""
    arguments = f"model, {request.text!r}, {request.text_pair!r}"
    lines = [
        f"model = {loading(request.model)}",
        f"change = {request.change}",
        f"before = intervene({arguments}, change.baseline).capture",
        f"after = intervene({arguments}, change).capture",
        f"shown = {units_of(request, 'after')}",
        "changed = (",
        f"    {between_units(request, f'after.weights[{layer}, {head}]')}",
        f"    - {between_units(request, f'before.weights[{layer}, {head}]')}",
        ")",
        "labels = [unit.label for unit in shown]",
        "difference_heatmap(changed, labels, labels)",
    ]
    uses = (load_model, Intervention, units, unit_weights, difference_heatmap)
    return ViewCode("\n".join(lines), intervene, uses, "Michel et al. 2019, 2.3")


def _controls(left: Subject, right: Subject) -> tuple[Subject, Intervention]:
    """Draw the pickers of the side, the heads and the words; return the side and the change."""
    view = draw_side(left, right)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        capture = view.capture()
        options = [(i, j) for i in range(capture.n_layers) for j in range(capture.n_heads)]
        Heads.off.value = [head for head in Heads.off.value or () if head in options]
        Heads.off.draw(
            options=options, format_func=lambda head: head_name(*head), placeholder=_("none")
        )
        Heads.how.draw()
        model = loaded_models.loaded_model(view.model)
        if model.tokenizer.token_to_id(model.mask_token) is None:
            Heads.masked.value = []
        else:
            words = {i: unit.label for i, unit in enumerate(view.units) if not unit.special}
            Heads.masked.draw(options=words, placeholder=_("none"))
    hidden = {position for i in Heads.masked.value for position in view.units[i].positions}
    off = frozenset(Heads.off.value)
    return view, Intervention(off, Heads.how.value, frozenset(hidden))
