"""Which mask the session asks for, and its two runs."""

from dataclasses import dataclass, replace

import streamlit as st
import torch
from torch import Tensor

from model.analysis.masking import MaskedRun
from model.transformer import masks
from model.transformer.attention import causal_mask, padding_mask
from model.transformer.cost import Sizes
from pages.decoder.address import MOST_TOKENS, PADDED, PATTERNS, unpack
from pages.shared import captures
from pages.shared.language import _
from viz import distinct


@dataclass(frozen=True)
class Chosen:
    """A mask in a few words: enough to make it, and to write the lines that make it.

    Attributes:
        kind: Of :data:`pages.decoder.address.MASKS` or PATTERNS.
        inverted: Whether allowed and hidden are mistaken for one another.
        causal: Whether a pattern hides what comes later, too.
        sizes: Of the patterns.
        seed: Of the random blocks.
        drawn: A drawn mask, packed.
    """

    kind: str
    inverted: bool
    causal: bool
    sizes: Sizes
    seed: int
    drawn: str

    @classmethod
    def of_session(cls) -> "Chosen":
        """What the widgets say."""
        state = st.session_state
        return cls(
            state["mask_kind"],
            state["inverted"],
            state["causal_too"] and state["mask_kind"] in PATTERNS,
            sizes_of_session(),
            state["mask_seed"],
            state["drawn_mask"],
        )

    def mask(self, n_tokens: int, n_padding: int) -> Tensor:
        """Make it: (T, T), True where allowed; queries may be left without any key."""
        mask = self._upright(n_tokens, n_padding)
        if self.causal:
            mask = mask & causal_mask(n_tokens)
        return ~mask if self.inverted else mask

    def upright(self) -> "Chosen":
        """The same, not inverted."""
        return replace(self, inverted=False)

    def _upright(self, n: int, n_padding: int) -> Tensor:
        sizes = self.sizes
        everything = torch.ones(n, n, dtype=torch.bool)
        padding = padding_mask(torch.tensor([n - n_padding]), n)[0, 0].expand(n, n)
        if self.kind == "drawn":
            return unpack(self.drawn) if self.drawn else everything
        made = {
            "none": lambda: everything,
            "padding": lambda: padding,
            "causal": lambda: causal_mask(n),
            "both": lambda: causal_mask(n) & padding,
            "window": lambda: masks.sliding_window(n, sizes.reach),
            "dilated": lambda: masks.dilated_window(n, sizes.reach, sizes.dilation),
            "global": lambda: masks.with_global(
                masks.sliding_window(n, sizes.reach), sizes.n_global
            ),
            "random": lambda: masks.global_and_random(
                n, sizes.block, sizes.n_global, sizes.n_random, self.seed
            ),
            "block": lambda: masks.block_sparse(n, sizes.block),
            "strided": lambda: masks.strided(n, sizes.stride),
        }
        return made[self.kind]()


def sizes_of_session() -> Sizes:
    """The sizes of all patterns, as the widgets have them."""
    state = st.session_state
    return Sizes(
        reach=state["reach"],
        dilation=state["dilation"],
        n_global=state["n_global"],
        block=state["block"],
        n_random=state["n_random"],
        stride=state["stride"],
        rank=state["rank"],
        n_features=state["features"],
    )


def names() -> dict[str, str]:
    """Every mask's name, in the reader's language."""
    return {
        "none": _("None"),
        "padding": _("Padding"),
        "causal": _("Causal"),
        "both": _("Padding + causal"),
        "drawn": _("Drawn"),
        "window": _("Window"),
        "dilated": _("Dilated"),
        "global": _("Window + global"),
        "random": _("Global + random"),
        "block": _("Blocks"),
        "strided": _("Strided"),
    }


def name_of(chosen: Chosen) -> str:
    """The mask's name, with what else is done to it."""
    name = names()[chosen.kind].lower()
    if chosen.causal:
        name = _("{mask}, causal").format(mask=name)
    return _("{mask}, inverted").format(mask=name) if chosen.inverted else name


@dataclass(frozen=True)
class Scene:
    """A sentence without and with a mask, for the length of one run.

    Attributes:
        model: Its name.
        text: The sentence.
        chosen: The mask.
        asked: As it was asked for, (T, T).
        mask: As it was run: a query without any key sees itself.
        empty: The queries without any key.
        n_padding: How many of the last tokens are padding.
        layer: That is shown.
        head: That is shown.
        full: The run without a mask.
        masked: The run with it.
    """

    model: str
    text: str
    chosen: Chosen
    asked: Tensor
    mask: Tensor
    empty: list[int]
    n_padding: int
    layer: int
    head: int
    full: MaskedRun
    masked: MaskedRun

    @property
    def labels(self) -> list[str]:
        """Distinct names of the tokens, padding among them."""
        return distinct(self.full.capture.tokens)

    def run(
        self, mask: Tensor | None = None, changed: int | None = None, *, padding: bool = True
    ) -> MaskedRun:
        """Another run of the sentence.

        Args:
            mask: None allows all.
            changed: The token that is hidden behind [MASK], if one is.
            padding: Whether there is padding behind it.
        """
        return _run(self.model, self.text, self.n_padding if padding else 0, mask, changed)


def _run(
    model: str, text: str, n_padding: int, mask: Tensor | None = None, changed: int | None = None
) -> MaskedRun:
    cells = None if mask is None or bool(mask.all()) else mask.numpy().tobytes()
    return captures.masked(model, text, MOST_TOKENS, n_padding, cells, changed)


def scene() -> Scene:
    """Run the session's sentence without its mask and with it.

    Raises:
        HeadlightError: If there is no text.
    """
    state = st.session_state
    model, text = state["encoder"], state["text"]
    n_padding = state["pads"] if state["mask_kind"] in PADDED else 0
    full = _run(model, text, n_padding)
    n_tokens = len(full.capture.tokens)
    _fit_drawn(n_tokens)
    chosen = Chosen.of_session()
    asked = chosen.mask(n_tokens, n_padding)
    mask = masks.seeing_themselves(asked)
    return Scene(
        model=model,
        text=text,
        chosen=chosen,
        asked=asked,
        mask=mask,
        empty=masks.without_keys(asked),
        n_padding=n_padding,
        layer=state["mask_layer"],
        head=state["mask_head"],
        full=full,
        masked=_run(model, text, n_padding, mask),
    )


def _fit_drawn(n_tokens: int) -> None:
    """A drawn mask belongs to its sentence: one of another length begins with all allowed."""
    state = st.session_state
    if (
        state["mask_kind"] == "drawn"
        and state["drawn_mask"]
        and len(unpack(state["drawn_mask"])) != n_tokens
    ):
        st.warning(
            _("The drawn mask is of {old} tokens and there are {new} now: all are allowed.").format(
                old=len(unpack(state["drawn_mask"])), new=n_tokens
            )
        )
        state["drawn_mask"] = ""
