"""Names of tokens on axes: distinct, and never mistaken for markup."""

from collections import Counter
from collections.abc import Sequence
from html import escape

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def distinct(tokens: Sequence[str]) -> list[str]:
    """Number repeated tokens (the₁, the₂), so that no figure merges them.

    Plotly draws equal category names as one row; readers do the same.
    """
    total = Counter(tokens)
    seen: Counter[str] = Counter()
    labels: list[str] = []
    taken: set[str] = {token for token, count in total.items() if count == 1}
    for token in tokens:
        label = token
        if total[token] > 1:
            seen[token] += 1
            label = token + str(seen[token]).translate(_SUBSCRIPTS)
            while label in taken:  # a token that itself looks like a numbered one
                label += "′"
            taken.add(label)
        labels.append(label)
    return labels


def literal(text: str) -> str:
    """Make Plotly print text as it stands: it would read <b>, <a> and &amp; as markup."""
    return escape(text, quote=False)


def shortened(text: str, limit: int = 60) -> str:
    """Cut a sentence for a caption."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
