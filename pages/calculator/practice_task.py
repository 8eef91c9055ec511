"""What an exercise is called, what there is to see in it, and what is to be done; screen and paper.

No answer is told here.
"""

from model.calculator.exercises import Asked, Exercise
from model.calculator.mask_exercises import MaskExercise
from model.calculator.practice import tolerance
from model.calculator.stories import story, title
from pages.calculator.practice_kinds import AnyExercise, Asking
from pages.calculator.practice_set import asked_names
from pages.shared.language import _, in_words


def named(exercise: AnyExercise, number: int) -> tuple[str, str]:
    """Its name, and its story.

    Args:
        exercise: Of any kind.
        number: Its place in the set, from 1 on.
    """
    if isinstance(exercise, Exercise):
        return in_words(title(exercise, number)), in_words(story(exercise))
    if isinstance(exercise, MaskExercise):
        name = _("Exercise {number}: a mask for {tokens} tokens")
        rules = " ".join(in_words(rule.said) for rule in exercise.rules)
        return name.format(number=number, tokens=len(exercise.true())), rules
    name = _("Exercise {number}: which mistake is this?")
    said = _("Somebody wrote attention{mask}, and made one of the classic mistakes.")
    masks = {
        "causal": _(" with a causal mask"),
        "padding": _(" with a mask that hides the last key, which is padding"),
    }
    mask = masks[exercise.exercise.settings.mask]
    return name.format(number=number), said.format(mask=mask)


def task(exercise: AnyExercise, asking: Asking) -> str:
    """What is to be done, and how exactly; Markdown."""
    if isinstance(exercise, MaskExercise):
        return _("Mark every cell whose **query** (row) may see its **key** (column).")
    if not isinstance(exercise, Exercise):
        return _("From Q, K and V the code came to these **weights**. Which mistake is in it?")
    tasks = {
        "scaled_scores": _("Work out the **scaled scores** QKᵀ / {divisor}, before any mask."),
        "weights": _("Work out the **weights**: the softmax of QKᵀ / {divisor} along each row."),
        "context": _("Work out the **context**: softmax(QKᵀ / {divisor}) times V."),
    }
    settings = exercise.settings
    divisor = f"√{exercise.q.shape[1]}"
    if settings.temperature != 1:
        divisor = f"({divisor} × {settings.temperature:g})"
    near = f"{tolerance(asking.decimals):.{asking.decimals}f}"
    masks = {
        "none": "",
        "causal": _(" Causal mask: query i sees the keys 0 to i."),
        "padding": _(" The last key is padding: no query sees it."),
    }
    decimals = _(
        " {decimals} decimals; right is what lies within {near}, and what follows from steps so "
        "rounded."
    ).format(decimals=asking.decimals, near=near)
    return tasks[asking.asked].format(divisor=divisor) + masks[settings.mask] + decimals


def step_title(step: Asked, asking: Asking) -> str:
    """What stands above the cells of a step, which may be one on the way to what is asked."""
    if step == "mask":
        return _("queries down, keys across")
    name = asked_names()[step]
    if step == asking.asked:
        return name
    return _("{step} (on the way, if you like)").format(step=name)
