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
            "Writes “{{written}}”. Standing on “{{on}}”, {whose} looks most at “{{most}}” "
            "({{weight}}); the numbers at what stands already are its masked self-attention."
        ).format(whose=name),
        "summary": _(
            "“{text}”: what each token looked at while it was written, {whose}. Where lines cross, "
            "the order of the words changes."
        ).format(text=translation.text, whose=name),
        "beams": _("Kept, and struck out what was dropped, by log-probability"),
        "kept": _("kept"),
        "dropped": _("dropped"),
        "description": _(
            "The source above, “{text}” below, and lines from what is written to what it looks at."
        ).format(text=translation.text),
    }


def generation_texts(generation: Generation, name: str, sampled: bool) -> dict[str, str]:
    """Return the texts for a generated text."""
    return {
        **_common_texts(sampled),
        "position": _("token {{step}} of {count}").format(count=len(generation.steps)),
        "step_summary": _(
            "Writes “{{written}}”. Standing on “{{on}}”, {whose} looks most at “{{most}}” "
            "({{weight}})."
        ).format(whose=name),
        "summary": _(
            "What {whose} looked at while all this was written: the mean over the steps. Under "
            "each written token its probability, and what was passed over: click one to write "
            "that instead."
        ).format(whose=name),
        "weight": _("weight {weight}"),
        "mean": _("mean weight {weight}"),
        "forced": _("forced"),
        "control": _("a control token"),
        "layers": _("Layer by layer"),
        "layers_help": _(
            "Every layer, mean over its heads: the stronger the colour, the more it looked at a "
            "token (by the square root, so that little is seen too). Click a layer to draw it "
            "above. K, V: keys and values, pale where they are kept, full where they are computed "
            "now."
        ),
        "cell": _("L{layer}, mean over heads: {weight} on “{token}”"),
        "too_long": _("Layer by layer is drawn of shorter texts."),
        "keys_and_values": _("K, V"),
        "description": _(
            "Layers down, tokens across: what each layer looked at. Below, which keys and values "
            "are kept and which are computed."
        ),
    }


def _common_texts(sampled: bool) -> dict[str, str]:
    return {
        "slider": _("Step of the writing"),
        "play": _("Play the writing"),
        "pause": _("Pause"),
        "whole": _("the whole"),
        "candidates": _("Model's probability → of the draw")
        if sampled
        else _("What it could have written"),
        "probabilities": _("How likely each token was"),
        "go_to_step": _("Look at this step"),
        "save": _("Save the picture as SVG"),
        "written": _("This is what it wrote"),
        "force": _("Write this instead, and go on from there"),
    }
