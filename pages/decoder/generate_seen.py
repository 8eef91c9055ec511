"""The text as it was written, for the view that the browser scrubs through."""

from typing import Any

import numpy as np
import streamlit as st

from model.capture.blanks import seen_breaks
from model.capture.record import AttentionCapture
from model.catalogue.causal import Generation
from model.catalogue.writing import WrittenToken
from pages import components
from pages.decoder.generate_asked import Prompt
from pages.decoder.generate_kept import Kept
from pages.decoder.writing import could_have_written, mean_name
from pages.shared import present
from pages.shared.head_picker import chosen_head, head_name
from pages.shared.language import _
from pages.shared.model_name import model_name
from pages.shared.take_away import stem
from pages.shared.translators import MOST_FORCED
from viz import generation_payload
from viz.style.theme import rgb

MOST_CELLS = 1_500_000
"""Of all layers at all steps, two bytes each; of longer texts the chosen layer alone is sent."""


def seen(prompt: Prompt, generation: Generation) -> None:
    """Draw it, and what was forced."""
    rows = slice(generation.n_prompt - 1, -1)  # row t: what token t + 1 was chosen by
    capture, (layer, head) = generation.capture, shown_head(generation)
    weights = capture.weights[layer, :, rows]  # (H, steps, T)
    over_mean, drawn = st.session_state["g_mean"], "temperature" in dict(prompt.options)
    whose = mean_name(layer) if over_mean else head_name(layer, head)
    n_layers, _heads, n_steps, n_tokens = capture.weights[:, :, rows].shape
    small = n_layers * n_steps * n_tokens <= MOST_CELLS
    with present.stage("writing", "grown"):
        components.generation(
            generation_payload(
                weights.mean(axis=0) if over_mean else weights[head],
                capture.weights[:, :, rows].mean(axis=1) if small else None,
                _allowed(capture, [layer, *(range(n_layers) if small else ())])[:, rows],
                of="\n".join((prompt.model, *generation.tokens)),
                tokens=[seen_breaks(token) for token in generation.tokens],
                prompt=generation.n_prompt,
                control=np.flatnonzero(capture.special).tolist(),
                layer=layer,
                steps=[_step(step, drawn) for step in generation.steps],
                kept=Kept.of(generation).told(),
                hue=rgb("left"),
                file=f"headlight_{stem(model_name(prompt.model), prompt.text.lower())}",
                strings=_strings(generation, whose, drawn),
            ),
            key="generation",
            on_forced=_force,
            on_picked=_pick,
        )
    walk = present.Walk(n_layers, capture.weights.shape[1], prefix="g_")
    present.caption_line(model_name(prompt.model), prompt.text, walk=walk)
    if prompt.forced:
        _say_forced(prompt)


def _allowed(capture: AttentionCapture, layers: list[int]) -> np.ndarray:
    """What the mask of each of some layers allows, boolean, (layers, T, T)."""
    everything = np.ones((len(capture.tokens),) * 2, bool)
    masks = (capture.allowed[layer] for layer in layers)
    return np.stack([everything if mask is None else mask for mask in masks])


def shown_head(generation: Generation) -> tuple[int, int]:
    """The layer and the head that are selected."""
    n_layers, n_heads = generation.capture.weights.shape[:2]
    return chosen_head(n_layers, n_heads, prefix="g_")


def _step(step: WrittenToken, drawn: bool) -> dict[str, Any]:
    said = could_have_written(step, drawn)
    top = [{**each, "shown": seen_breaks(each["token"])} for each in said["top"]]
    return {**said, "forced": step.forced, "top": top}


def _strings(generation: Generation, whose: str, drawn: bool) -> dict[str, str]:
    return {
        "name": _("Step of the writing"),
        "play": _("Play the writing"),
        "pause": _("Pause"),
        "at": _("token {{step}} of {count}").format(count=len(generation.steps)),
        "whole": _("the whole"),
        "told": _(
            "Writes “{{written}}”. Standing on “{{on}}”, {whose} looks most at “{{most}}” "
            "({{weight}})."
        ).format(whose=whose),
        "told_whole": _(
            "What {whose} looked at while all this was written: the mean over the steps. Under "
            "each written token its probability, and what was passed over: click one to write "
            "that instead."
        ).format(whose=whose),
        "candidates": _("Model's probability → of the draw")
        if drawn
        else _("What it could have written"),
        "each": _("How likely each token was"),
        "look": _("Look at this step"),
        "save": _("Save the picture as SVG"),
        "written": _("This is what it wrote"),
        "force": _("Write this instead, and go on from there"),
        "weight": _("weight {weight}"),
        "mean": _("mean weight {weight}"),
        "forced": _("forced"),
        "control": _("a control token"),
        "layers": _("Layer by layer"),
        "told_layers": _(
            "Every layer, mean over its heads: the stronger the colour, the more it looked at a "
            "token (by the square root, so that little is seen too). Click a layer to draw it "
            "above. K, V: keys and values, pale where they are kept, full where they are computed "
            "now."
        ),
        "cell": _("L{layer}, mean over heads: {weight} on “{token}”"),
        "too_long": _("Layer by layer is drawn of shorter texts."),
        "keys_short": _("K, V"),
        "description": _(
            "Layers down, tokens across: what each layer looked at. Below, which keys and values "
            "are kept and which are computed."
        ),
    }


def _force() -> None:
    """A callback: another token stands at a step, and what follows is written anew."""
    event = st.session_state["generation"].forced
    step, token = int(event["step"]), str(event["token"])
    kept = [(at, of) for at, of in st.session_state["g_forced"] if at < step]
    st.session_state["g_forced"] = [*kept, (step, token)][:MOST_FORCED]
    st.session_state["g_until"] = 0


def _pick() -> None:
    """A callback: a layer was clicked, where the mean over heads is drawn of each."""
    st.session_state["g_layer"] = int(st.session_state["generation"].picked["layer"])
    st.session_state["g_mean"] = True


def _say_forced(prompt: Prompt) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        told = ", ".join(
            _("“{token}” at token {step}").format(token=seen_breaks(token), step=step + 1)
            for step, token in prompt.forced
        )
        st.text(_("Forced: {told}.").format(told=told), width="content")
        st.button(_("Let it write freely"), on_click=_free, type="tertiary", key="g_free")


def _free() -> None:
    """A callback."""
    st.session_state["g_forced"], st.session_state["g_until"] = [], 0
