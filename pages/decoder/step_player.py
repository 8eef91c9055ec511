"""Step view of a translation and of a generated text; the browser changes steps by itself."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from model.capture.record import AttentionCapture
from model.capture.whitespace import show_line_breaks
from model.catalogue.causal import Generation
from model.catalogue.generated_tokens import NamedToken
from model.catalogue.translation import Translation
from model.transformer.beam import BeamStep
from pages.decoder.request import GenerationRequest, Request, TranslationRequest
from pages.decoder.url import Generate, Translate, Writing
from pages.decoder.writing import force_clicked_token, list_forced
from viz.canvas import pack
from viz.style.labels import number, percent
from viz.style.theme import rgb
from web import components
from web.language import _, unmarked
from web.model_name import model_name
from web.translators import visible_token
from web.widgets import present
from web.widgets.head_picker import chosen_head, head_name
from web.widgets.head_summary import on_random_tokens

MAX_CANDIDATES = 6


def show_translation(request: TranslationRequest, translation: Translation) -> None:
    """Draw the step view of a translation, and the comparison with greedy."""
    place = selected_head(translation.cross, Translate)
    source, written = translation.encoder.tokens, translation.tokens
    header = {
        "of": "\n".join((request.model, *source, "", *written)),
        "source": [visible_token(token) for token in source],
        "target": [visible_token(token) for token in (translation.decoder.tokens[0], *written)],
        "beams": [_hypotheses(step) for step in translation.search] or None,
        "strings": _translation_texts(translation, head_name(*place), request.sampled),
        **_common(request, translation.steps),
    }
    payload = pack(header, translation.cross.weights[place])
    _draw(Translate, request, translation.cross, "decoding", payload)
    if translation.search:
        _compare_with_greedy(request, translation)


def show_generation(request: GenerationRequest, generation: Generation) -> None:
    """Draw the step view of a generated text."""
    capture = generation.capture
    place = selected_head(capture, Generate)
    # Row t holds the weights from which token t + 1 was chosen: (T, T) -> (steps, T)
    rows = slice(generation.n_prompt - 1, -1)
    allowed = capture.allowed[place[0]]
    weights = capture.weights[place][rows]
    header = {
        "of": "\n".join((request.model, *generation.tokens)),
        "tokens": [show_line_breaks(token) for token in generation.tokens],
        "prompt": generation.n_prompt,
        "control": np.flatnonzero(capture.special).tolist(),
        "strings": _generation_texts(generation, head_name(*place), request.sampled),
        **_about_head(request, *place),
        **_common(request, generation.steps),
    }
    payload = pack(header, weights, None if allowed is None else allowed[rows])
    _draw(Generate, request, capture, "generation", payload)


def _about_head(request: GenerationRequest, layer: int, head: int) -> dict[str, str]:
    """Return what the numbers above the tokens are, and what their head does."""
    numbers = _(
        "The number above a token is the attention that {head} gives it (not shown below 0.01). "
        "With “All steps”, it is the mean of all steps. A large weight need not be the reason for "
        "what follows."
    ).format(head=head_name(layer, head))
    known = unmarked(on_random_tokens(request.model, layer, head))
    return {"numbers": numbers, "about_head": known}


def _translation_texts(translation: Translation, name: str, sampled: bool) -> dict[str, str]:
    """Return the texts for a translation."""
    return {
        **_common_texts(sampled),
        "step_summary": _(
            "When “{{written}}” is written, {head} gives {{weight}} of its cross-attention to "
            "“{{most}}”."
        ).format(head=name),
        "position": _("step {{step}} of {count}").format(count=len(translation.steps)),
        "beams": _("Hypotheses by log-probability; dropped ones are crossed out"),
        "kept": _("kept"),
        "dropped": _("dropped"),
        "description": f"{' '.join(translation.encoder.tokens)} → {translation.text}",
    }


def _generation_texts(generation: Generation, name: str, sampled: bool) -> dict[str, str]:
    """Return the texts for a generated text."""
    first = generation.steps[0]
    return {
        **_common_texts(sampled),
        "step_summary": _(
            "When “{{written}}” is written, {head} gives {{weight}} of its attention to “{{most}}”."
        ).format(head=name),
        "position": _("step {{step}} of {count}").format(count=len(generation.steps)),
        "summary": _(
            "The model continues the text, token by token: first “{token}” ({probability})."
        ).format(token=first.token.strip(), probability=percent(first.probability)),
        "weight": _("weight {weight}"),
        "mean": _("mean weight {weight}"),
        "forced": _("forced"),
        "above": name,
        "control": _("a control token"),
    }


def _common_texts(sampled: bool) -> dict[str, str]:
    return {
        "slider": _("Step"),
        "play": _("Play the steps"),
        "pause": _("Pause"),
        "whole": _("All steps"),
        "candidates": _("Model's probability → probability of the draw")
        if sampled
        else _("Alternatives"),
        "probabilities": _("How likely each written token was"),
        "go_to_step": _("Show this step"),
        "written": _("The model wrote this token"),
        "force": _("Write this token instead, and continue"),
    }


def _common(request: Request, steps: Sequence[NamedToken]) -> dict[str, Any]:
    return {"steps": [_step(step, request.sampled) for step in steps], "hue": rgb("left")}


def _draw(
    of: Writing, request: Request, capture: AttentionCapture, key: str, payload: bytes
) -> None:
    """Draw the component, the caption of present mode, and the forced tokens."""
    component = components.decoding if of is Translate else components.generation
    with present.stage("writing", grown=True):
        component(payload, key=key, on_forced=partial(force_clicked_token, of, key))
    walk = present.Walk(capture.n_layers, capture.n_heads, of.prefix)
    present.caption_line(model_name(request.model), request.text, walk=walk)
    list_forced(request, of)


def selected_head(capture: AttentionCapture, of: Writing) -> tuple[int, int]:
    """Return the selected layer and head, limited to the capture's sizes."""
    return chosen_head(capture.n_layers, capture.n_heads, of.layer, of.head)


def _step(step: NamedToken, sampled: bool) -> dict[str, Any]:
    """A step for the browser; the candidates always include the token that was written."""
    top = list(step.top_k[:MAX_CANDIDATES])
    if step.token not in dict(top):
        top[-1:] = [(step.token, step.probability)]
    drawn_from = dict(step.drawn_from)
    candidates = []
    for token, probability in top:
        printed = percent(probability)
        if sampled:
            printed += f" → {percent(drawn_from.get(token, 0.0))}"
        shown = show_line_breaks(token)
        candidates.append(
            {"token": token, "shown": shown, "probability": probability, "printed": printed}
        )
    return {"written": step.token, "top": candidates, "forced": step.forced}


def _print_nats(log_probability: float) -> str:
    """Print three decimals, or the order of magnitude if these would be -0.000."""
    return number(log_probability, ".3f" if log_probability <= -5e-4 else ".0e")


def _hypotheses(step: BeamStep[str]) -> list[dict[str, Any]]:
    """Hypotheses of a beam search step for the browser: kept ones first, then dropped ones."""
    hypotheses = [(each, True) for each in step.kept] + [(each, False) for each in step.dropped]
    return [
        {"text": " ".join(each.tokens), "printed": _print_nats(each.log_probability), "kept": kept}
        for each, kept in hypotheses
    ]


def _compare_with_greedy(request: TranslationRequest, translation: Translation) -> None:
    greedy = request.greedy().result()
    log_probability = sum(math.log(max(step.probability, 1e-300)) for step in greedy.steps)
    best = translation.search[-1].kept[0]
    st.caption(
        _(
            "Greedy: “{greedy}”, log-probability {its}. Beam search with {beams}: “{text}”, {ours}."
        ).format(
            greedy=greedy.text,
            its=_print_nats(log_probability),
            beams=dict(request.options)["beams"],
            text=translation.text,
            ours=_print_nats(best.log_probability),
        )
    )
