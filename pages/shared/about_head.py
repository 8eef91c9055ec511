"""What is known of a head: on this sentence, and, where that was measured, over a corpus."""

import streamlit as st

from model import HeadlightError
from model.analysis.grammar.atlas import Atlas, read_atlas
from pages.shared import captures, words
from pages.shared.head_picker import shared_keys
from pages.shared.language import _, in_words, plain
from pages.shared.recipe import Recipe


def atlas_of(model: str) -> Atlas | None:
    """What was measured over a corpus, if it was; a broken file is said."""
    try:
        return read_atlas(model)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return None


def about_head(recipe: Recipe, layer: int, head: int) -> list[str]:
    """What a head does: grammar first, then this sentence, then the corpus it was measured on."""
    here = captures.called(recipe.model, recipe.text, recipe.text_pair, layer, head)
    lines = [_("On this sentence: {what}").format(what=words.called(here))]
    atlas = atlas_of(recipe.model)
    if atlas is not None:
        over = atlas.labels[layer][head]
        lines.append(
            _("Over {count:,} sentences of a corpus: {what}").format(
                count=atlas.sentences, what=words.called(over)
            )
        )
        found = atlas.follows(layer, head)
        if found is not None:  # the clearest that can be said of a head
            lines.insert(0, _("Grammar: **{found}**").format(found=words.finding(found)))
    capture = recipe.captured()
    groups = shared_keys(capture)
    if groups is not None:
        lines.append(groups[capture.key_head(head)])
    return lines
