"""Texts of the step view, in the reader's language.

``name`` is the name of the head, or of the mean, that is drawn.
"""

from model.catalogue.causal import Generation
from model.catalogue.translation import Translation
from web.language import _


def translation_texts(translation: Translation, name: str, sampled: bool) -> dict[str, str]:
    """Return the texts for a translation."""
    return {
        **_common_texts(sampled),
        "position": _("step {{step}} of {count}").format(count=len(translation.steps)),
        "step_summary": _(
            "Writes “{{written}}”. At “{{on}}”, {whose} attends most to “{{most}}” "
            "({{weight}}). The numbers at earlier written tokens are masked "
            "self-attention."
        ).format(whose=name),
        "summary": _(
            "“{text}”: what each written token attends to, {whose}. Where lines "
            "cross, the order of the words changes."
        ).format(text=translation.text, whose=name),
        "beams": _("Hypotheses by log-probability; dropped ones are crossed out"),
        "kept": _("kept"),
        "dropped": _("dropped"),
        "description": _(
            "The source tokens, the translation “{text}”, and lines from each written"
            " token to the tokens that it attends to."
        ).format(text=translation.text),
    }


def generation_texts(generation: Generation, name: str, sampled: bool) -> dict[str, str]:
    """Return the texts for a generated text."""
    return {
        **_common_texts(sampled),
        "position": _("token {{step}} of {count}").format(count=len(generation.steps)),
        "step_summary": _(
            "Writes “{{written}}”. At “{{on}}”, {whose} attends most to “{{most}}” ({{weight}})."
        ).format(whose=name),
        "summary": _(
            "Above each token: how much {whose} attended to it, the mean over the steps. Below "
            "each written token: its probability and the alternatives. Select an alternative to "
            "write it instead."
        ).format(whose=name),
        "weight": _("weight {weight}"),
        "mean": _("mean weight {weight}"),
        "forced": _("forced"),
        "above": _("attention"),
        "below": _("probability"),
        "others": _("alternatives"),
        "control": _("a control token"),
    }


def _common_texts(sampled: bool) -> dict[str, str]:
    return {
        "slider": _("Step"),
        "play": _("Play the steps"),
        "pause": _("Pause"),
        "whole": _("all steps"),
        "candidates": _("Model's probability → probability of the draw")
        if sampled
        else _("Alternatives"),
        "probabilities": _("How likely each token was"),
        "go_to_step": _("Show this step"),
        "save": _("Save the picture as SVG"),
        "written": _("The model wrote this token"),
        "force": _("Write this token instead, and continue"),
    }
