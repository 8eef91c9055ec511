"""Measures of every head on every text of a data set, as a table.

Axes: M measures, L n_layers, H n_heads, N texts.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from model.analysis.measures import MEASURES, profile
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.text_list import text_list
from model.errors import HeadlightError, check_one_of
from model.version import citation, version

if TYPE_CHECKING:
    import pandas as pd

TOGETHER = 64
"""Texts of one part of a written table."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def check_arguments(model: object, texts: Iterable[str]) -> list[str]:
    """List the texts; HeadlightError for a model that is no encoder or decoder, or one text."""
    if not isinstance(model, LoadedModel):
        raise HeadlightError(
            "A survey needs an encoder or a decoder of load_model, not a {kind}.",
            kind=type(model).__name__,
        )
    if isinstance(texts, str):
        raise HeadlightError("A survey needs a list of texts. Put the text into a list.")
    return text_list(texts)


def survey(
    model: LoadedModel,
    texts: Iterable[str],
    measures: Sequence[str] | None = None,
    *,
    batch_size: int = 8,
    max_tokens: int | None = None,
) -> "pd.DataFrame":
    """Measure every head of a model on every text.

    Args:
        measures: Keys of :data:`model.analysis.measures.MEASURES`; by default all of the model's.
        max_tokens: Most tokens of a text, as in :meth:`LoadedModel.attend`.

    Returns:
        N * L * H rows with the columns ``sentence`` (index of the text), ``layer``, ``head``, a
        column for each measure (NaN where it does not apply to the text), and ``text``. If a text
        was cut, a column ``left_out`` counts the characters of each that were left out.

    Raises:
        HeadlightError: If a measure does not exist or apply to the model, or as
            :func:`check_arguments`.
    """
    texts = check_arguments(model, texts)
    names = applicable(model, measures)
    found = list(measured(model, texts, names, batch_size, max_tokens))
    values = np.array(found, dtype=np.float32)
    # N x (M, L, H) -> (N, M, L, H), also for N = 0
    values = values.reshape(len(texts), len(names), model.n_layers, model.n_heads)
    return to_frame(values, texts, names, characters_left_out(model, texts, max_tokens))


def applicable(model: LoadedModel, measures: Sequence[str] | None) -> list[str]:
    """Keys of the measures to compute, by default all that apply to the model."""
    known = [each.key for each in MEASURES if model.stack in each.stacks]
    for measure in measures or ():
        check_one_of("A measure", measure, known)
    return known if measures is None else list(measures)


def measured(
    model: LoadedModel,
    texts: Sequence[str],
    measures: Sequence[str],
    batch_size: int = 8,
    max_tokens: int | None = None,
) -> Iterator[np.ndarray]:
    """Measure every head on each text, float32 (M, L, H) in the order of the texts."""
    for capture in model.attend(list(texts), batch_size=batch_size, max_tokens=max_tokens):
        found = profile(capture)
        yield np.array([found[name] for name in measures], dtype=np.float32)


def characters_left_out(
    model: LoadedModel, texts: Iterable[str], max_tokens: int | None = None
) -> np.ndarray | None:
    """Count the characters of each text beyond the limit of tokens, (N,); None if all are 0."""
    counts = [len(model.tokenize(text, None, max_tokens).left_out[0]) for text in texts]
    return np.array(counts) if any(counts) else None


def to_frame(
    values: np.ndarray,
    texts: Sequence[str],
    measures: Sequence[str],
    left_out: np.ndarray | None = None,
) -> "pd.DataFrame":
    """Convert measures to a table; see :func:`survey`."""
    import pandas as pd

    n_texts, _, n_layers, n_heads = values.shape
    # (3, N, L, H) -> 3 x (N*L*H,)
    sentence, layer, head = np.indices((n_texts, n_layers, n_heads)).reshape(3, -1)
    # (N, M, L, H) -> (M, N, L, H) -> M x (N*L*H,)
    columns = np.moveaxis(values, 1, 0).reshape(len(measures), -1)
    distinct, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return pd.DataFrame(
        {
            "sentence": sentence,
            "layer": layer,
            "head": head,
            **dict(zip(measures, columns, strict=True)),
            "text": pd.Categorical.from_codes(codes[sentence], categories=list(distinct)),
            **({} if left_out is None else {"left_out": left_out[sentence]}),
        }
    )


def origin_of(model: LoadedModel, **more: object) -> dict[str, object]:
    """Collect what a file of a survey states about its numbers."""
    about = {"headlight": version(), "citation": citation()}
    return {"model": model.name, "stack": model.stack, **model.origin, **about, **more}


def frames(
    values: np.ndarray,
    texts: Sequence[str],
    measures: Sequence[str],
    left_out: np.ndarray | None = None,
) -> Iterator["pd.DataFrame"]:
    """Convert measures to tables of :data:`TOGETHER` texts, so that memory does not grow with N."""
    for start in range(0, len(texts), TOGETHER):
        rows = slice(start, start + TOGETHER)
        table = to_frame(
            values[rows], texts[rows], measures, None if left_out is None else left_out[rows]
        )
        table["sentence"] += start
        yield table


def write_csv(tables: Iterable["pd.DataFrame"], file: TextIO) -> None:
    """Write consecutive parts of a table as CSV."""
    for number, table in enumerate(tables):
        table.to_csv(file, index=False, header=number == 0)


def write_parquet(
    tables: Iterable["pd.DataFrame"], file: Path, origin: Mapping[str, object]
) -> None:
    """Write a table's parts, at least one, as Parquet; :func:`viz.provenance` reads its origin."""
    import pyarrow as pa
    from pyarrow import parquet

    rest = iter(tables)
    first = pa.Table.from_pandas(next(rest), preserve_index=False)
    # Indices of 32 bits have room for the texts of every part.
    index, text = first.schema.get_field_index("text"), first.schema.field("text")
    kind = pa.dictionary(pa.int32(), text.type.value_type)
    metadata = {**first.schema.metadata, b"headlight": json.dumps(origin).encode()}
    schema = first.schema.set(index, text.with_type(kind)).with_metadata(metadata)
    with parquet.ParquetWriter(file, schema) as writer:
        writer.write_table(first.cast(schema))
        for table in rest:
            writer.write_table(pa.Table.from_pandas(table, preserve_index=False).cast(schema))


def means(values: np.ndarray) -> np.ndarray:
    """Average measures over the texts to which they apply: float64 (M, L, H), NaN without one."""
    total, count = np.zeros(values.shape[1:]), np.zeros(values.shape[1:], dtype=int)
    for of_text in values:  # one at a time: the array can be larger than the memory
        valid = ~np.isnan(of_text)
        total += np.where(valid, of_text, 0)
        count += valid
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def quantiles(table: "pd.DataFrame", measure: str) -> "pd.DataFrame":
    """Compute the distribution of a measure for each head.

    Returns:
        A row for each head, largest mean first, with the columns ``layer``, ``head``, ``mean``, one
        for each of :data:`QUANTILES`, ``lowest`` and ``highest`` (the texts at both ends), and
        ``texts`` (how many the measure applies to).
    """
    import pandas as pd

    valid = table.dropna(subset=[measure])
    groups = valid.groupby(["layer", "head"], observed=True)[measure]
    parts = {"mean": groups.mean()}
    parts |= {f"q{round(100 * q):02}": groups.quantile(q) for q in QUANTILES}
    parts |= {
        "lowest": valid["text"].loc[groups.idxmin()].set_axis(groups.idxmin().index),
        "highest": valid["text"].loc[groups.idxmax()].set_axis(groups.idxmax().index),
        "texts": groups.size(),
    }
    return pd.DataFrame(parts).sort_values("mean", ascending=False).reset_index()
