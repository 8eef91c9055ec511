"""The few lines of Python that reproduce a view of the Positions page, whatever it is set to."""

from collections.abc import Mapping
from typing import Any

import streamlit as st


def lines(kind: str) -> str:
    """The lines for a kind of position, as the session has set it."""
    return written(kind, {name: st.session_state[name] for name in READ})


def written(kind: str, values: Mapping[str, Any]) -> str:
    """The lines for a kind of position and values of :data:`READ`.

    Numbers and names are written as Python literals: whatever was typed stays data.
    """
    said = {name: repr(value) for name, value in values.items()}
    return "\n".join((*_LINES[kind], "figure")).format(**said)


READ = (
    "length",
    "d_model",
    "base",
    "offset",
    "left",
    "n_tokens",
    "d_head",
    "rotary_seed",
    "query_at",
    "key_at",
    "n_heads",
    "alibi_head",
    "text",
    "blind",
    "order",
    "strength",
    "layer",
    "head",
)
"""Of the session, what the lines may name."""

_LINES = {
    "sinusoidal": (
        "import numpy as np",
        "import torch",
        "from model.transformer.positions import sinusoids_at",
        "from viz.figures.positions import encoding_heatmap",
        "",
        "rows, columns = np.arange({length}), np.arange({d_model})",
        "table = sinusoids_at(torch.from_numpy(rows), {d_model}, {base}).numpy()",
        "figure = encoding_heatmap(table, rows=rows, columns=columns, top=1.0)",
    ),
    "learned": (
        "import numpy as np",
        "from model import load_model",
        "from viz.figures.positions import encoding_heatmap",
        "",
        "table = load_model({left}).position_table.numpy()  # (positions, dimensions)",
        "rows, columns = map(np.arange, table.shape)",
        "top = float(np.quantile(np.abs(table), 0.995))",
        "figure = encoding_heatmap(table, rows=rows, columns=columns, top=top)",
    ),
    "shift": (
        "import numpy as np",
        "from model.transformer.positions import rotation",
        "from viz.figures.offsets import matrix_heatmap",
        "",
        "turn = rotation({offset}, {d_model}, {base}).numpy()  # R PE(pos) = PE(pos + k)",
        "rows, columns = map(np.arange, turn.shape)",
        "figure = matrix_heatmap(turn, rows=rows, columns=columns, top=1.0, printed=False,",
        '                        x_title="dimension of PE(pos)", y_title="of PE(pos + k)")',
    ),
    "relative": (
        "import numpy as np",
        "from model.transformer.positions import relative_buckets",
        "from viz.figures.offsets import matrix_heatmap",
        "",
        "buckets = relative_buckets({n_tokens}).numpy()  # T5's, (queries, keys)",
        "rows, columns = map(np.arange, buckets.shape)",
        'figure = matrix_heatmap(buckets, rows=rows, columns=columns, top=31, sign="positive",',
        "                        printed=False,",
        '                        x_title="key position", y_title="query position")',
    ),
    "rotary": (
        "import torch",
        "from model.transformer.positions import rotary",
        "from viz.figures.offsets import score_curve",
        "",
        "generator = torch.Generator().manual_seed({rotary_seed})",
        "q, k = torch.randn(2, 1, {d_head}, generator=generator, dtype=torch.float64)",
        "reach = max(64, abs({key_at} - {query_at}) + 8)",
        "offsets = torch.arange(-reach, reach + 1)",
        "scores = (rotary(k.expand(len(offsets), -1), offsets) @ q[0]).numpy()",
        "figure = score_curve(offsets.numpy(), scores, {key_at} - {query_at},",
        '                     x_title="offset (tokens)", y_title="score")',
    ),
    "alibi": (
        "import numpy as np",
        "from model.transformer.positions import alibi_bias, alibi_slopes",
        "from viz.figures.offsets import matrix_heatmap",
        "",
        "slope = alibi_slopes({n_heads})[{alibi_head}].item()",
        "bias = alibi_bias({n_tokens}, slope).numpy()  # (queries, keys)",
        "rows, columns = map(np.arange, bias.shape)",
        "top = max(float(-bias.min()), 1e-6)",
        'figure = matrix_heatmap(bias, rows=rows, columns=columns, top=top, sign="negative",',
        "                        printed=False,",
        '                        x_title="key position", y_title="query position")',
    ),
    "shuffle": (
        "import numpy as np",
        "from model import load_model",
        "from model.analysis.order import reorder",
        "from viz import attention_heatmap",
        "",
        "model = load_model({blind})",
        "moved = reorder(model, {text}, {order} or None, {strength})",
        "back = np.argsort(moved.order)  # the words back in line",
        "weights = moved.capture.weights[{layer}, {head}][np.ix_(back, back)]",
        "figure = attention_heatmap(weights, model.attend({text}).tokens)",
    ),
}
