"""The translation as it was written: the view that the browser scrubs through."""

import math
from typing import Any

import streamlit as st

from model.catalogue.translation import SearchStep, Translation
from model.catalogue.writing import WrittenToken
from pages import components
from pages.decoder.asked import Asked
from pages.shared import present
from pages.shared.head_picker import chosen_head, head_name
from pages.shared.language import _
from pages.shared.model_name import model_name
from pages.shared.take_away import stem
from pages.shared.translators import MOST_FORCED, seen
from viz import decoding_payload
from viz.style.theme import rgb

MOST_CANDIDATES = 6


def writing(asked: Asked, translation: Translation) -> None:
    """Draw it."""
    layer, head = shown_head(translation)
    cross, decoder = translation.cross.weights[layer], translation.decoder.weights[layer]
    over_mean, drawn = st.session_state["t_mean"], "temperature" in dict(asked.options)
    whose = mean_name(layer) if over_mean else head_name(layer, head)
    source, written = translation.encoder.tokens, translation.tokens
    with present.stage("writing", "grown"):
        components.decoding(
            decoding_payload(
                cross.mean(axis=0) if over_mean else cross[head],
                decoder.mean(axis=0) if over_mean else decoder[head],
                of="\n".join((asked.model, *source, "", *written)),
                source=[seen(token) for token in source],
                target=[seen(token) for token in (translation.decoder.tokens[0], *written)],
                steps=[could_have_written(step, drawn) for step in translation.steps],
                beams=[_beams(step) for step in translation.search] or None,
                hue=rgb("left"),
                file=f"headlight_{stem(model_name(asked.model), asked.text.lower())}",
                strings=_strings(translation, whose, drawn),
            ),
            key="decoding",
            on_forced=_force,
        )
    walk = present.Walk(translation.cross.n_layers, translation.cross.n_heads, "t_")
    present.caption_line(model_name(asked.model), asked.text, walk=walk)
    if translation.search:
        _beside_greedy(asked, translation)
    if asked.forced:
        _say_forced(asked)


def shown_head(translation: Translation) -> tuple[int, int]:
    """The layer and the head that are selected."""
    n_layers, n_heads = translation.cross.weights.shape[:2]
    return chosen_head(n_layers, n_heads, prefix="t_")


def mean_name(layer: int) -> str:
    """What the mean over a layer's heads is called."""
    return _("L{layer}, mean over heads").format(layer=layer)


def could_have_written(step: WrittenToken, drawn: bool) -> dict[str, Any]:
    """What a step could have written; the token that it wrote is always among them."""
    top = list(step.top_k[:MOST_CANDIDATES])
    if step.token not in dict(top):
        top[-1:] = [(step.token, step.probability)]
    by_draw = dict(step.drawn_from)
    return {
        "written": step.token,
        "top": [
            {
                "token": token,
                "probability": probability,
                "printed": _printed(probability)
                + (f" → {_printed(by_draw.get(token, 0.0))}" if drawn else ""),
            }
            for token, probability in top
        ],
    }


def _printed(probability: float) -> str:
    """Four decimals, and of what would read 0.0000 its size."""
    return f"{probability:.4f}" if probability == 0 or probability >= 5e-5 else f"{probability:.0e}"


def _in_nats(log_probability: float) -> str:
    """Three decimals, and of what would read -0.000 its size."""
    return f"{log_probability:.3f}" if log_probability <= -5e-4 else f"{log_probability:.0e}"


def _beams(step: SearchStep) -> list[dict[str, Any]]:
    return [
        {"text": " ".join(each.tokens), "printed": _in_nats(each.log_probability), "kept": kept}
        for kept, all_of_them in ((True, step.kept), (False, step.dropped))
        for each in all_of_them
    ]


def _strings(translation: Translation, whose: str, drawn: bool) -> dict[str, str]:
    return {
        "name": _("Step of the writing"),
        "play": _("Play the writing"),
        "pause": _("Pause"),
        "at": _("step {{step}} of {count}").format(count=len(translation.steps)),
        "whole": _("the whole"),
        "told": _(
            "Writes “{{written}}”. Standing on “{{on}}”, {whose} looks most at “{{most}}” "
            "({{weight}}); the numbers at what stands already are its masked self-attention."
        ).format(whose=whose),
        "told_whole": _(
            "“{text}”: what each token looked at while it was written, {whose}. Where lines cross, "
            "the order of the words changes."
        ).format(text=translation.text, whose=whose),
        "candidates": _("Model's probability → of the draw")
        if drawn
        else _("What it could have written"),
        "each": _("How likely each token was"),
        "look": _("Look at this step"),
        "beams": _("Kept, and struck out what was dropped, by log-probability"),
        "kept": _("kept"),
        "dropped": _("dropped"),
        "save": _("Save the picture as SVG"),
        "written": _("This is what it wrote"),
        "force": _("Write this instead, and go on from there"),
        "description": _(
            "The source above, “{text}” below, and lines from what is written to what it looks at."
        ).format(text=translation.text),
    }


def _force() -> None:
    """A callback: another token stands at a step, and what follows is written anew."""
    event = st.session_state["decoding"].forced
    step, token = int(event["step"]), str(event["token"])
    kept = [(at, of) for at, of in st.session_state["forced"] if at < step]
    st.session_state["forced"] = [*kept, (step, token)][:MOST_FORCED]


def _say_forced(asked: Asked) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        told = ", ".join(
            _("“{token}” at step {step}").format(token=token, step=step + 1)
            for step, token in asked.forced
        )
        st.caption(_("Forced: {told}.").format(told=told), width="content")
        st.button(_("Let it write freely"), on_click=_free, type="tertiary")


def _free() -> None:
    """A callback."""
    st.session_state["forced"] = []


def _beside_greedy(asked: Asked, translation: Translation) -> None:
    greedy = asked.greedily().written()
    best = translation.search[-1].kept[0]
    st.caption(
        _(
            "Greedy: “{greedy}”, log-probability {its}. Beam search with {beams}: “{text}”, {ours}."
        ).format(
            greedy=greedy.text,
            its=_in_nats(_log_probability(greedy)),
            beams=asked.beams,
            text=translation.text,
            ours=_in_nats(best.log_probability),
        )
    )


def _log_probability(translation: Translation) -> float:
    return sum(math.log(max(step.probability, 1e-300)) for step in translation.steps)
