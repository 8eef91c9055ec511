"""Where the weight goes, and whether a later word is seen: the leak in numbers."""

import pandas as pd
import streamlit as st

from model.analysis.masking import MaskedRun, moved_before, where_weight_goes
from model.transformer.attention import causal_mask
from model.transformer.masks import seeing_themselves
from pages.decoder.chosen import Scene
from pages.shared.head_picker import head_name
from pages.shared.language import _, plain
from pages.shared.tables import cells


def weight(seen: Scene) -> None:
    """Draw where the weight goes, and what a later word and padding change."""
    shares, tests = st.columns([3, 2])
    with shares:
        _shares(seen)
    with tests:
        _later_word(seen)
        if seen.n_padding:
            _padding(seen)


def _shares(seen: Scene) -> None:
    head = head_name(seen.layer, seen.head)
    runs = {_("no mask"): seen.full, _("this mask"): seen.masked}
    if seen.chosen.inverted:
        meant = seen.chosen.upright().mask(len(seen.labels), seen.n_padding)
        runs = {
            _("no mask"): seen.full,
            _("as it was meant"): seen.run(seeing_themselves(meant)),
            _("inverted"): seen.masked,
        }
    shares = {f"{head}, {name}": _of_head(run, seen) for name, run in runs.items()}
    for name, run in runs.items():
        everywhere = where_weight_goes(run.capture.weights, seen.n_padding)
        shares[_("all heads, {run}").format(run=name)] = everywhere
    places = {
        "earlier": _("earlier words"),
        "itself": _("itself"),
        "later": _("later words"),
        "padding": "[PAD]",
    }
    if not seen.n_padding:
        del places["padding"]
    table = pd.DataFrame(
        {word: [share[place] for share in shares.values()] for place, word in places.items()},
        index=list(shares),
    )
    st.caption(_("Share of the weight that a word gives, mean over the words; rows sum to 1"))
    st.dataframe(cells(table).style.format("{:.4f}"), height="content")
    _verdict(seen)


def _of_head(run: MaskedRun, seen: Scene) -> dict[str, float]:
    return where_weight_goes(run.capture.weights[seen.layer, seen.head], seen.n_padding)


def _verdict(seen: Scene) -> None:
    """Say whether anything leaks: what is later is no leak where nobody meant to hide it."""
    share = where_weight_goes(seen.masked.capture.weights, seen.n_padding)
    if seen.chosen.kind == "none" and not seen.chosen.inverted:
        st.info(
            _(
                "Nothing is hidden: an encoder may look ahead. A model that writes word by word "
                "may not: choose **Causal**."
            )
        )
        return
    hidden = seen.chosen.upright().mask(len(seen.labels), seen.n_padding)
    for_later = not bool((hidden & ~causal_mask(len(hidden))).any())
    for_padding = seen.n_padding > 0 and not bool(hidden[:, -seen.n_padding :].any())
    leaks = [
        said.format(share=share[place])
        for meant, place, said in (
            (for_later, "later", _("**{share:.1%}** of all heads' weight is on later words")),
            (for_padding, "padding", _("**{share:.1%}** is on [PAD]")),
        )
        if meant and share[place] > 0
    ]
    if leaks:
        st.error(_("The mask leaks: {leaks}.").format(leaks=", ".join(leaks)))
    elif for_later or for_padding:
        st.success(_("Nothing leaks: what the mask hides gets a weight of exactly 0."))


def _later_word(seen: Scene) -> None:
    """Hide one token behind [MASK], and say how far the outputs before it move."""
    n_real = seen.full.n_real
    last = _last_word(seen)
    if st.session_state["changed"] >= n_real:
        st.session_state["changed"] = -1
    st.selectbox(
        _("Change a word, look at the outputs before it"),
        [-1, *range(n_real)],
        format_func=lambda place: (
            _("the last one: {word}").format(word=seen.labels[last])
            if place < 0
            else seen.labels[place]
        ),
        key="changed",
        persist_state="session",
    )
    chosen = st.session_state["changed"]
    place = last if chosen < 0 else chosen
    if not place:
        st.info(_("Before the first token there is none: choose a later one."))
        return
    full = moved_before(seen.full, seen.run(None, place), place)
    masked = moved_before(seen.masked, seen.run(seen.mask, place), place)
    st.markdown(
        _(
            "**{word}** replaced by [MASK] moves the outputs before it by up to **{full:.3g}** "
            "without a mask and by up to **{masked:.3g}** with this one."
        ).format(word=plain(seen.labels[place]), full=full, masked=masked)
    )
    if masked:
        st.caption(
            _(
                "They know of a later word. Trained to guess the next word, a model would read the "
                "answer and learn nothing."
            )
        )
    else:
        st.caption(_("Not one of them has seen a later word: so a decoder can be trained."))


def _last_word(seen: Scene) -> int:
    """The last token that is a word; without any, the last before [SEP]."""
    tokens = seen.full.capture.tokens[: seen.full.n_real - 1]
    words = [place for place, token in enumerate(tokens) if token.isalnum()]
    return words[-1] if words else max(len(tokens) - 1, 0)


def _padding(seen: Scene) -> None:
    """Say how far padding alone moves the outputs of the words."""
    n_real = seen.full.n_real
    real = seeing_themselves(seen.asked[:n_real, :n_real])
    alone = {
        "full": (seen.full, seen.run(padding=False)),
        "masked": (seen.masked, seen.run(real, padding=False)),
    }
    moved = {
        name: float(abs(run.states[-1, :n_real] - without.states[-1]).max())
        for name, (run, without) in alone.items()
    }
    st.markdown(
        _(
            "The {count} [PAD] behind the sentence move the outputs of its words by up to "
            "**{full:.3g}** without a mask and by up to **{masked:.3g}** with this one (rounding "
            "of 32-bit numbers is some 1e-6)."
        ).format(count=seen.n_padding, **moved)
    )
