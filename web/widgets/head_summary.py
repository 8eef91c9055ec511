"""Summary of a head: its behaviour on this sentence and over a corpus."""

import streamlit as st

from model import HeadlightError
from model.analysis.grammar.atlas import Atlas, find_atlas
from model.analysis.labels import MIXED
from web.cache import captures, loaded_models, uploaded_captures
from web.language import _, in_words, plain
from web.subject import Subject
from web.widgets import label_names
from web.widgets.head_picker import shared_keys


def atlas_of(model: str) -> Atlas | None:
    """Return a model's atlas, or None without one; show an error for a damaged file."""
    try:
        return find_atlas(loaded_models.loaded_model(model))
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return None


def about_head(request: Subject, layer: int, head: int) -> list[str]:
    """Return lines on a head: its grammar, its label here, its label over the corpus."""
    is_file = uploaded_captures.is_file(request.model)
    try:
        here = captures.head_label(request.model, request.text, request.text_pair, layer, head)
        lines = [_("On this sentence: {what}").format(what=label_names.called(here))]
    except HeadlightError as error:  # the file does not say which tokens are special
        if not is_file:
            raise
        lines = [in_words(error)]
    atlas = None if is_file else atlas_of(request.model)
    if atlas is not None:
        over = atlas.labels[layer][head]
        what = label_names.called(over)
        if over.name == MIXED and lines == [_("On this sentence: {what}").format(what=what)]:
            both = _("On this sentence, and on {count:,} sentences of a corpus: {what}")
            lines = [both.format(count=atlas.sentences, what=what)]
        else:
            corpus = _("On {count:,} sentences of a corpus: {what}")
            lines.append(corpus.format(count=atlas.sentences, what=what))
        found = atlas.followed_relation(layer, head)
        if found is not None:  # grammar is the strongest statement about a head
            lines.insert(0, _("**Grammar**: {found}").format(found=label_names.finding(found)))
    capture = request.capture()
    groups = shared_keys(capture)
    if groups is not None:
        lines.append(groups[capture.key_head(head)])
    return lines
