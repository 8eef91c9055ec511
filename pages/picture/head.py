"""One head: the query of the selected token, and every key with its score, weight and value."""

from dataclasses import replace

import numpy as np

from pages.picture.score import calculator_pair
from pages.picture.view import PictureView, token_boxes
from viz.picture import Box, ShadedCells, strongest, vector_cells
from viz.style.labels import number
from web.language import _, plain, sentences
from web.widgets.head_picker import shared_keys

MAX_KEYS = 32
"""Most keys that are drawn."""

SHORT, SEEN = 0.3, 0.05
"""A value below this share of the mean length is said to pass on little, above this weight."""


def head(view: PictureView) -> list[Box]:
    """Return q, the keys, and the context of the selected head."""
    capture, (layer, number) = view.captures[view.stack], view.place
    query, queries = view.query(view.stack), view.names(view.stack)[0]
    steps = capture.head(layer, number)
    q = vector_cells(steps.q[[query]])[0]
    values = steps.v[strongest(steps.weights[query], MAX_KEYS)]  # on whose scale the sum is shaded
    context = vector_cells(np.concatenate((values, steps.context[[query]])))[-1]
    calculator = view.calculator_link(layer=layer, head=number)
    pair = calculator_pair(view, layer, number, query, view.key())
    return [
        Box("tokens", _("Query"), link=calculator, items=token_boxes(view)),
        _strip(_("Query of “{token}”").format(token=queries[query]), q, pair),
        _keys(view, query),
        replace(
            _strip(_("Sum of v times weight"), context, f"{calculator}&look=context%7C"),
            note=_("{count} numbers, at most {most:.2f} from 0").format(
                count=context.columns, most=float(np.abs(steps.context[query]).max())
            ),
        ),
    ]


def said(view: PictureView) -> str:
    """Return a sentence on the largest weight of the selected token."""
    capture, query = view.captures[view.stack], view.query(view.stack)
    steps, names = capture.head(*view.place), view.names(view.stack)
    key = int(steps.weights[query].argmax())
    lengths = np.linalg.norm(steps.v, axis=-1)  # (Tk, d_head) -> (Tk,)
    text = _(
        "**“{query}” gives {weight:.2f} of its attention to “{key}”: its query q fits the key k of "
        "“{key}” best (scaled score {score}).**"
    )
    least = int(lengths.argmin())
    little = _(
        "“{least}” gets {part:.2f} but passes on little: its value v has {share:.0%} of the mean "
        "length of all values."
    )
    is_told = lengths[least] < SHORT * lengths.mean() and steps.weights[query, least] > SEEN
    return sentences(text, little if is_told else "").format(
        least=plain(names[1][least]),
        part=float(steps.weights[query, least]),
        share=float(lengths[least] / lengths.mean()),
        query=plain(names[0][query]),
        weight=float(steps.weights[query, key]),
        key=plain(names[1][key]),
        score=_score(steps.masked_scores[query, key]),
    )


def _strip(name: str, cells: ShadedCells, link: str) -> Box:
    note = _("{count} numbers").format(count=cells.columns)
    return Box("strip", name, note=note, link=link, cells=(cells,))


def _keys(view: PictureView, query: int) -> Box:
    """The keys with the largest weights, in the order of the text."""
    capture, (layer, number) = view.captures[view.stack], view.place
    names, key = view.names(view.stack)[1], view.key()
    steps = capture.head(layer, number)
    shown = strongest(steps.weights[query], MAX_KEYS)
    rows = zip(shown, vector_cells(steps.k[shown]), vector_cells(steps.v[shown]), strict=True)
    notes = []
    if len(shown) < len(names):
        cut = _("The {shown} keys with the largest weights, of {count}.")
        notes.append(cut.format(shown=len(shown), count=len(names)))
    if (groups := shared_keys(capture)) is not None:
        notes.append(groups[capture.key_head(number)])
    score, weight = _("score"), _("weight")
    headings = ("k", _("scaled score"), weight, "v")
    heading = Box("columns", _("key"), tuple(("", each) for each in headings))
    return Box(
        "keys",
        _("Every key token, with its key k and value v"),
        note=sentences(*notes),
        items=(
            heading,
            *(
                Box(
                    "key",
                    names[i],
                    (
                        (score, _score(steps.masked_scores[query, i])),
                        (weight, f"{steps.weights[query, i]:.4f}"),
                    ),
                    link=view.link(zoom="score", key=i),
                    shade=round(float(steps.weights[query, i]), 4),
                    cells=(k, v),
                    current=i == key,
                )
                for i, k, v in rows
            ),
        ),
    )


def _score(score: float) -> str:
    return _("masked") if score == float("-inf") else number(score, "z.2f")
