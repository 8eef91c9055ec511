"""The grammar's French compared with a native speaker's, and its alignment."""

import random
from collections import defaultdict
from itertools import product
from typing import get_args

import pytest

from model.errors import HeadlightError
from model.languages import lexicon
from model.languages.phrases import pair
from model.languages.reading import read
from model.languages.vocabulary import ENGLISH, FRENCH, unknown_words, words
from training.translators.sampling import (
    LEFT,
    Pairs,
    Sampler,
    goes_with,
    held_out_pairs,
    pairs_of,
    pattern_of,
    untrained_phrases,
)

TRANSLATIONS = """
the blue flower is not small = la fleur bleue n'est pas petite
a beautiful tree = un bel arbre
some beautiful trees = de beaux arbres
the old man = le vieil homme
my school = mon école
this bear = cet ours
this star = cette étoile
four brown coats = quatre manteaux marron
some good soup = de la bonne soupe
the girl and the queen are happy = la fille et la reine sont heureuses
the bird does not arrive = l'oiseau n'arrive pas
the donkey often walks slowly = l'âne marche souvent lentement
the child's old dog = le vieux chien de l'enfant
the girl does not see a dog = la fille ne voit pas de chien
the man never drinks any water = l'homme ne boit jamais d'eau
there is a cat under the table = il y a un chat sous la table
the house is near the trees = la maison est près des arbres
the car is near a church = la voiture est près d'une église
his mother does not buy an old newspaper = sa mère n'achète pas de vieux journal
""".strip().split("\n")


@pytest.mark.parametrize("line", TRANSLATIONS)
def test_the_translation_is_correct_french(line):
    english, _, wanted = line.partition(" = ")
    assert pair(read(english)).target == wanted


@pytest.mark.parametrize(
    ("english", "links"),
    [  # a French word, and the English words that need it
        (
            "the small flower is not blue",
            "la-the petite-small fleur-flower n'-not est-is pas-not bleue-blue",
        ),
        (
            "the king's black horse does not sleep near the park",
            "le- cheval-horse noir-black du-the+'s roi-king ne-not dort-sleep pas-not près-near "
            "du-near+the parc-park",
        ),
        (
            "there is no bread in the house",
            "il-there+is n'-no y-there+is a-there+is pas-no de-no pain-bread dans-in la-the "
            "maison-house",
        ),
        ("some water and an old bed", "de-some l'-some eau-water et-and un-an vieux-old lit-bed"),
    ],
)
def test_each_word_has_its_alignment(english, links):
    both = pair(read(english))
    found = [
        f"{word.text}-{'+'.join(both.english[i] for i in sorted(word.sources))}"
        for word in both.french
    ]
    assert found == links.split()


def test_a_parsed_phrase_gives_the_same_tree():
    for pairs in get_args(Pairs):
        sampler = Sampler(random.Random(3), pairs)
        for _ in range(150):
            phrase = sampler.phrase()
            both = pair(phrase)
            assert read(both.source) == phrase
            assert read(both.source.capitalize().replace("is not", "isn’t") + ".") == phrase
            assert {word.text for word in both.french} <= set(FRENCH)
            assert set(both.english) <= set(ENGLISH)
            # Every English word is aligned, except "does" of a verb.
            stood_for = frozenset().union(*(word.sources for word in both.french))
            left = {both.english[i] for i in set(range(len(both.english))) - stood_for}
            assert left <= {"do", "does"}


@pytest.mark.parametrize(
    "english",
    [
        "a old cat",
        "the cat sleeps the dog",
        "the blue small flower",
        "a bread",
        "the dog does not see some cats",
        "the big man's dog",
        "there is the cat",
        "'s",
    ],
)
def test_phrases_outside_the_grammar_are_rejected(english):
    with pytest.raises(HeadlightError, match="not a phrase of this form"):
        read(english)


def test_unknown_words_are_listed_once_in_order():
    text = "The zebra isn't a Unicorn, zebra! <b>"
    assert words(text) == ["the", "zebra", "is", "not", "a", "unicorn", "zebra", "<b>"]
    assert unknown_words(text) == ["zebra", "unicorn", "<b>"]
    with pytest.raises(HeadlightError, match=f"zebra, unicorn, <b>.*has {len(ENGLISH)} words"):
        read(text)
    with pytest.raises(HeadlightError):
        read("...")


def test_training_and_held_out_share_no_pair_of_noun_and_adjective():
    kept = held_out_pairs()
    assert {("flower", "blue"), ("flower", "small")} <= kept
    trained, sampler = set(), Sampler(random.Random(1))
    for _ in range(1_500):
        trained |= pairs_of(sampler.phrase())
    assert not {(noun.name, adjective.english) for noun, adjective in trained} & kept
    phrases = untrained_phrases(500)
    assert len(set(phrases)) == 500
    for phrase in phrases:
        pairs = {(noun.name, adjective.english) for noun, adjective in pairs_of(phrase)}
        assert pairs and pairs <= kept
    assert {pattern_of(phrase) for phrase in phrases} == {
        "noun phrase", "is so", "is somewhere", "does", "does something to", "there is",
    }  # fmt: skip


def test_every_form_is_learned_from_several_nouns():
    """For each French form of an adjective, training includes at least ``LEFT`` nouns."""
    left, needed = defaultdict(set), set()
    for noun, adjective in product(lexicon.NOUNS, lexicon.ADJECTIVES):
        forms = {
            (adjective.english, adjective.agreeing(noun.gender, bool(plural)))
            for plural in range(len(noun.french))
        }
        if (noun.name, adjective.english) in held_out_pairs():
            needed |= forms
        elif goes_with(noun, adjective):
            for form in forms:
                left[form].add(noun.name)
    assert needed and min(len(left[form]) for form in needed) >= LEFT
