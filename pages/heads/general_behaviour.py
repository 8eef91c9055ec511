"""Behaviour of heads on any sentence: grammar over a corpus, or patterns in random tokens."""

from dataclasses import dataclass

from model.analysis.induction import N_RANDOM
from model.analysis.labels import Label, labels
from model.capture.sites import Stack
from pages.heads.selection import is_decoder
from viz import attention_heatmap
from web.cache import captures
from web.language import _, plain
from web.subject import Subject
from web.widgets import label_names
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_picker import head_name
from web.widgets.head_summary import atlas_of

INFORMATIVE = frozenset({"induction", "previous", "next", "self", "same", "duplicate"})
"""Labels that describe a function: not a sink, such as "first", and not "broad" or "mixed"."""


HEIGHT = 460
"""Pixels of the heatmap; its hundred tokens are not labelled."""


@dataclass(frozen=True)
class GeneralBehaviour:
    """What a head does on any sentence.

    Attributes:
        share: The share of cases or of attention behind ``pattern``.
        label: Its label over a corpus or on random tokens; "–" if not measured.
    """

    pattern: str = ""
    share: float = 0.0
    label: str = "–"


def general_behaviour(view: Subject) -> list[list[GeneralBehaviour]]:
    """Return the general behaviour of every head of a side, ``[layer][head]``."""
    names = label_names.labels()
    if is_decoder(view):
        found = random_token_labels(view.model)
        return [[_of_label(label, names) for label in row] for row in found or _no_labels(view)]
    atlas = atlas_of(view.model)
    if atlas is None:
        return [[GeneralBehaviour() for _none in row] for row in _no_labels(view)]
    rows: list[list[GeneralBehaviour]] = []
    for layer, row in enumerate(atlas.labels):
        rows.append([])
        for head, label in enumerate(row):
            follows = atlas.followed_relation(layer, head)
            name = names[label.name]
            if follows is None:
                rows[-1].append(GeneralBehaviour(label=name))
                continue
            pattern = label_names.relation(follows.relation, follows.direction)
            rows[-1].append(GeneralBehaviour(pattern, follows.accuracy, name))
    return rows


def random_token_labels(model: str) -> list[list[Label]] | None:
    """Return the labels of a decoder's heads on random tokens; None if its context is too short."""
    measured = captures.measures_on_repeats(model)
    return None if measured is None else labels(measured)


def _no_labels(view: Subject) -> list[list[None]]:
    return [[None] * view.capture().n_heads for _layer in range(view.capture().n_layers)]


def _of_label(label: Label | None, names: dict[str, str]) -> GeneralBehaviour:
    if label is None:
        return GeneralBehaviour()
    name = names[label.name]
    if label.name not in INFORMATIVE:
        return GeneralBehaviour(label=name)
    return GeneralBehaviour(name, label.value, name)


def column_name(stacks: set[Stack]) -> str:
    """Return the name of the column with the labels of any text."""
    if stacks == {"decoder"}:
        return _("Label on random tokens")
    if stacks == {"encoder"}:
        return _("Label over a corpus")
    return _("Label over a corpus, or on random tokens")


def describe_on_random(view: Subject, layer: int, head: int) -> list[str]:
    """Return a line on a decoder head's behaviour on random tokens; empty for encoders."""
    if not is_decoder(view):
        return []
    found = random_token_labels(view.model)
    if found is None:
        return [
            _(
                "{model} is too small for {count} random tokens twice, so induction is "
                "not measured."
            ).format(model=plain(view.name), count=N_RANDOM)
        ]
    return [_("On random tokens: {what}").format(what=label_names.called(found[layer][head]))]


def draw_on_random(view: Subject, layer: int, head: int) -> None:
    """Draw a decoder's head on random tokens if its label there is informative."""
    found = random_token_labels(view.model) if is_decoder(view) else None
    if found is None or found[layer][head].name not in INFORMATIVE:
        return
    capture = captures.random_repeats(view.model)
    name = head_name(layer, head)
    title = _("{head} on random tokens").format(head=name)
    figure = attention_heatmap(
        capture.weights[layer, head],
        capture.tokens,
        title=title,
        subtitle=_("{count} tokens, {times} times").format(
            count=N_RANDOM, times=len(capture.tokens) // N_RANDOM
        ),
        side=view.side,
        allowed=capture.allowed[layer],
        text_colour=THEME_TEXT,
        height=HEIGHT,
        translate=_,
    )
    chart(figure, "on_random", stem(view.name, name, "random"), title)
