"""Names and labels of the measures of heads."""

from dataclasses import dataclass

from web.language import _, cached_per_language


@dataclass(frozen=True)
class MeasureName:
    """Texts of a measure of :data:`model.analysis.measures.MEASURES`.

    Attributes:
        name: Its name as a column of the Heads page.
        label: The name of its label; empty if it decides none.
        sentence: What a head with the label does, with a placeholder for the measure.
    """

    name: str
    label: str = ""
    sentence: str = ""
    rule: str = ""


@cached_per_language
def measure_names() -> dict[str, MeasureName]:
    """Return the texts of every measure, in the reader's language."""
    return {
        "entropy": MeasureName(_("Mean entropy")),
        "distance": MeasureName(_("Mean distance")),
        "induction": MeasureName(
            _("On what followed the same token"),
            _("induction"),
            _("{share:.0%} of its attention goes to what followed the same token earlier."),
            _(
                "a token that occurred before gives more than {share:.0%} to the token that "
                "followed it then, here and on random tokens"
            ),
        ),
        "previous": MeasureName(
            _("On the previous token"),
            _("previous token"),
            _("{share:.0%} of its attention goes to the previous token."),
            _("more than {share:.0%} on the token before"),
        ),
        "next": MeasureName(
            _("On the next token"),
            _("next token"),
            _("{share:.0%} of its attention goes to the next token."),
            _("more than {share:.0%} on the token after"),
        ),
        "self": MeasureName(
            _("On itself"),
            _("itself"),
            _("{share:.0%} of a token's attention goes to the token itself."),
            _("more than {share:.0%} of a token on itself"),
        ),
        "same": MeasureName(
            _("On the same word elsewhere"),
            _("same word"),
            _("A word that occurs twice gives {share:.0%} of its attention to the other one."),
            _("a word that occurs twice gives more than {share:.0%} to the other one"),
        ),
        "duplicate": MeasureName(
            _("On the same token earlier"),
            _("duplicate token"),
            _("A repeated token gives {share:.0%} of its attention to the same token earlier."),
            _("a repeated token gives more than {share:.0%} to the same token earlier"),
        ),
        "cls": MeasureName(
            _("On [CLS]"),
            "[CLS]",
            _("{share:.0%} of its attention goes to the opening token."),
            _("more than {share:.0%} on the opening token, such as [CLS] or <s>"),
        ),
        "sep": MeasureName(
            _("On [SEP]"),
            "[SEP]",
            _("{share:.0%} of its attention goes to the closing tokens."),
            _("more than {share:.0%} on the other special tokens, such as [SEP] or </s>"),
        ),
        "first": MeasureName(
            _("On the first token"),
            _("first token"),
            _("{share:.0%} of its attention goes to the first token."),
            _(
                "more than {share:.0%} on the first token. Many heads look there when they find "
                "nothing else (an attention sink)"
            ),
        ),
        "punctuation": MeasureName(
            _("On punctuation"),
            _("punctuation"),
            _("{share:.0%} of its attention goes to punctuation."),
            _("more than {share:.0%} on punctuation"),
        ),
        "evenness": MeasureName(
            _("Spread"),
            _("broad"),
            _("It spreads its attention: {share:.0%} of the entropy of equal weights."),
            _(
                "no rule above applies, and the mean entropy is more than {share:.0%} of that of "
                "equal weights"
            ),
        ),
    }
