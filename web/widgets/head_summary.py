"""Summary of a head: its behaviour on this sentence, and over a corpus or on random tokens."""

import streamlit as st

from model import HeadlightError
from model.analysis.grammar.atlas import Atlas, find_atlas
from model.analysis.induction import N_RANDOM
from model.analysis.labels import MIXED, HeadLabel, labels
from viz import distinct
from web.cache import captures, loaded_models, uploaded_captures
from web.language import _, in_words, plain
from web.model_name import model_name
from web.subject import Subject
from web.widgets import label_names
from web.widgets.head_picker import head_name, shared_keys


def atlas_of(model: str) -> Atlas | None:
    """Return a model's atlas, or None without one; show an error for a damaged file."""
    try:
        return find_atlas(loaded_models.loaded_model(model))
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return None


def general_labels(model: str) -> list[list[HeadLabel]] | None:
    """Return each head's label on any text, ``[layer][head]``; None if it was not measured.

    Encoders are measured over a corpus, decoders on random tokens.
    """
    if loaded_models.is_decoder(model):
        measured = captures.measures_on_repeats(model)
        return None if measured is None else labels(measured)
    atlas = atlas_of(model)
    return None if atlas is None else [list(row) for row in atlas.labels]


def on_random_tokens(model: str, layer: int, head: int) -> str:
    """Return a line on a decoder head's behaviour on random tokens."""
    found = general_labels(model)
    if found is None:
        text = _("{model} is too small for {count} random tokens twice: induction is not measured.")
        return text.format(model=plain(model_name(model)), count=N_RANDOM)
    what = label_names.called(found[layer][head])
    where = _("{head}, tested on random tokens that repeat: {what}")
    return where.format(head=head_name(layer, head), what=what)


def _most_attended(request: Subject, layer: int, head: int) -> str:
    """Return a line on the token that a head without a clear pattern attends to most."""
    capture = request.capture()
    received = capture.weights[layer, head].mean(axis=0)  # (Tq, Tk) -> (Tk,)
    most = int(received.argmax())
    text = _(
        "On this sentence, no rule fits. Over all rows, “{token}” gets the largest share of the "
        "head's attention: {share:.0%}."
    )
    return text.format(token=plain(distinct(capture.key_tokens)[most]), share=float(received[most]))


def about_head(request: Subject, layer: int, head: int, *, grammar: bool = True) -> list[str]:
    """Return lines on a head: its grammar, its label on any text, and its label here.

    "No rule fits" is only said of a head about which nothing else is known.
    """
    is_file = uploaded_captures.is_file(request.model)
    lines, found, everywhere = [], None, ""
    atlas = None if is_file else atlas_of(request.model)
    if atlas is not None:
        found = atlas.followed_relation(layer, head)
        if found is not None and grammar:  # it is the strongest statement about a head
            lines.append(_("**Grammar**: {found}").format(found=label_names.finding(found)))
        over = atlas.labels[layer][head]
        if over.name != MIXED:
            everywhere = label_names.called(over)
            corpus = _("On {count:,} sentences of a treebank, its pattern is {what}")
            lines.append(corpus.format(count=atlas.sentences, what=everywhere))
    try:
        own = captures.head_label(request.model, request.text, request.text_pair, layer, head)
        here = label_names.called(own)
        if atlas is not None and here == everywhere:
            lines[-1] = _(
                "On this sentence and on {count:,} sentences of a treebank, its pattern is {what}"
            ).format(count=atlas.sentences, what=here)
        elif own.name != MIXED or not (lines or found):
            lines.append(
                _most_attended(request, layer, head)
                if own.name == MIXED
                else _("On this sentence, its pattern is {what}").format(what=here)
            )
    except HeadlightError as error:  # the file does not say which tokens are special
        if not is_file:
            raise
        lines.append(in_words(error))
    if not is_file and loaded_models.is_decoder(request.model):
        lines.append(on_random_tokens(request.model, layer, head))
    capture = request.capture()
    groups = shared_keys(capture)
    if groups is not None:
        lines.append(groups[capture.key_head(head)])
    return lines
