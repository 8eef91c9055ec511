"""Texts for labels of heads and for grammatical relations."""

from model.analysis.grammar.relations import Finding
from model.analysis.labels import BROAD, MIXED, Label
from web.language import _, cached_per_language


@cached_per_language
def labels() -> dict[str, str]:
    """Return the name of every label, in the reader's language."""
    return {
        "induction": _("induction"),
        "previous": _("previous token"),
        "next": _("next token"),
        "self": _("itself"),
        "same": _("same word"),
        "duplicate": _("duplicate token"),
        "cls": "[CLS]",
        "sep": "[SEP]",
        "first": _("first token"),
        "punctuation": _("punctuation"),
        "broad": _("broad"),
        "mixed": _("no clear pattern"),
    }


@cached_per_language
def _rules() -> dict[str, str]:
    """Return the explanation of each label's measure, with a placeholder for its value."""
    return {
        "induction": _("{value:.2f} on what followed it before"),
        "previous": _("{value:.2f} on the previous token"),
        "next": _("{value:.2f} on the next token"),
        "self": _("{value:.2f} on itself"),
        "same": _("{value:.2f} on the same word elsewhere"),
        "duplicate": _("{value:.2f} on the same token before"),
        "cls": _("{value:.2f} on the opening token"),
        "sep": _("{value:.2f} on the closing tokens"),
        "first": _("{value:.2f} on the first token"),
        "punctuation": _("{value:.2f} on punctuation"),
        "evenness": _("spread {value:.2f}"),
    }


def why(label: Label) -> str:
    """Return the rule and the value behind a label, or the rule that was closest."""
    text = _rules()[label.measure].format(value=label.value)
    if label.name != MIXED:
        return _("{said}, above {threshold:.2f}").format(said=text, threshold=label.threshold)
    if label.measure == "evenness":  # the only measure whose name differs from its label
        return _("{said}; “{label}” needs {threshold:.2f}").format(
            said=text, label=labels()[BROAD], threshold=label.threshold
        )
    return _("{said}; needs {threshold:.2f}").format(said=text, threshold=label.threshold)


def called(label: Label) -> str:
    """Return a label with its value, in one line."""
    return _("**{label}** ({why})").format(label=labels()[label.name], why=why(label))


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
        "cc": (_("conjunction"), _("conjunct")),
        "ccomp": (_("clause as object"), verb),
        "compound": (_("first part of a compound"), noun),
        "conj": (_("second conjunct"), _("first conjunct")),
        "cop": (_("form of to be"), _("predicate")),
        "csubj": (_("clause as subject"), verb),
        "det": (_("determiner"), noun),
        "discourse": (_("interjection"), clause),
        "expl": (_("expletive"), verb),
        "fixed": (_("rest of a fixed phrase"), _("its first word")),
        "flat": (_("rest of a name"), _("its first word")),
        "goeswith": (_("split-off letters"), _("rest of the word")),
        "iobj": (_("indirect object"), verb),
        "list": (_("list item"), _("first item")),
        "mark": (_("subordinating word"), clause),
        "nmod": (_("noun modifier"), noun),
        "nsubj": (_("subject"), verb),
        "nummod": (_("number"), noun),
        "obj": (_("object"), verb),
        "obl": (_("oblique"), verb),
        "parataxis": (_("clause beside"), clause),
        "vocative": (_("addressee"), clause),
        "xcomp": (_("open complement"), verb),
    }


def relation(name: str, direction: int) -> str:
    """Return a relation as query word → key word."""
    dependent, governor = relations().get(name, (name, _("word it depends on")))
    return f"{dependent} → {governor}" if direction == 0 else f"{governor} → {dependent}"


def finding(found: Finding) -> str:
    """Return a head's relation with its accuracy and the baseline."""
    return _("{relation} {accuracy:.0%}, baseline {baseline:.0%}").format(
        relation=relation(found.relation, found.direction),
        accuracy=found.accuracy,
        baseline=found.baseline,
    )


def finding_in_brief(found: Finding) -> str:
    """Return the same in short form, for a column whose name explains the numbers."""
    text = relation(found.relation, found.direction)
    return f"{text} {found.accuracy:.0%} ({found.baseline:.0%})"
