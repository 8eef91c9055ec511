"""The part "Does it matter?": heads switched off, words hidden, and the changes they cause."""

from dataclasses import replace

import numpy as np
import streamlit as st

from model import HeadlightError, Intervention, intervene, load_model, unit_weights, units
from model.analysis.intervention import cosines
from pages.heads import examples
from pages.heads.next_token import knows_language_head, next_before_and_after
from pages.heads.predicted import draw_predictions
from pages.heads.selection import is_decoder, names_of, selected, selected_side
from pages.heads.url import Heads
from viz import difference_heatmap, distinct
from web.cache import loaded_models
from web.language import _, in_words, ngettext, plain
from web.subject import Subject
from web.widgets import head_difference, present
from web.widgets.head_picker import head_name
from web.widgets.tables import ROW, share_table
from web.widgets.view_code import ViewCode, between_units, loading, units_of


def change(left: Subject, right: Subject) -> None:
    """Draw the controls, and the run before and after."""
    examples.switch_example_head_off(left, right)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        Heads.side.draw(options=names_of(left, right))
        Heads.how.draw()
    view = selected_side(left, right)
    _choose_heads(view)
    _choose_words(view)
    intervention = _intervention(view)
    if intervention == Intervention(how=intervention.how):
        st.info(
            _(
                "Nothing is changed yet. Choose heads to switch off, or words to hide behind the "
                "mask."
            )
            if _maskable(view)
            else _("Nothing is changed yet. Choose heads to switch off.")
        )
        return
    _compare(view, intervention)


def _compare(view: Subject, intervention: Intervention) -> None:
    """Draw a side's predictions and weights before and after."""
    request = replace(view, change=intervention)
    baseline = replace(view, change=intervention.baseline)
    try:
        after = request.outcome()
        before = baseline.outcome()
    except HeadlightError as error:
        st.info(plain(in_words(error)))
        return
    st.caption(_explain_runs(intervention))
    cosine = cosines(before.hidden, after.hidden)
    _effect(view, intervention, cosine)
    if not view.units:
        st.info(_("There is nothing to show: all tokens are special tokens, which are hidden."))
        return
    if not is_decoder(view):
        draw_predictions(view, intervention)
    elif knows_language_head(view):
        next_before_and_after(view, intervention.baseline, intervention)
    runs = head_difference.RunPair(
        baseline,
        request,
        tuple((i, i) for i in range(len(view.units))),
        view.labels,
        (_("before"), _("after")),
        (_("more before"), _("more after")),
    )
    with head_difference.draw_heads(runs, _code(request, *selected(view))):
        tokens = [unit.label for unit in units(view.capture())]
        _hidden_states(distinct(tokens), cosine)


def _effect(view: Subject, intervention: Intervention, cosine: np.ndarray) -> None:
    """State the effect on the asked unit, for the cosines of each token's hidden states, (T,)."""
    off = sorted(intervention.off)
    asked = [i for i in Heads.asked.value if i < len(view.units)]
    if not off or not asked:
        return
    heads = head_name(*off[0]) if len(off) == 1 else ngettext("{n} head", "{n} heads", len(off))
    text = _(
        "Without {heads}, the last hidden state of “{token}” has a cosine of {cosine:.4f} with the "
        "one before. 1 is no change."
    )
    measured = float(cosine[list(view.units[asked[0]].positions)].mean())
    effect = text.format(
        heads=heads.format(n=len(off)), token=plain(view.labels[asked[0]]), cosine=measured
    )
    with present.stage("effect", grown=True):  # the first figure on a projector
        st.markdown(f"**{effect}**")


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


def _explain_runs(intervention: Intervention) -> str:
    """Return the sentence that explains before and after."""
    if not intervention.off:
        return _("Before: the typed sentence. After: some words are hidden. All heads are on.")
    if intervention.masked:
        return _(
            "Before: words hidden, all heads on. After: words hidden, some heads off. So only "
            "the heads cause the difference."
        )
    return _("Before: all heads on. After: the heads off.")


def _hidden_states(labels: list[str], cosine: np.ndarray) -> None:
    """Draw the cosines between each token's last hidden states before and after, (T,)."""
    st.caption(_("Cosine between a token's last hidden states before and after"))
    share_table(
        {_("token"): labels, _("cosine"): cosine},
        _("Tokens and the cosine of their hidden states"),
        height=min(ROW * (len(labels) + 1), 410),
    )


def _choose_heads(view: Subject) -> None:
    capture = view.capture()
    options = [(i, j) for i in range(capture.n_layers) for j in range(capture.n_heads)]
    known = {tuple(head) for head in Heads.off.value or ()}
    Heads.off.value = [head for head in options if head in known]
    Heads.off.draw(
        options=options, format_func=lambda head: head_name(*head), placeholder=_("none")
    )


def _choose_words(view: Subject) -> None:
    if not _maskable(view):
        Heads.masked.value = []
        st.caption(
            _("{model} has no mask token, so no word can be hidden.").format(model=plain(view.name))
        )
        return
    words = {i: plain(unit.label) for i, unit in enumerate(view.units) if not unit.special}
    Heads.masked.draw(options=words)


def _maskable(view: Subject) -> bool:
    model = loaded_models.loaded_model(view.model)
    return model.tokenizer.token_to_id(model.mask_token) is not None


def _intervention(view: Subject) -> Intervention:
    masked = {position for i in Heads.masked.value for position in view.units[i].positions}
    return Intervention(frozenset(Heads.off.value or ()), Heads.how.value, frozenset(masked))
