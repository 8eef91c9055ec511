from collections import Counter

import numpy as np
import pytest

from model import HeadlightError
from model.analysis.grammar.relations import MIN_PAIRS, RelationCounts, Tally
from training.atlases.counting import word_weights
from training.atlases.treebank import ParsedSentence, read_treebank

TREE = """\
# sent_id = one
# text = Dogs don't chase unbelievable cats.
1\tDogs\tdog\tNOUN\t_\t_\t4\tnsubj:outer\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\t_\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t_\t_
4\tchase\tchase\tVERB\t_\t_\t0\troot\t_\t_
4.1\tgladly\tgladly\tADV\t_\t_\t_\t_\t4:advmod\t_
5\tunbelievable\tunbelievable\tADJ\t_\t_\t6\tamod\t_\t_
6\tcats\tcat\tNOUN\t_\t_\t4\tobj\t_\t_
7\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

"""
DOGS = ParsedSentence(
    ("Dogs", "do", "n't", "chase", "unbelievable", "cats", "."),
    (3, 3, 3, -1, 5, 3, 3),
    ("nsubj", "aux", "advmod", "root", "amod", "obj", "punct"),
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tree.conllu"
    path.write_text(TREE)
    return path


def test_a_treebank_gives_words_and_their_governors(file):
    assert list(read_treebank(file)) == [DOGS]
    assert DOGS.text == "Dogs do n't chase unbelievable cats ."
    assert [DOGS.text[start:end] for start, end in DOGS.spans] == list(DOGS.words)


@pytest.mark.parametrize(
    "line",
    [
        "1\tDogs\tdog\tNOUN\t_\t_\t9\tnsubj\t_\t_",  # depends on a missing word
        "1\tDogs\tdog\tNOUN\t_\t_\tx\tnsubj\t_\t_",  # the head is not a number
        "1\tDogs\tdog\tNOUN\t_\t_\t1\tnsubj\t_\t_",  # depends on itself
        "1\tDogs\tdog\tNOUN\t_\t_\t0\t_\t_\t_",  # no relation
        "1\t\tdog\tNOUN\t_\t_\t0\troot\t_\t_",  # no form
        "_\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_",  # no number
        "2\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_",  # the words count from 2
        "Dogs",
    ],
)
def test_a_malformed_sentence_is_named(file, line):
    file.write_text(f"{TREE}\n \n# sent_id = two\n{line}\n\n{TREE}")
    with pytest.raises(HeadlightError, match=r"Sentence 2 of .*tree\.conllu is malformed: "):
        list(read_treebank(file))


def test_the_baseline_is_the_best_fixed_distance():
    found = Tally(pairs=10)
    found.offsets.update({1: 5, -2: 3, 40: 2})
    assert found.best_offset(0) == 1  # the head one word after its dependent
    assert found.best_offset(1) == -1  # from the head, one word before
    assert found.baseline(0, 1) == found.baseline(1, -1) == 0.5
    assert found.baseline(0, 3) == 0
    # Of equally good distances always the same one is chosen.
    ways = ({3: 4, -3: 4, 2: 4, -2: 4}, {-2: 4, -3: 4, 2: 4, 3: 4})
    assert {Tally(16, offsets=Counter(way)).best_offset(0) for way in ways} == {-2}
    far = Tally(7, offsets=Counter({40: 7}))  # beyond the maximum distance
    assert far.baseline(0, 1) == 0 and abs(far.best_offset(0)) == 1


@pytest.mark.parametrize("family", ["albert", "modernbert"])
def test_a_piece_with_a_leading_space_belongs_to_its_word(families, family):
    words = ("the", "animal", "was", "tidy", ".")
    relations = ("det", "nsubj", "cop", "root", "punct")
    sentence = ParsedSentence(words, (1, 3, 3, -1, 3), relations)
    capture = families[family].attend(sentence.text)
    weights, words = word_weights(capture, sentence)
    assert words == [0, 1, 2, 3, 4]
    pieces = [[], [], [], [], []]
    for i, (start, end) in enumerate(capture.offsets):
        if end > start:
            letter = start + (sentence.text[start] == " ")  # the first letter of the piece
            pieces[sentence.text[:letter].count(" ")].append(i)
    for query, key in ((1, 0), (1, 3), (3, 1), (4, 3)):
        rows = capture.weights[1, 2][np.ix_(pieces[query], pieces[key])]
        expected = rows.sum(axis=1).mean()
        assert weights[1, 2, query, key] == pytest.approx(expected, abs=1e-6)


def counted(pairs, offsets, **hits):
    """A tally of 3 layers and 4 heads; ``hits`` are named by direction, layer and head."""
    found = Tally(pairs, np.zeros((2, 3, 4), dtype=int), Counter(offsets))
    for name, count in hits.items():
        found.hits[tuple(int(digit) for digit in name[1:])] = count
    return found


def test_best_heads_are_sorted_by_lead_and_rare_relations_are_left_out():
    enough, rare = counted(MIN_PAIRS, {1: 9}, _000=40), counted(MIN_PAIRS - 1, {1: 9}, _000=49)
    leads = counted(100, {2: 20}, _101=90)
    halves = RelationCounts(
        selection={"both": enough, "there": rare, "here": enough, "nowhere": enough, "led": leads},
        evaluation={"both": enough, "there": enough, "here": rare, "led": leads},
    )
    assert [found.relation for found in halves.best_heads()] == ["led", "both"]
    expected = [0.9 - 0.2, 40 / MIN_PAIRS - 9 / MIN_PAIRS]
    assert [found.lead for found in halves.best_heads()] == pytest.approx(expected)
    assert halves.followed_relation(0, 0).relation == "both"
    alone = RelationCounts(selection={"here": enough}, evaluation={"here": rare})
    assert alone.followed_relation(0, 0) is None


def test_a_head_follows_the_relation_that_it_led_on_in_the_first_half_or_none():
    def halves(reported):
        return RelationCounts(
            selection={
                # H2 of layer 1 has most hits on det, but a fixed distance has nearly as many.
                "det": counted(100, {1: 85}, _012=90),
                "obj": counted(100, {2: 40}, _012=60, _112=50),
            },
            evaluation={"det": counted(100, {1: 10}, _012=90), "obj": reported},
        )

    finding = halves(counted(100, {2: 40}, _012=46, _112=99)).followed_relation(1, 2)
    assert (finding.relation, finding.direction, finding.offset) == ("obj", 0, 2)
    assert finding.lead == pytest.approx(0.06)
    # In the other half it leads on det and on the inverse of obj; neither was selected.
    assert halves(counted(100, {2: 40}, _012=44, _112=99)).followed_relation(1, 2) is None
