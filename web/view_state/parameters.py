"""Fields that several pages share: one sentence or pair, two models, a head, display of tokens."""

from web.language import N_
from web.view_state import field
from web.view_state.field import Fields

DEFAULT_TEXT = "The animal didn't cross the street because it was too tired."
OTHER_TEXT = "The animal didn't cross the street because it was too wide."

OUR_ENCODERS = ("scratch", "scratch-minilm", "scratch-untrained")


class View(Fields):
    """Their keys are their names in the query string."""

    text = field.text(N_("Sentence"), DEFAULT_TEXT, always=True, hidden=True)
    pair = field.text(N_("Second sentence (optional)"), hidden=True)
    left = field.name(N_("First model"), "scratch", always=True)
    right = field.name(N_("Second model"), "minilm", always=True)
    # MiniLM's L3·H1 is the head in which "it" looks at "animal": something to see immediately.
    layer = field.index(N_("Layer"), 3, always=True)
    head = field.index(N_("Head"), 1, always=True)
    special = field.box(
        N_("Special tokens"),
        {
            "show": N_("Show"),
            "hide": N_("Hide: rows sum to less than 1"),
            "renormalise": N_("Hide, and scale rows to sum to 1"),
        },
        width=300,
    )
    words = field.flag(
        N_("Merge word pieces"),
        help=N_(
            "Attention to a word is the sum over its pieces. Attention from a word is their mean."
        ),
    )


VIEW = View.fields
