"""Training of a translator: the slider through its checkpoints, and how its alignment forms."""

from collections.abc import Sequence
from typing import Any

from model.catalogue.names import checkpoint_names
from model.catalogue.translation_files import TaskName, TranslatorCheckpoint, translation
from pages.decoder.request import TranslationRequest
from pages.decoder.url import Translate
from web.language import _
from web.translators import task_of
from web.widgets.checkpoint_slider import checkpoint_slider, chosen_checkpoint, curve
from web.widgets.head_picker import chosen_head, head_name


def training_slider(request: TranslationRequest) -> None:
    """Draw the slider, if it is open."""
    if request.task is not None and Translate.training.value:
        _slider(request.model, request.task)


def _slider(model: str, task: TaskName) -> None:
    checkpoints = translation(task).checkpoints
    measured = _("held-out texts translated exactly")
    exact = curve(
        _("held-out texts translated exactly"),
        [checkpoint.exact for checkpoint in checkpoints],
        "dotted",
        3,
    )
    checkpoint_slider(
        key="learning",
        hue="left",
        steps=[checkpoint.step for checkpoint in checkpoints],
        current=checkpoint_names(task).index(model),
        curves=[exact, *_alignment(checkpoints)],
        description=measured,
        on_stop=_select_checkpoint,
    )


def _alignment(checkpoints: Sequence[TranslatorCheckpoint]) -> list[dict[str, Any]]:
    """Curve of how often the head attends most to the aligned word, if measured."""
    if not all(checkpoint.alignment for checkpoint in checkpoints):
        return []
    first = checkpoints[0].alignment  # (L, H + 1): the last column belongs to the mean
    n_layers, n_heads = len(first), len(first[0]) - 1
    layer, head = chosen_head(n_layers, n_heads, Translate.layer, Translate.head)
    label = _("{whose} attends most to the right word").format(whose=head_name(layer, head))
    values = [checkpoint.alignment[layer][head] for checkpoint in checkpoints]
    return [curve(label, values, "solid", 3)]


def _select_checkpoint() -> None:
    """Translate the same text with another checkpoint; a callback."""
    task = task_of(Translate.model.value)
    name = chosen_checkpoint("learning", [] if task is None else checkpoint_names(task))
    if name is not None:
        Translate.model.value = name
