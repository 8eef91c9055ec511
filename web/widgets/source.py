"""Source code behind each figure, with the section of the paper.

Functions are named by strings and imported on demand, so a page does not load unused modules.
"""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

import streamlit as st

import model as public_model
from model import model_info
from model.analysis.measures import MEASURES
from web.language import _, plain
from web.widgets.export import Captured
from web.widgets.model_name import model_name

ROOT = Path(__file__).parents[2]
_MODEL = public_model.__name__


@dataclass(frozen=True)
class Paper:
    """A section of a paper.

    Attributes:
        name: Authors and year.
        arxiv: The paper's arXiv id.
        section: The section.
    """

    name: str
    arxiv: str
    section: str

    @property
    def link(self) -> str:
        """The URL of the paper on arXiv."""
        return f"https://arxiv.org/abs/{self.arxiv}"


@dataclass(frozen=True)
class Source:
    """The functions behind one kind of figure.

    Attributes:
        paper: The paper that the functions implement, or None.
        functions: ``module:name``, in reading order.
    """

    paper: Paper | None
    functions: tuple[str, ...]


def _vaswani(section: str) -> Paper:
    return Paper("Vaswani et al. 2017", "1706.03762", section)


def _clark(section: str) -> Paper:
    return Paper("Clark et al. 2019", "1906.04341", section)


_MEASURES = "model.analysis.measures"
_STATISTICS = "model.analysis.weight_statistics"

_ABNAR = Paper("Abnar & Zuidema 2020", "2005.00928", "3")
_KOBAYASHI = Paper("Kobayashi et al. 2020", "2004.10102", "3")
_MICHEL = Paper("Michel et al. 2019", "1905.10650", "2.3")
_DEVLIN = Paper("Devlin et al. 2018", "1810.04805", "3")
_SU = Paper("Su et al. 2021", "2104.09864", "3.2.2")
_PRESS = Paper("Press et al. 2022", "2108.12409", "3")
_BA = Paper("Ba et al. 2016", "1607.06450", "3")
_IOFFE = Paper("Ioffe & Szegedy 2015", "1502.03167", "3")
_BELTAGY = Paper("Beltagy et al. 2020", "2004.05150", "3.1")
_WANG = Paper("Wang et al. 2020", "2006.04768", "3")
_CHOROMANSKI = Paper("Choromanski et al. 2021", "2009.14794", "2.3")
_KITAEV = Paper("Kitaev et al. 2020", "2001.04451", "2")
_BELROSE = Paper("Belrose et al. 2023", "2303.08112", "2")
_RAFFEL = Paper("Raffel et al. 2020", "1910.10683", "2.1")


def _source(paper: Paper | None, module: str, *names: str) -> Source:
    return Source(paper, tuple(f"{_MODEL}.{module}:{name}" for name in names))


SOURCES = {
    # One head.
    "head": _source(
        _vaswani("3.2.1"), "transformer.attention", "scaled_dot_product_attention", "_apply_mask"
    ),
    # Layers: the kinds of view, and the other parts.
    "mean": _source(_ABNAR, "analysis.depth", "head_mean"),
    "rollout": _source(_ABNAR, "analysis.depth", "rollout", "_with_residual", "head_mean"),
    "flow": _source(_ABNAR, "analysis.depth", "flow", "_with_residual", "head_mean"),
    "norm": _source(_KOBAYASHI, "analysis.depth", "value_norms", "transformed_values", "by_layer"),
    "profile": Source(
        _clark("3"),
        (
            f"{_MEASURES}:profile",
            *dict.fromkeys(f"{_MEASURES}:{measure.function.__name__}" for measure in MEASURES),
            *(f"{_STATISTICS}:{name}" for name in ("row_entropies", "distance", "share_on")),
            *(f"{_STATISTICS}:{name}" for name in ("share_at_offset", "share_on_same")),
            "model.analysis.induction:first_token",
            "model.analysis.induction:duplicates",
            "model.analysis.induction:prefix_matching",
            "model.analysis.induction:_earlier",
            "model.analysis.induction:_mean_on",
        ),
    ),
    "similarity": _source(
        _clark("6"), "analysis.distances", "shared_heads", "jensen_shannon", "_mean_distance"
    ),
    "difference": _source(None, "analysis.align", "difference"),
    "stream": _source(
        _vaswani("3.1"),
        "capture.residual_stream",
        "ResidualStream",
        "to_vectors",
        "to_stream",
        "_lengths",
    ),
    "lens": Source(
        _BELROSE,
        (
            "model.analysis.logit_lens:logit_lens",
            "model.capture.language_head:LanguageHead",
            "model.analysis.logit_lens:contributions",
            "model.analysis.logit_lens:_contexts",
            "model.capture.language_head:before_norm",
            "model.capture.language_head:_before_transform",
        ),
    ),
    # Heads: its parts.
    "labels": Source(
        _clark("3"),
        (
            "model.analysis.labels:label",
            "model.analysis.induction:prefix_matching",
            "model.analysis.induction:_mean_on",
        ),
    ),
    "links": _source(_clark("4.3"), "analysis.links", "link_weights", "ranked"),
    "corpus": _source(_clark("4.2"), "analysis.grammar.relations", "add", "word_weights"),
    "change": Source(
        _MICHEL,
        (
            "model.analysis.intervention:intervene",
            "model.capture.attention_hooks:HeadsOff",
            "model.analysis.intervention:next_tokens",  # of decoders
            "model.analysis.intervention:total_variation",
        ),
    ),
    "tuned": Source(
        _clark("6"),
        (
            "model.analysis.align:difference",
            "model.analysis.distances:jensen_shannon_of_pairs",
            "model.analysis.distances:_mean_distance",
            "model.analysis.intervention:next_tokens",  # of decoders
            "model.analysis.intervention:total_variation",
        ),
    ),
    # Decoder: translation, masks, approximations.
    "translation": Source(
        _vaswani("3.2.3"),
        (
            "model.transformer.attention:scaled_dot_product_attention",
            "model.transformer.decoder:DecoderLayer",
            "model.transformer.generation:generate",
            "model.transformer.beam:beam_search",
        ),
    ),
    "generation": Source(
        _vaswani("3.2.3"),
        (
            "model.transformer.generation:generate",
            "model.transformer.generation:to_step",
            "model.transformer.sampling:sampling_distribution",
        ),
    ),
    "masks": Source(
        _vaswani("3.2.3"),
        (
            "model.transformer.attention:_apply_mask",
            "model.transformer.attention:causal_mask",
            "model.transformer.attention:padding_mask",
        ),
    ),
    "leak": _source(
        None, "analysis.masking", "where_weight_goes", "max_change_before", "run_masked"
    ),
    "window": _source(_BELTAGY, "transformer.masks", "sliding_window"),
    "global": _source(_BELTAGY, "transformer.masks", "sliding_window", "with_global"),
    "low_rank": _source(_WANG, "analysis.approximations", "low_rank"),
    "features": _source(
        _CHOROMANSKI, "analysis.approximations", "random_features", "_log_features"
    ),
    "hashing": _source(_KITAEV, "analysis.approximations", "same_bucket", "_buckets"),
    "approximate": _source(
        None,
        "analysis.approximations",
        *("approximate", "products", "renormalised_weights", "relative_error"),
    ),
    # Positions: its kinds.
    "sinusoidal": _source(_vaswani("3.5"), "transformer.positions", "sinusoids_at", "frequencies"),
    "learned": _source(
        _DEVLIN, "transformer.positions", "cosines", "products_by_offset", "principal_components"
    ),
    "shift": _source(
        _vaswani("3.5"), "transformer.positions", "rotation", "sinusoids_at", "frequencies"
    ),
    "relative": _source(_RAFFEL, "transformer.positions", "relative_buckets"),
    "rotary": _source(_SU, "transformer.positions", "rotary", "frequencies"),
    "alibi": _source(_PRESS, "transformer.positions", "alibi_slopes", "_powers", "alibi_bias"),
    "shuffle": _source(
        _vaswani("3.5"), "analysis.order", "reorder", "_token_order", "_words", "_permute"
    ),
    # About: its sizes.
    "sizes": _source(_vaswani("3.4"), "transformer.sizes", "parameter_counts"),
    # Calculator: inputs, mistakes, the √d_k experiment.
    "qkv": _source(_vaswani("3.2.1"), "calculator.steps", "from_qkv", "_attend"),
    "x": _source(_vaswani("3.2.2"), "calculator.steps", "from_projections", "_attend"),
    "inverted_mask": _source(_vaswani("3.2.3"), "calculator.mistakes", "_inverted_mask", "_masked"),
    "wrong_axis": _source(_vaswani("3.2.1"), "calculator.mistakes", "_wrong_axis"),
    "unscaled": _source(_vaswani("3.2.1"), "calculator.mistakes", "_unscaled"),
    "mask_after_softmax": _source(
        _vaswani("3.2.3"), "calculator.mistakes", "_mask_after_softmax", "_masked"
    ),
    "after_dropout": _source(_vaswani("5.4"), "calculator.mistakes", "_after_dropout"),
    "spread": _source(
        _vaswani("3.2.1"),
        "calculator.scaling",
        *("spread", "_draw", "_attend", "_measure", "gradient_norm"),
    ),
    "layer_norm": _source(_BA, "calculator.norms", "layer_norm"),
    "batch_norm": _source(_IOFFE, "calculator.norms", "batch_norm"),
}
"""Sources by the pages' ids of a view, a part or a mistake."""


def show_source(key: str, names: Sequence[str], *sides: Captured) -> None:
    """Draw a popover with the functions' source; it is read and sent only when opened.

    Args:
        key: Unique on the page.
        names: Keys of :data:`SOURCES`.
        *sides: The sides whose heads are shown, if any.
    """
    opened = st.expander(
        _("Source code of these numbers"),
        icon=":material/function:",
        key=f"source_{key}",
        on_change="rerun",
    )
    if not opened.open:
        return
    found = [SOURCES[name] for name in names]
    with opened:
        for paper in dict.fromkeys(source.paper for source in found if source.paper):
            st.markdown(
                _("The paper: [{name}, section {section}]({link})").format(
                    name=paper.name, section=paper.section, link=paper.link
                )
            )
        for function in dict.fromkeys(name for source in found for name in source.functions):
            file, line, text = read(function)
            st.caption(_("`{file}`, from line {line}").format(file=file, line=line))
            st.code(text, language="python")
        if "head" in names:
            _whose(dict.fromkeys(side.model for side in sides))


def read(function: str) -> tuple[str, int, str]:
    """Return a function's file in this repository, its first line and its source.

    Args:
        function: ``module:name``.
    """
    made = resolve_name(function)
    lines, first = inspect.getsourcelines(made)
    file = Path(inspect.getfile(made)).relative_to(ROOT)
    return file.as_posix(), first, "".join(lines).rstrip()


def _whose(models: Iterable[str]) -> None:
    """Name the models whose weights and code come from other projects."""
    for model in models:
        if not model_info(model).from_scratch:
            st.caption(
                _(
                    "{model} runs in the transformers library. From the same q, k and v, this"
                    " function gives the same weights to a millionth, as the Calculator "
                    "shows."
                ).format(model=plain(model_name(model)))
            )
