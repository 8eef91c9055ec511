"""Texts for labels of heads, and for grammatical relations."""

from model.analysis.grammar.relations import FollowedRelation
from model.analysis.labels import BROAD, MIXED, NONE, HeadLabel
from web.language import _, cached_per_language, sentences


@cached_per_language
def label_texts() -> dict[str, tuple[str, str]]:
    """Return the name of each label by the measure that decides it, and what such a head does.

    ``share`` in this sentence is the measure, or more than the threshold.
    """
    return {
        "induction": (
            _("induction"),
            _(
                "When a token occurs again, this head gives {share} of its attention to what came "
                "after it the first time."
            ),
        ),
        "previous": (
            _("previous token"),
            _("The head gives {share} of its attention to the previous token."),
        ),
        "next": (_("next token"), _("The head gives {share} of its attention to the next token.")),
        "self": (_("itself"), _("A token gives {share} of its attention to itself.")),
        "same": (
            _("same word"),
            _("A word that occurs twice gives {share} of its attention to the other one."),
        ),
        "duplicate": (
            _("duplicate token"),
            _("A repeated token gives {share} of its attention to the same token earlier."),
        ),
        "cls": ("[CLS]", _("The head gives {share} of its attention to the opening token.")),
        "sep": ("[SEP]", _("The head gives {share} of its attention to the closing tokens.")),
        "first": (
            _("first token"),
            _("The head gives {share} of its attention to the first token (an attention sink)."),
        ),
        "punctuation": (
            _("punctuation"),
            _("The head gives {share} of its attention to punctuation."),
        ),
        "evenness": (
            _("broad"),
            _(
                "It spreads its attention over many tokens: the mean entropy of its rows (how even "
                "they are) is {share} of the largest possible."
            ),
        ),
    }


@cached_per_language
def labels() -> dict[str, str]:
    """Return the name of every label, in the reader's language."""
    names = {measure: name for measure, (name, _sentence) in label_texts().items()}
    return {
        **names,
        BROAD: names["evenness"],
        MIXED: _("no rule fits"),
        NONE: _("no attention"),
    }


def called(label: HeadLabel) -> str:
    """Return a label with its sentence, in one line."""
    if label.name == NONE:
        why = _("This layer mixes tokens in another way.")
    elif label.name == MIXED and label.measure == "evenness":
        why = _("No rule applies.")
    elif label.name == MIXED:
        why = _("Its share for “{label}” is {share}; the label needs more than {least}.").format(
            label=label_texts()[label.measure][0],
            share=f"{label.value:.0%}",
            least=f"{label.threshold:.0%}",
        )
    else:
        why = label_texts()[label.measure][1].format(share=f"{label.value:.0%}")
    return sentences(_("**{label}**.").format(label=labels()[label.name]), why)


@cached_per_language
def relations() -> dict[str, tuple[str, str]]:
    """Return the names of both ends of the Universal Dependencies relations of our atlases."""
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
        "compound": (_("compound's first part"), noun),
        "conj": (_("joined word"), _("the first one")),
        "cop": (_("“is”, “was”"), _("predicate")),
        "det": (_("determiner"), noun),
        "discourse": (_("interjection"), clause),
        "flat": (_("rest of a name"), _("its first word")),
        "mark": (_("subordinating word"), clause),
        "nmod": (_("noun modifier"), noun),
        "nsubj": (_("subject"), verb),
        "nummod": (_("number"), noun),
        "obj": (_("object"), verb),
        "obl": (_("place or time"), verb),
        "parataxis": (_("parallel clause"), _("main clause")),
        "xcomp": (_("infinitive as object"), verb),
    }


def ends(found: FollowedRelation) -> tuple[str, str]:
    """Return the names of the query word and of the key word of a head's relation."""
    names = relations().get(found.relation, (found.relation, _("word that it depends on")))
    return names if found.direction == 0 else names[::-1]


EXAMPLES = {
    "acl": "sitting man", "advcl": "rained stayed", "advmod": "often eats", "amod": "red car",
    "appos": "capital Paris", "aux": "has eaten", "case": "in house", "cc": "and dogs",
    "ccomp": "left said", "compound": "apple pie", "conj": "dogs cats", "cop": "is tall",
    "det": "the dog", "discourse": "well go", "flat": "Curie Marie", "mark": "because rained",
    "nmod": "house door", "nsubj": "dog barks", "nummod": "three dogs", "obj": "bread eats",
    "obl": "Monday left", "parataxis": "said come “Come,” she said", "xcomp": "sleep wants",
}  # fmt: skip
"""A word, the word that it depends on, and where necessary a phrase, by relation."""


def example(found: FollowedRelation) -> str:
    """Return an example of a head's relation: a query word, and the key word."""
    word, other, *phrase = EXAMPLES.get(found.relation, "– –").split(maxsplit=2)
    pair = (word, other) if found.direction == 0 else (other, word)
    return " → ".join(pair) + "".join(f" ({words})" for words in phrase)


def at_offset(offset: int) -> str:
    """Return the name of the word at an offset from a word."""
    if abs(offset) == 1:
        return _("the next word") if offset > 0 else _("the previous word")
    text = _("the word {n} places later") if offset > 0 else _("the word {n} places earlier")
    return text.format(n=abs(offset))


def finding(found: FollowedRelation) -> str:
    """Return a sentence on a head's relation, with its accuracy and the baseline."""
    query, key = ends(found)
    return _(
        "in other sentences (a treebank), its largest weight goes from the {query} to the {key}, "
        "as in {example}, in {accuracy:.0%} of cases. Simply choosing {other} would be right in "
        "{baseline:.0%}. [CLS] and [SEP] are left out."
    ).format(
        query=query,
        key=key,
        example=example(found),
        accuracy=found.accuracy,
        other=at_offset(found.offset),
        baseline=found.baseline,
    )
