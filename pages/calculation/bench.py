"""What every calculation on the page has: its settings, its steps, its files to take away."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import streamlit as st

from model import MAX_TOKENS, HeadlightError
from model.calculator import MISTAKES, Calculation, CellError, Mistake, Settings, mistake
from pages import components
from pages.calculation.address import DECIMALS, MASKS, PARAMETERS, settings
from pages.common import link
from pages.common.i18n import _, in_words
from viz import Side
from viz.steps import (
    Kind,
    Names,
    Scale,
    Steps,
    Window,
    attention_steps,
    steps_payload,
    with_mistake,
)
from viz.theme import rgb
from viz.worksheet import worksheet

Work = Callable[[Settings], Calculation]
"""A calculation that still wants its settings."""


class Task(Protocol):
    """What is to be calculated: typed numbers, or a real head; small, since buttons keep it."""

    def names(self) -> Names:
        """Names of tokens and heads."""

    def show(self, wanted: Settings) -> "Shown":
        """Work it out."""

    def script(self, wanted: Settings) -> str:
        """The Python that does."""

    def title(self) -> str:
        """Of the worksheet."""

    def subtitle(self) -> str:
        """What is calculated."""


@dataclass
class Latest:
    """What the steps show now. They change without the buttons below being drawn anew."""

    task: Task
    settings: Settings
    decimals: int


@dataclass(frozen=True)
class Shown:
    """A calculation as far as it can be worked out, and what is in the way of the rest.

    Attributes:
        steps: The cards; None if there is not even a first one.
        calculation: None if something is in the way.
        said: What is in the way, or only of a mistake to be shown.
    """

    steps: Steps | None
    calculation: Calculation | None
    said: HeadlightError | None = None


def choose_settings() -> None:
    """Draw the controls of scaling, mask, decimals and mistakes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.toggle(_("Divide by √d_k"), key="scaled", on_change=repaint, persist_state="session")
        st.number_input(
            _("Temperature"),
            min_value=0.0,
            max_value=1e6,
            step=0.5,
            format="%g",
            key="temperature",
            on_change=repaint,
            persist_state="session",
            width=130,
            help=_("The scores are divided by it too: above 1 the weights level out."),
        )
        masks = {
            "none": _("No mask"),
            "causal": _("Causal"),
            "padding": _("Padding"),
            "custom": _("Custom"),
        }
        st.segmented_control(
            _("Mask"),
            MASKS,
            format_func=masks.__getitem__,
            key="mask",
            required=True,
            persist_state="session",
        )
        if st.session_state["mask"] == "padding":
            st.number_input(
                _("Last keys that are padding"),
                min_value=0,
                max_value=MAX_TOKENS,
                key="padding",
                on_change=repaint,
                persist_state="session",
                width=150,
            )
        st.selectbox(
            _("A classic mistake"),
            ["none", *MISTAKES],
            format_func=lambda name: _mistakes()[name],
            key="mistake",
            on_change=repaint,
            persist_state="session",
            width=270,
        )
        choose_decimals(repaint)


def choose_decimals(on_change: Callable[[], None] | None = None) -> None:
    """Draw the choice of decimals."""
    st.segmented_control(
        _("Decimals"),
        DECIMALS,
        key="decimals",
        required=True,
        on_change=on_change,
        persist_state="session",
    )


def repaint() -> None:
    """Repaint the steps, and nothing else of the page; a callback."""
    st.rerun("calculation")


def _mistakes() -> dict[str, str]:
    return {
        "none": _("none"),
        "inverted_mask": _("The mask is inverted"),
        "wrong_axis": _("Softmax over the wrong axis"),
        "unscaled": _("No division by √d_k"),
        "mask_after_softmax": _("Mask after the softmax"),
        "after_dropout": _("Weights shown after dropout"),
    }


# -- working out ---------------------------------------------------------------------------------


def work_out(
    work: Work,
    settings: Settings,
    names: Names,
    window: Window | None = None,
    *,
    slip: str = "none",
) -> Shown:
    """Work a calculation out, and turn it into cards as far as it goes.

    Args:
        work: From settings to the calculation.
        settings: Scaling and mask.
        names: Of tokens and heads.
        window: What of it to draw.
        slip: A classic mistake to show beside it, or "none".
    """
    try:
        calculation = work(settings)
    except CellError as error:
        return Shown(_up_to_the_mask(work, settings, names, window, error), None, error)
    scale = Scale(calculation.divisor, settings.scaled, settings.temperature)
    steps = attention_steps(
        arrays(calculation, names.head), names, scale, window, begin=window is not None, translate=_
    )
    if slip == "none":
        return Shown(steps, calculation)
    try:
        made = mistake(slip, calculation)
    except HeadlightError as error:
        return Shown(steps, calculation, error)
    return Shown(_with_slip(steps, slip, made, names, window), calculation)


def _up_to_the_mask(
    work: Work, settings: Settings, names: Names, window: Window | None, error: CellError
) -> Steps | None:
    """A query that sees nothing stops the calculation at the mask; the steps before it stand."""
    if error.place.matrix != "masked":
        return None
    calculation = work(replace(settings, mask="none"))
    given = arrays(calculation, names.head)
    allowed = settings.allowed(len(names.queries), len(names.keys))
    if allowed is None:
        return None
    given["allowed"] = given["allowed"] & allowed.numpy()  # the model's own mask, and the reader's
    given["masked"] = np.where(given["allowed"], given["scaled"], -np.inf)
    scale = Scale(calculation.divisor, settings.scaled, settings.temperature)
    steps = attention_steps(given, names, scale, window, begin=window is not None, translate=_)
    last = [card.id for card in steps.cards].index("mask")
    return replace(steps, cards=steps.cards[: last + 1])


def arrays(calculation: Calculation, head: int) -> dict[str, np.ndarray]:
    """The matrices of one head of a calculation, by the names that the cards give them."""
    steps, n_tokens = calculation.steps, calculation.q.shape[-2]
    masked = steps.masked_scores[head]
    matrices = {
        "Q": calculation.q[head],
        "K": calculation.k[head],
        "V": calculation.v[head],
        "scores": steps.raw_scores[head],
        "scaled": steps.scaled_scores[head],
        "masked": masked,
        "maxima": masked.amax(-1, keepdim=True),
        "exponentials": calculation.exponentials[head],
        "row_sums": calculation.row_sums[head, :, None],
        "weights": steps.weights[head],
        "output": steps.output[head],
    }
    if calculation.n_heads > 1:
        matrices["joined"] = calculation.concatenated
    given = {
        "X": calculation.x,
        "W_Q": calculation.w_q,
        "W_K": calculation.w_k,
        "W_V": calculation.w_v,
        "W_O": calculation.w_o,
    }
    matrices |= {name: matrix for name, matrix in given.items() if matrix is not None}
    if calculation.x is not None:
        for name in "QKV":
            heads = {"Q": calculation.q, "K": calculation.k, "V": calculation.v}[name]
            # (H, T, K) -> (T, H, K) -> (T, H*K)
            matrices[f"{name}_heads"] = heads.transpose(0, 1).reshape(n_tokens, -1)
    if calculation.w_o is not None:
        matrices["Y"] = calculation.output
    found = {name: matrix.numpy() for name, matrix in matrices.items()}
    allowed = calculation.allowed
    everything = np.ones(found["scores"].shape, dtype=bool)
    return {**found, "allowed": everything if allowed is None else allowed.numpy()}


def _with_slip(
    steps: Steps, name: str, made: Mistake, names: Names, window: Window | None
) -> Steps:
    formulas = {
        "inverted_mask": r"\text{softmax}(S'),\; -\infty \;\text{where}\; M = \text{✓}",
        "wrong_axis": r"\frac{e^{S''_{ij}}}{\sum_i e^{S''_{ij}}}",
        "unscaled": r"\text{softmax}(Q K^{\top})",
        "mask_after_softmax": r"\text{softmax}(S') \circ M",
        "after_dropout": r"\text{dropout}(\text{softmax}(S''))",
    }
    kinds: dict[str, Kind] = {
        "wrong_axis": "softmax_columns",
        "mask_after_softmax": "times",
        "after_dropout": "times",
    }
    found = {"source": made.source, "wrong": made.weights, "wrong_output": made.output}
    if made.factor is not None:
        found["factor"] = made.factor
    said = [*([made.assumed] if made.assumed else []), *made.findings]
    return with_mistake(
        steps,
        {key: tensor[names.head].numpy() for key, tensor in found.items()},
        names,
        title=_mistakes()[name],
        formula=formulas[name],
        notes=[in_words(sentence) for sentence in said],
        kind=kinds.get(name, "softmax"),
        window=window,
    )


# -- drawing -------------------------------------------------------------------------------------


def draw_steps(
    shown: Shown,
    names: Names,
    *,
    key: str,
    side: Side = "right",
    toggles: bool = True,
    view: str | None = None,
) -> None:
    """Draw the cards, or what is in their way.

    Args:
        shown: The calculation, as far as it goes.
        names: Of tokens and heads.
        key: Of the component.
        side: Whose hue shades the weights.
        toggles: Whether a click on the mask changes it.
        view: Which step is open and which cell spelled out; the session's unless given.
    """
    data: dict[str, Any] = {
        "waiting": shown.steps is None,
        "problem": _problem(shown.said),
        "hue": rgb(side),
        "source": rgb("left" if side == "right" else "right"),
    }
    if shown.steps is not None:
        data |= steps_payload(shown.steps)
        data |= {
            "decimals": st.session_state["decimals"],
            "toggles": toggles,
            "view": view or st.session_state["look"],
            "strings": _strings(),
        }
    sizes = len(names.queries), len(names.keys)
    components.steps(
        data, key=key, on_looked=partial(_look, key), on_toggled=partial(_toggle, key, *sizes)
    )


def keep_link() -> None:
    """Write the view into the address, once the steps are painted.

    A new address makes Streamlit's router draw the page anew; sent together with the steps, it
    would have them painted some 20 ms later.
    """
    time.sleep(0.05)
    link.keep(PARAMETERS)


def _problem(said: HeadlightError | None) -> dict[str, str] | None:
    """What is in the way, and the card in which it happens."""
    if said is None:
        return None
    cards = {"scores": "scores", "scaled": "scale", "masked": "mask", "output": "output"}
    cards |= {**dict.fromkeys("QKV", "project"), "Y": "project_out"}
    place = said.place.matrix if isinstance(said, CellError) else ""
    return {"card": cards.get(place, ""), "text": in_words(said)}


def _strings() -> dict[str, str]:
    return {
        "all": _("All steps"),
        "back": _("Step before"),
        "next": _("Next step"),
        "allowed": _("(allowed: the score stays)"),
        "hidden": _("(hidden from this query)"),
        "given": _("(given)"),
        "toggle": _("Click a ✓ or ✗ to change it."),
        "rest": _("{count} smaller terms, together {sum}"),
        "rowSum": _("row sum"),
        "columnSum": _("column sum"),
        "nothing": _("(nothing is left to attend to)"),
    }


def _look(key: str) -> None:
    """Remember which step is open and which cell is spelled out; a callback."""
    st.session_state["look"] = str(st.session_state[key].looked["view"])


def _toggle(key: str, n_queries: int, n_keys: int) -> None:
    """Hide a key from a query, or show it again; a callback. Any mask becomes a custom one."""
    cell = st.session_state[key].toggled
    allowed = settings().allowed(n_queries, n_keys)
    hidden = (
        {tuple(pair) for pair in (~allowed).nonzero().tolist()} if allowed is not None else set()
    )
    st.session_state["hidden"] = sorted(hidden ^ {(int(cell["query"]), int(cell["key"]))})
    if st.session_state["mask"] != "custom":
        st.session_state["mask"] = "custom"
        st.rerun()  # its control stands outside of the steps


# -- taking it away ------------------------------------------------------------------------------


def remember(task: Task) -> None:
    """Note what is on screen, for the buttons that take it away."""
    latest = Latest(task, settings(), st.session_state["decimals"])
    vars(st.session_state.setdefault("latest", latest)).update(vars(latest))


def take_away(stem: str) -> None:
    """Draw the buttons for the worksheet, with answers and without, for the Python, for the link.

    Args:
        stem: Of the files' names.
    """
    latest = st.session_state["latest"]
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, label, answers in (
            ("worksheet", _("Worksheet to fill in"), False),
            ("solution", _("Worksheet with answers"), True),
        ):
            st.download_button(
                label,
                data=partial(_worksheet, latest, answers),
                file_name=f"{stem}_{name}.html",
                mime="text/html",
                key=name,
                on_click="ignore",
                icon=":material/print:",
            )
        st.download_button(
            _("Python"),
            data=partial(_script, latest),
            file_name=f"{stem}.py",
            mime="text/x-python",
            key="python",
            on_click="ignore",
            icon=":material/code:",
        )
        components.copy_link({"copy": _("Copy link"), "copied": _("Link copied")})


def _worksheet(latest: Latest, answers: bool) -> str:
    shown = latest.task.show(latest.settings)
    said = "" if shown.said is None else in_words(shown.said)
    return worksheet(
        shown.steps,
        title=latest.task.title(),
        subtitle=f"{latest.task.subtitle()} {said}".strip(),
        decimals=latest.decimals,
        answers=answers,
        translate=_,
    )


def _script(latest: Latest) -> str:
    try:
        return latest.task.script(latest.settings)
    except HeadlightError as error:
        return f"# {in_words(error)}\n"
