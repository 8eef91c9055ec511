"""Requests for a translation and for a generated text: hashable, and enough to find the result."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from model import HeadlightError, load_model
from model.capture.record import AttentionCapture
from model.catalogue.causal import Generation, LoadedCausal
from model.catalogue.translation import Translation
from model.catalogue.translation_files import TaskName
from model.transformer.generation import generate
from pages.decoder.url import Generate, Translate, Writing
from viz import attention_heatmap
from web import settings
from web.cache import generated_texts
from web.cache.generated_texts import Forced
from web.cache.generation_stream import GenerationStream
from web.model_name import model_name
from web.translators import length_limit, task_of
from web.widgets.view_code import ViewCode, loading

TranslationStack = Literal["cross", "decoder", "encoder"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What both kinds of request have in common; ``options`` are those of the decoding method."""

    model: str
    text: str
    options: tuple[tuple[str, Any], ...] = ()
    forced: Forced = ()

    @property
    def sampled(self) -> bool:
        """Whether tokens are drawn at random."""
        return "temperature" in dict(self.options)

    @property
    def limited_options(self) -> dict[str, Any]:
        """The options with the limit of the length."""
        raise NotImplementedError

    def code(self, captured: str, layer: int, head: int) -> ViewCode:
        """Return code of one head; ``captured`` is an expression of ``written``, the result."""
        forced = {"forced": dict(self.forced)} if self.forced else {}
        options = {**self.limited_options, **forced}
        arguments = "".join(f", {key}={value!r}" for key, value in options.items())
        lines = [
            f"model = {loading(self.model)}",
            f"written = model.generate({self.text!r}{arguments})",
            f"capture = {captured}",
            f"weights = capture.weights[{layer}, {head}]",
            "attention_heatmap(weights, capture.tokens, capture.key_tokens)",
        ]
        uses = (load_model, attention_heatmap)
        return ViewCode("\n".join(lines), generate, uses, "Vaswani et al. 2017, 3.2.3")


@dataclass(frozen=True, kw_only=True)
class TranslationRequest(Request):
    """A text, a translator and its decoding options."""

    @classmethod
    def from_session(cls) -> "TranslationRequest":
        """Read the fields of Translate."""
        beams = {"beams": Translate.beams.value} if Translate.how.value == "beam" else {}
        return cls(
            model=Translate.model.value,
            text=Translate.text.value,
            options=tuple((_sampling_options(Translate) | beams).items()),
            forced=tuple(Translate.forced.value),
        )

    @property
    def task(self) -> TaskName | None:
        """The task of a translator or checkpoint of this repository; None for other models."""
        return task_of(self.model)

    @property
    def limited_options(self) -> dict[str, Any]:
        """The options, with the limit of models that are not ours."""
        return {**length_limit(self.model), **dict(self.options)}

    def greedy(self) -> "TranslationRequest":
        """Return the same request with greedy decoding."""
        return replace(self, options=())

    def result(self) -> Translation:
        """Return the translation, from the cache if it is there."""
        options = self.limited_options
        return generated_texts.translation(self.model, self.text, self.forced, **options)


@dataclass(frozen=True)
class StackExport:
    """One of the three captures of a translation, as the export menu needs it."""

    request: TranslationRequest
    stack: TranslationStack

    @property
    def model(self) -> str:
        """Name for the exported file."""
        return f"{model_name(self.request.model)} {self.stack}"

    def capture(self) -> AttentionCapture:
        """Return the capture."""
        capture: AttentionCapture = getattr(self.request.result(), self.stack)
        return capture


@dataclass(frozen=True, kw_only=True)
class GenerationRequest(Request):
    """A prompt, a decoder and its decoding options; ``count`` tokens are written."""

    count: int

    @classmethod
    def from_session(cls, model: LoadedCausal) -> "GenerationRequest":
        """Read the fields of Generate."""
        limits = settings.now()
        if max(len(Generate.text.value), len(Generate.system.value)) > limits.characters:
            raise HeadlightError(
                "Too long: a text can have {most:,} characters. Shorten it.", most=limits.characters
            )
        text = model.instruct(_messages()) if Generate.talk.value else Generate.text.value
        return cls(
            model=model.name,
            text=text,
            options=tuple(_sampling_options(Generate).items()),
            forced=tuple(sorted(Generate.forced.value)),
            count=min(Generate.until.value or Generate.tokens.value, limits.written),
        )

    @property
    def limited_options(self) -> dict[str, Any]:
        """The options with the number of tokens."""
        return {"max_new_tokens": self.count, **dict(self.options)}

    def stream(self) -> GenerationStream:
        """Return the stream that generates the text."""
        return generated_texts.generation_stream(
            self.model, self.text, self.forced, **dict(self.options)
        )

    def result(self) -> Generation:
        """Return the generated text with its capture, from the cache if it is there."""
        options = dict(self.options)
        return generated_texts.generation(self.model, self.text, self.count, self.forced, **options)

    def capture(self) -> AttentionCapture:
        """Return the capture, as the export menu needs it."""
        return self.result().capture


def _sampling_options(of: Writing) -> dict[str, Any]:
    """The sampling settings as generation options; none of another method."""
    if of.how.value != "sample":
        return {}
    return {
        "temperature": of.temperature.value,
        **({"top_k": of.top_k.value} if of.top_k.value else {}),
        **({"top_p": of.top_p.value} if of.top_p.value != 1.0 else {}),
        "seed": of.seed.value,
    }


def _messages() -> list[dict[str, str]]:
    """The conversation of the session, up to the assistant's answer."""
    contents = {"system": Generate.system.value, "user": Generate.text.value}
    return [{"role": role, "content": text} for role, text in contents.items() if text.strip()]
