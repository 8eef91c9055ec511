"""What a head does whatever the sentence: grammar over a corpus, or patterns in random tokens."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from model.analysis.induction import N_RANDOM
from model.analysis.labels import LOOKING_BACK, Label, labels
from pages.heads.selection import is_decoder
from pages.shared import captures, words
from pages.shared.about_head import atlas_of
from pages.shared.address import link
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.head_picker import head_name
from pages.shared.language import _, plain
from pages.shared.recipe import SIDES, Shown
from pages.shared.take_away import stem
from viz import Side, attention_heatmap

HEADS = Path(__file__).parent / "page.py"

TELLING = LOOKING_BACK - {"first"} | {"previous"}
"""Labels on random tokens that tell what a head is for: all but resting, and what is no pattern."""


REPEATING = "red blue seven green cat red blue seven green cat"
"""Words on which three of smollm2's induction heads show."""

PICTURE = 460
"""Pixels: a hundred tokens, and nobody reads one."""


@dataclass(frozen=True)
class Beyond:
    """What is known of a head whatever the sentence.

    Attributes:
        said: Its grammar, or its pattern in random tokens; "–" if none is known.
        label: What it is called over a corpus, or on random tokens; "–" if neither was measured.
        clear: How clear what is said is; None if nothing is said.
    """

    said: str = "–"
    label: str = "–"
    clear: float | None = None


def beyond(shown: Shown) -> list[list[Beyond]]:
    """What is known of every head of a side, ``[layer][head]``."""
    told = words.labels()
    if is_decoder(shown):
        found = on_random(shown.recipe.model)
        return [[_of_label(label, told) for label in row] for row in found or _nothing(shown)]
    atlas = atlas_of(shown.recipe.model)
    if atlas is None:
        return [[Beyond() for _none in row] for row in _nothing(shown)]
    rows: list[list[Beyond]] = []
    for layer, row in enumerate(atlas.labels):
        rows.append([])
        for head, label in enumerate(row):
            follows = atlas.follows(layer, head)
            said = words.finding_in_brief(follows) if follows else "–"
            rows[-1].append(Beyond(said, told[label.name], follows.lead if follows else None))
    return rows


def on_random(model: str) -> list[list[Label]] | None:
    """What a decoder's heads are called on random tokens; None if it is too small for them."""
    measured = captures.profiled_on_repeated(model)
    return None if measured is None else labels(measured)


def _nothing(shown: Shown) -> list[list[None]]:
    return [[None] * shown.capture.n_heads for _layer in range(shown.capture.n_layers)]


def _of_label(label: Label | None, told: dict[str, str]) -> Beyond:
    if label is None:
        return Beyond()
    name = told[label.name]
    if label.name not in TELLING:
        return Beyond(label=name)
    said = _("{label} {value:.2f} on random tokens").format(label=name, value=label.value)
    return Beyond(said, name, label.value)


def column_names(decoders: set[bool]) -> tuple[str, str]:
    """What the table's two columns are called: of encoders, of decoders, or of both."""
    if decoders == {True}:
        return _("whatever the sentence"), _("on random tokens")
    if decoders == {False}:
        return _("grammar (baseline), over a corpus"), _("over a corpus")
    return _("grammar (baseline), or a pattern"), _("over a corpus, or random tokens")


def said_on_random(shown: Shown, layer: int, head: int) -> list[str]:
    """What a decoder's head does on random tokens, in a line; none of an encoder's."""
    if not is_decoder(shown):
        return []
    found = on_random(shown.recipe.model)
    if found is None:
        return [
            _(
                "{model} is too small for {count} random tokens, twice: its heads are not asked "
                "for induction."
            ).format(model=plain(shown.name), count=N_RANDOM)
        ]
    return [_("On random tokens: {what}").format(what=words.called(found[layer][head]))]


def draw_on_random(shown: Shown, layer: int, head: int) -> None:
    """Draw a decoder's head on random tokens, if that tells what it is for."""
    found = on_random(shown.recipe.model) if is_decoder(shown) else None
    if found is None or found[layer][head].name not in TELLING:
        return
    recipe = shown.recipe
    here = captures.called(recipe.model, recipe.text, recipe.text_pair, layer, head)
    dormant = found[layer][head].name == "induction" and here.name != "induction"
    if dormant and st.button(
        _("On words that repeat"), icon=":material/repeat:", key="on_repeating"
    ):
        st.switch_page(HEADS, query_params=link(_repeating(shown.side, layer, head)))
    _picture(shown, layer, head)


def _repeating(side: Side, layer: int, head: int) -> dict[str, str]:
    """The address of a head on words that repeat."""
    models = {name: st.session_state[name] for name in SIDES}
    place = {"side": side, "layer": str(layer), "head": str(head)}
    return {"part": "labels", "text": REPEATING, **models, **place}


def _picture(shown: Shown, layer: int, head: int) -> None:
    capture = captures.repeated(shown.recipe.model)
    name = head_name(layer, head)
    title = _("{head} on random tokens").format(head=name)
    figure = attention_heatmap(
        capture.weights[layer, head],
        capture.tokens,
        title=title,
        subtitle=_("{count} tokens, {times} times").format(
            count=N_RANDOM, times=len(capture.tokens) // N_RANDOM
        ),
        side=shown.side,
        allowed=capture.allowed[layer],
        text_colour=THEME_TEXT,
        height=PICTURE,
        translate=_,
    )
    chart(figure, "on_random", stem(shown.name, name, "random"), title)
