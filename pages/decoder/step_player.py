"""Step view of a translation and of a generated text; the browser changes steps by itself."""

import math
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
from pages.decoder.forced_tokens import force_clicked_token, list_forced
from pages.decoder.request import GenerationRequest, Request, TranslationRequest
from pages.decoder.step_texts import generation_texts, translation_texts
from pages.decoder.url import Generate, Translate, Writing
from viz.canvas import pack
from viz.style.labels import number
from viz.style.theme import rgb
from web import components
from web.language import _
from web.model_name import model_name
from web.translators import visible_token
from web.widgets import present
from web.widgets.export import figure_facts, stem
from web.widgets.head_picker import chosen_head, head_name
from web.widgets.view_code import ViewCode

MAX_CANDIDATES = 6


def show_translation(request: TranslationRequest, translation: Translation) -> None:
    """Draw the step view of a translation, the comparison with greedy, and forced tokens."""
    layer, head = selected_head(translation.cross, Translate)
    cross, decoder = (
        stack.weights[layer, head] for stack in (translation.cross, translation.decoder)
    )  # (Tt, Ts), (Tt, Tt)
    source, written = translation.encoder.tokens, translation.tokens
    with present.stage("writing", grown=True):
        components.decoding(
            pack(
                {
                    "of": "\n".join((request.model, *source, "", *written)),
                    "source": [visible_token(token) for token in source],
                    "target": [visible_token(t) for t in (translation.decoder.tokens[0], *written)],
                    "rows": len(decoder),
                    "steps": [_step(step, request.sampled) for step in translation.steps],
                    "beams": [_hypotheses(step) for step in translation.search] or None,
                    "strings": translation_texts(
                        translation, head_name(layer, head), request.sampled
                    ),
                    **_style(request, translation.cross, request.code("cross", layer, head)),
                },
                np.concatenate([cross.ravel(), decoder.ravel()]),
            ),
            key="decoding",
            on_forced=partial(force_clicked_token, Translate, "decoding"),
        )
    _caption(request, translation.cross, Translate)
    if translation.search:
        _compare_with_greedy(request, translation)
    list_forced(request, _("“{token}” at step {step}"), Translate, "t_free")


def show_generation(request: GenerationRequest, generation: Generation) -> None:
    """Draw the step view of a generated text, and its forced tokens."""
    capture = generation.capture
    layer, head = selected_head(capture, Generate)
    # Row t holds the weights from which token t + 1 was chosen: (T, T) -> (steps, T)
    rows = slice(generation.n_prompt - 1, -1)
    weights, allowed = capture.weights[layer, head, rows], capture.allowed[layer]
    with present.stage("writing", grown=True):
        components.generation(
            pack(
                {
                    "of": "\n".join((request.model, *generation.tokens)),
                    "tokens": [show_line_breaks(token) for token in generation.tokens],
                    "prompt": generation.n_prompt,
                    "control": np.flatnonzero(capture.special).tolist(),
                    "steps": [
                        {**_step(step, request.sampled), "forced": step.forced}
                        for step in generation.steps
                    ],
                    "strings": generation_texts(
                        generation, head_name(layer, head), request.sampled
                    ),
                    **_style(request, capture, request.code(layer, head)),
                },
                weights,
                None if allowed is None else allowed[rows],
            ),
            key="generation",
            on_forced=partial(force_clicked_token, Generate, "generation"),
        )
    _caption(request, capture, Generate)
    list_forced(request, _("“{token}” at token {step}"), Generate, "g_free")


def selected_head(capture: AttentionCapture, of: Writing) -> tuple[int, int]:
    """Return the selected layer and head, limited to the capture's sizes."""
    n_layers, n_heads = capture.weights.shape[:2]
    return chosen_head(n_layers, n_heads, of.layer, of.head)


def _style(request: Request, capture: AttentionCapture, code: ViewCode) -> dict[str, Any]:
    file = f"headlight_{stem(model_name(request.model), request.text.lower())}"
    return {"hue": rgb("left"), "file": file, "about": figure_facts(code, [capture])}


def _caption(request: Request, capture: AttentionCapture, of: Writing) -> None:
    n_layers, n_heads = capture.weights.shape[:2]
    walk = present.Walk(n_layers, n_heads, of.prefix)
    present.caption_line(model_name(request.model), request.text, walk=walk)


def _step(step: NamedToken, sampled: bool) -> dict[str, Any]:
    """A step for the browser; the candidates always include the token that was written."""
    top = list(step.top_k[:MAX_CANDIDATES])
    if step.token not in dict(top):
        top[-1:] = [(step.token, step.probability)]
    drawn_from = dict(step.drawn_from)
    candidates = []
    for token, probability in top:
        printed = _print_probability(probability)
        if sampled:
            printed += f" → {_print_probability(drawn_from.get(token, 0.0))}"
        shown = show_line_breaks(token)
        candidates.append(
            {"token": token, "shown": shown, "probability": probability, "printed": printed}
        )
    return {"written": step.token, "top": candidates}


def _print_probability(probability: float) -> str:
    """Print four decimals, or the order of magnitude if these would be 0.0000."""
    return f"{probability:.4f}" if probability == 0 or probability >= 5e-5 else f"{probability:.0e}"


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
            beams=request.beams,
            text=translation.text,
            ours=_print_nats(best.log_probability),
        )
    )
