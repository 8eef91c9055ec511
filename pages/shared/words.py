"""The names of labels and of grammatical relations, and what is said of a head by them."""

from model.analysis.grammar.relations import Finding
from model.analysis.labels import BROAD, MIXED, Label
from pages.shared.language import _, said_once


@said_once
def labels() -> dict[str, str]:
    """Every label's name, in the reader's language."""
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


@said_once
def _rules() -> dict[str, str]:
    """What is measured for a label, by its name, and the number."""
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
    """The rule and the number behind a label; where none applies, the rule that came nearest."""
    said = _rules()[label.measure].format(value=label.value)
    if label.name != MIXED:
        return _("{said}, above {threshold:.2f}").format(said=said, threshold=label.threshold)
    if label.measure == "evenness":  # the only measure that does not say its label's name
        return _("{said}; “{label}” needs {threshold:.2f}").format(
            said=said, label=labels()[BROAD], threshold=label.threshold
        )
    return _("{said}; needs {threshold:.2f}").format(said=said, threshold=label.threshold)


def called(label: Label) -> str:
    """A label with the number behind it, in one line."""
    return _("**{label}** ({why})").format(label=labels()[label.name], why=why(label))


@said_once
def relations() -> dict[str, tuple[str, str]]:
    """Universal Dependencies' relations: the dependent, and what it depends on."""
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
    """A relation from the word that attends to the one attended to."""
    dependent, governor = relations().get(name, (name, _("word it depends on")))
    return f"{dependent} → {governor}" if direction == 0 else f"{governor} → {dependent}"


def finding(found: Finding) -> str:
    """A head's relation with its accuracy, and what it has to beat."""
    return _("{relation} {accuracy:.0%}, baseline {baseline:.0%}").format(
        relation=relation(found.relation, found.direction),
        accuracy=found.accuracy,
        baseline=found.baseline,
    )


def finding_in_brief(found: Finding) -> str:
    """The same where a column's name says which number is which."""
    told = relation(found.relation, found.direction)
    return f"{told} {found.accuracy:.0%} ({found.baseline:.0%})"
