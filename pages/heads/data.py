"""The part "Data set": every head of a model on many texts, measured or switched off."""

from dataclasses import dataclass
from time import monotonic

import streamlit as st

from model import HeadlightError, LoadedModel
from model.analysis.survey.heads_off import EFFECTS, WORDS, Effect
from pages.heads.data_set import DataSet, data_set
from pages.heads.distribution import distribution
from pages.heads.grammar import grammar
from pages.heads.selection import named, selected_side
from web.cache import loaded_models, surveys
from web.cache.surveys import MOST_TEXTS, Survey
from web.language import _, in_words, plain
from web.streamlit_patches.script_context import is_fragment_run
from web.widgets.choices import choose
from web.widgets.sides import SideRequest, SideView
from web.widgets.source import show_source

MOST_SECONDS = 30 * 60
"""Seconds after which a survey stops; "Resume" continues it."""

SLICE_SECONDS = 1.0
"""Seconds of a run. A click takes effect after them."""

MEASURES = "measures"


@dataclass(frozen=True)
class SurveyRequest:
    """What a survey computes.

    Attributes:
        model: Name of the model.
        texts: The texts.
        effect: What heads that are switched off change; None measures the heads instead.
        words: Words of the effect.
        trees: Trees of the texts, for measures; empty without a treebank.
        corpus: Name of the file.
    """

    model: str
    texts: tuple[str, ...]
    effect: Effect | None
    words: tuple[str, ...]
    trees: tuple[str, ...] = ()
    corpus: str = ""

    def survey(self) -> Survey:
        """Return the survey, shared by all sessions.

        Raises:
            HeadlightError: As :class:`web.cache.surveys.Survey` does.
        """
        return surveys.survey(self.model, self.texts, self.effect, self.words, self.trees)


@dataclass
class _Run:
    """A survey that a session has started.

    Attributes:
        request: What it computes.
        until: When it stops, by the clock of :func:`monotonic`.
        goes_on: Whether the next run of the fragment continues it.
        share: Share of the work that was done at its start.
        began: When it began.
    """

    request: SurveyRequest
    until: float
    goes_on: bool = False
    share: float | None = None
    began: float = 0.0


def data(left_side: SideRequest, right_side: SideRequest) -> None:
    """Draw the data set, the progress of the survey, and its results."""
    left, right = left_side.view(), right_side.view()
    st.caption(
        _(
            "Every head of a model on texts of your own, {most:,} at most: how each measure varies "
            "from text to text, or what changes without the head. The browser reads the first "
            "megabyte of a file. For larger data, run {command} where Headlight is installed."
        ).format(most=MOST_TEXTS, command="`python -m model.analysis.survey`")
    )
    texts, form = st.columns([3, 2])
    with texts:
        found = data_set()
    with form:
        request = _request(left, right, found)
    if request is None:
        return
    try:
        survey = _run(request)
    except HeadlightError as error:
        st.session_state.pop("survey_run", None)
        st.error(plain(in_words(error)))
        return
    if survey is not None and survey.finished:
        view = selected_side(left, right)
        if survey.trees:
            grammar(view, survey, request.corpus)
        distribution(view, survey, request.survey, request.effect)
    show_source("data", ["data"])


def _request(left: SideView, right: SideView, found: DataSet) -> SurveyRequest | None:
    """Draw the model and what is computed; return None if something is missing."""
    state = st.session_state
    if left.capture.model != right.capture.model:
        sides = {view.side: plain(view.name) for view in (left, right)}
        choose(_("Model"), sides, "heads_side")
    view = selected_side(left, right)
    model = loaded_models.loaded_model(view.request.model)
    names = {key: name for key, name in kinds().items() if _applies(model, key)}
    if state["survey_of"] not in names:
        state["survey_of"] = MEASURES
    st.selectbox(
        _("What to compute"),
        list(names),
        format_func=names.__getitem__,
        key="survey_of",
        persist_state="session",
    )
    kind = state["survey_of"]
    effect: Effect | None = None if kind == MEASURES else kind
    words = _words(WORDS.get(kind, 0), model)
    if not found.texts:
        st.info(_("Type a sentence, or choose a file."))
        return None
    if words is None:
        return None
    most = surveys.most_texts(model, effect)
    if most < len(found.texts):
        st.caption(
            _("Only the first {most:,} of {count:,} texts: {model} has {heads} heads.").format(
                most=most,
                count=len(found.texts),
                model=plain(named(view, right if view is left else left)),
                heads=model.n_layers * model.n_heads,
            )
        )
    trees = found.trees[:most] if effect is None else ()
    return SurveyRequest(view.request.model, found.texts[:most], effect, words, trees, found.name)


def kinds() -> dict[str, str]:
    """Return the name of every kind of survey, in the reader's language."""
    return {
        MEASURES: _("Measures of attention"),
        "cosine": _("Each head off: cosine with the unchanged output"),
        "loss": _("Each head off: loss of the next tokens (nats)"),
        "probability": _("Each head off: probability of a word"),
        "difference": _("Each head off: difference of the logits of two words"),
        "decision": _("Each head off: probability of the decision"),
    }


def _applies(model: LoadedModel, kind: str) -> bool:
    if kind in (MEASURES, EFFECTS[0]):
        return True
    if kind == "loss":
        return model.stack == "decoder"
    if kind == "decision":
        return model.task is not None and model.task.kind == "sequence"
    return model.stack == "decoder" or model.masked_lm is not None


def _words(count: int, model: LoadedModel) -> tuple[str, ...] | None:
    """Draw the box of the words; return None while their number is wrong."""
    if not count:
        return ()
    st.session_state.setdefault("survey_words", "")
    st.text_input(
        _("The word") if count == 1 else _("Two words, with a space between them"),
        key="survey_words",
        max_chars=100,
        persist_state="session",
    )
    if model.stack != "decoder":
        st.caption(_("Each text needs {mask} exactly once.").format(mask=plain(model.mask_token)))
    words = tuple(st.session_state["survey_words"].split())
    return words if len(words) == count else None


# -- the run ---------------------------------------------------------------------------------------


def _run(request: SurveyRequest) -> Survey | None:
    """Draw the button and the progress, and compute for :data:`SLICE_SECONDS`.

    The batches stay in the shared survey, and :func:`continue_survey` starts the next run. Without
    a browser there is no next run.

    Returns:
        The survey; None before its start and while it goes on.

    Raises:
        HeadlightError: If the model cannot compute it.
    """
    run: _Run | None = st.session_state.get("survey_run")
    with st.container(horizontal=True, vertical_alignment="center", key="survey_row"):
        button = st.empty()
        line = st.empty()
    if run is None or run.request != request:
        _start_button(button, request, _("Compute"))
        return None
    survey = request.survey()
    if not survey.complete and monotonic() < run.until:
        button.button(_("Stop"), icon=":material/stop:", key="survey_stop", on_click=_stop)
        end = min(run.until, monotonic() + SLICE_SECONDS)
        while not survey.complete and monotonic() < end:
            line.progress(survey.share, _progress(survey, run))
            survey.advance()
        # A run of the whole page ends with its other parts, so it stops the survey.
        run.goes_on = is_fragment_run() and not survey.complete and monotonic() < run.until
        if run.goes_on:
            return None
        run.until = 0.0
    if survey.complete:
        button.empty()
    else:
        _start_button(button, request, _("Resume"))
    line.caption(
        _("{done:,} of {count:,} texts are finished.").format(
            done=len(survey.finished), count=len(survey.texts)
        )
    )
    return survey


def continue_survey() -> None:
    """Start the next run of the fragment if the survey goes on; the last call of a run.

    A fragment that is rerun lets the clicks take effect that came during the last run. Streamlit
    does not interrupt a fragment for them.
    """
    run: _Run | None = st.session_state.get("survey_run")
    if run is not None and run.goes_on:
        run.goes_on = False
        st.rerun("fragment")


def _progress(survey: Survey, run: _Run) -> str:
    """Describe how far a survey has come, with the time left at the speed since its start."""
    done = _("{done:,} of {count:,} texts").format(
        done=len(survey.finished), count=len(survey.texts)
    )
    if run.share is None:
        run.share, run.began = survey.share, monotonic()
    if survey.share == run.share:
        return done
    seconds = monotonic() - run.began
    left = seconds * (1 - survey.share) / (survey.share - run.share)
    if left < 100:
        time = _("{count} s left").format(count=round(left))
    else:
        time = _("{count} min left").format(count=round(left / 60))
    return f"{done} · {time}"


def _start_button(
    place: "st.delta_generator.DeltaGenerator", request: SurveyRequest, label: str
) -> None:
    place.button(
        label,
        icon=":material/play_arrow:",
        key="survey_start",
        type="primary",
        on_click=_start,
        args=(request,),
    )


def _start(request: SurveyRequest) -> None:
    """Start or continue a survey; a callback."""
    st.session_state["survey_run"] = _Run(request, monotonic() + MOST_SECONDS)


def _stop() -> None:
    """Stop the survey; a callback."""
    st.session_state["survey_run"].until = 0.0
