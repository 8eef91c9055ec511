"""Texts of the step view, in the reader's language; ``name`` is the name of the head."""

from model.catalogue.causal import Generation
from model.catalogue.translation import Translation
from web.language import _


def translation_texts(translation: Translation, name: str, sampled: bool) -> dict[str, str]:
    """Return the texts for a translation."""
    return {
        **_common_texts(name, sampled),
        "position": _("step {{step}} of {count}").format(count=len(translation.steps)),
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
    first = generation.steps[0]
    return {
        **_common_texts(name, sampled),
        "position": _("token {{step}} of {count}").format(count=len(generation.steps)),
        "summary": _(
            "The decoder predicts one token after another: first “{token}”, with probability "
            "{probability:.2f}."
        ).format(token=first.token.strip(), probability=first.probability),
        "weight": _("weight {weight}"),
        "mean": _("mean weight {weight}"),
        "forced": _("forced"),
        "above": name,
        "below": _("probability"),
        "others": _("alternatives"),
        "control": _("a control token"),
    }


def _common_texts(name: str, sampled: bool) -> dict[str, str]:
    return {
        "step_summary": _(
            "To choose “{{written}}”, {head} gives {{weight}} of its attention to “{{most}}”."
        ).format(head=name),
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
