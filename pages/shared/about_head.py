"""What is known of a head: on this sentence, and, where that was measured, over a corpus."""

import streamlit as st

from model import HeadlightError
from model.analysis.grammar.atlas import Atlas, read_atlas
from pages.shared import cache, words
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
    """What a head does on this sentence, and, where that was measured, over a corpus."""
    here = cache.labelled(recipe.model, recipe.text, recipe.text_pair)[layer][head]
    told = words.labels()
    lines = [
        _("On this sentence: **{label}** – {why}").format(
            label=told[here.name], why=words.why(here)
        )
    ]
    atlas = atlas_of(recipe.model)
    if atlas is not None:
        over = atlas.labels[layer][head]
        lines.append(
            _("Over {count:,} sentences: **{label}** – {why}").format(
                count=atlas.sentences, label=told[over.name], why=words.why(over)
            )
        )
        found = atlas.follows(layer, head)
        if found is not None:
            lines.append(_("Grammar: **{found}**").format(found=words.finding(found)))
    return lines
