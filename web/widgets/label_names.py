"""Texts for measures and labels of heads, and for grammatical relations."""

from dataclasses import dataclass

from model.analysis.grammar.relations import Finding
from model.analysis.labels import BROAD, MIXED, Label
from web.language import _, cached_per_language


@dataclass(frozen=True)
class MeasureName:
    """Texts of a measure of :data:`model.analysis.measures.MEASURES`.

    Attributes:
        name: Its name on the Layers page and as a column of the Heads page.
        unit: Its unit.
        label: The name of its label; empty if it decides none.
        sentence: What a head with the label does, with a placeholder for the measure.
        rule: The rule of the label, with a placeholder for the threshold.
    """

    name: str
    unit: str
    label: str = ""
    sentence: str = ""
    rule: str = ""


@cached_per_language
def measures() -> dict[str, MeasureName]:
    """Return the texts of every measure, in the reader's language."""
    share = _("share of attention")
    return {
        "entropy": MeasureName(_("Mean entropy"), _("nats")),
        "distance": MeasureName(_("Mean distance"), _("tokens")),
        "induction": MeasureName(
            _("On what followed the same token"),
            share,
            _("induction"),
            _("{share:.0%} of its attention goes to what followed the same token earlier."),
            _(
                "a token that occurred before gives more than {share:.0%} to the token that "
                "followed it then, here and on random tokens"
            ),
        ),
        "previous": MeasureName(
            _("On the previous token"),
            share,
            _("previous token"),
            _("{share:.0%} of its attention goes to the previous token."),
            _("more than {share:.0%} on the token before"),
        ),
        "next": MeasureName(
            _("On the next token"),
            share,
            _("next token"),
            _("{share:.0%} of its attention goes to the next token."),
            _("more than {share:.0%} on the token after"),
        ),
        "self": MeasureName(
            _("On itself"),
            share,
            _("itself"),
            _("{share:.0%} of a token's attention goes to the token itself."),
            _("more than {share:.0%} of a token on itself"),
        ),
        "same": MeasureName(
            _("On the same word elsewhere"),
            share,
            _("same word"),
            _("A word that occurs twice gives {share:.0%} of its attention to the other one."),
            _("a word that occurs twice gives more than {share:.0%} to the other one"),
        ),
        "duplicate": MeasureName(
            _("On the same token earlier"),
            share,
            _("duplicate token"),
            _("A repeated token gives {share:.0%} of its attention to the same token earlier."),
            _("a repeated token gives more than {share:.0%} to the same token earlier"),
        ),
        "cls": MeasureName(
            _("On [CLS]"),
            share,
            "[CLS]",
            _("{share:.0%} of its attention goes to the opening token."),
            _("more than {share:.0%} on the opening token, such as [CLS] or <s>"),
        ),
        "sep": MeasureName(
            _("On [SEP]"),
            share,
            "[SEP]",
            _("{share:.0%} of its attention goes to the closing tokens."),
            _("more than {share:.0%} on the other special tokens, such as [SEP] or </s>"),
        ),
        "first": MeasureName(
            _("On the first token"),
            share,
            _("first token"),
            _("{share:.0%} of its attention goes to the first token."),
            _(
                "more than {share:.0%} on the first token. Many heads look there when they find "
                "nothing else (an attention sink)"
            ),
        ),
        "punctuation": MeasureName(
            _("On punctuation"),
            share,
            _("punctuation"),
            _("{share:.0%} of its attention goes to punctuation."),
            _("more than {share:.0%} on punctuation"),
        ),
        "evenness": MeasureName(
            _("Spread"),
            _("share of the largest entropy"),
            _("broad"),
            _("It spreads its attention: {share:.0%} of the largest possible entropy."),
            _(
                "no rule above applies, and the mean entropy is more than {share:.0%} of the "
                "largest possible: equal weights on all visible tokens"
            ),
        ),
    }


@cached_per_language
def labels() -> dict[str, str]:
    """Return the name of every label, in the reader's language."""
    names = {key: each.label for key, each in measures().items() if each.label}
    return {**names, BROAD: names["evenness"], MIXED: _("no clear pattern")}


def why(label: Label) -> str:
    """Return a sentence on what a head does; without a pattern, on the rule that was closest."""
    measure = measures()[label.measure]
    if label.name != MIXED:
        return measure.sentence.format(share=label.value)
    return _("Closest: “{name}” with {value:.0%}; this name needs more than {share:.0%}.").format(
        name=measure.label, value=label.value, share=label.threshold
    )


def called(label: Label) -> str:
    """Return a label with its sentence, in one line."""
    return _("**{label}**. {why}").format(label=labels()[label.name], why=why(label))


@cached_per_language
def relations() -> dict[str, tuple[str, str]]:
    """Return the names of both ends of each Universal Dependencies relation."""
    verb, noun, clause = _("verb"), _("noun"), _("clause")
    return {
        "acl": (_("describing clause"), noun),
        "advcl": (_("adverbial clause"), clause),
        "advmod": (_("adverb"), _("word it modifies")),
        "amod": (_("adjective"), noun),
        "appos": (_("apposition"), noun),
        "aux": (_("auxiliary"), verb),
        "case": (_("preposition"), noun),
        "cc": (_("conjunction"), _("joined word")),
        "ccomp": (_("clause as object"), verb),
        "compound": (_("first part of a compound"), noun),
        "conj": (_("second joined word"), _("first joined word")),
        "cop": (_("form of “to be”"), _("predicate")),
        "csubj": (_("clause as subject"), verb),
        "det": (_("determiner"), noun),
        "discourse": (_("interjection"), clause),
        "expl": (_("expletive"), verb),
        "fixed": (_("rest of a fixed phrase"), _("first word of the phrase")),
        "flat": (_("rest of a name"), _("first word of the name")),
        "goeswith": (_("split-off letters"), _("rest of the word")),
        "iobj": (_("indirect object"), verb),
        "list": (_("list item"), _("first item")),
        "mark": (_("subordinating word"), clause),
        "nmod": (_("noun modifier"), noun),
        "nsubj": (_("subject"), verb),
        "nummod": (_("number"), noun),
        "obj": (_("object"), verb),
        "obl": (_("oblique"), verb),
        "parataxis": (_("parallel clause"), _("main clause")),
        "vocative": (_("addressee"), clause),
        "xcomp": (_("open complement"), verb),
    }


def relation(name: str, direction: int) -> str:
    """Return a relation as query word → key word."""
    dependent, governor = relations().get(name, (name, _("the word that it depends on")))
    return f"{dependent} → {governor}" if direction == 0 else f"{governor} → {dependent}"


def finding(found: Finding) -> str:
    """Return a sentence on a head's relation, with its accuracy and the baseline."""
    ends = relations().get(found.relation, (found.relation, _("the word that it depends on")))
    query, key = ends if found.direction == 0 else reversed(ends)
    return _(
        "In {accuracy:.0%} of cases it looks from the {query} to the {key}. A fixed distance "
        "between the words would find {baseline:.0%}."
    ).format(accuracy=found.accuracy, query=query, key=key, baseline=found.baseline)
