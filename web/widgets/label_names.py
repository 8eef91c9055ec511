"""Texts for labels of heads, and for grammatical relations."""

from model.analysis.grammar.relations import Finding
from model.analysis.labels import BROAD, MIXED, NONE, Label
from web.language import _, cached_per_language
from web.measure_names import measure_names


@cached_per_language
def labels() -> dict[str, str]:
    """Return the name of every label, in the reader's language."""
    names = {key: each.label for key, each in measure_names().items() if each.label}
    return {
        **names,
        BROAD: names["evenness"],
        MIXED: _("no clear pattern"),
        NONE: _("no attention"),
    }


def why(label: Label) -> str:
    """Return a sentence on what a head does; without a pattern, on the rule that was closest."""
    if label.name == NONE:
        return _("This layer mixes tokens in another way.")
    measure = measure_names()[label.measure]
    if label.name != MIXED:
        return measure.sentence.format(share=label.value)
    return _("Closest to “{name}”: {value:.0%}. The rule needs more than {share:.0%}.").format(
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


def ends(found: Finding) -> tuple[str, str]:
    """Return the names of the query word and of the key word of a head's relation."""
    names = relations().get(found.relation, (found.relation, _("word that it depends on")))
    return names if found.direction == 0 else names[::-1]


def finding(found: Finding) -> str:
    """Return a sentence on a head's relation, with its accuracy and the baseline."""
    query, key = ends(found)
    return _(
        "In {accuracy:.0%} of cases it looks from the {query} to the {key} "
        "(best fixed distance: {baseline:.0%})."
    ).format(accuracy=found.accuracy, query=query, key=key, baseline=found.baseline)
