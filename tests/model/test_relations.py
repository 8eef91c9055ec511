"""Grammar: a treebank read, words of pieces, and which head follows which relation."""

from dataclasses import replace

import numpy as np
import pytest

from model import HeadlightError, load_model
from model.relations import Tally, _add, tally, word_weights
from model.treebank import Parsed, parsed_sentences

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
DOGS = Parsed(
    ("Dogs", "do", "n't", "chase", "unbelievable", "cats", "."),
    (3, 3, 3, -1, 5, 3, 3),
    ("nsubj", "aux", "advmod", "root", "amod", "obj", "punct"),
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tree.conllu"
    path.write_text(TREE)
    return path


def test_a_treebank_gives_words_and_what_they_depend_on(file):
    assert list(parsed_sentences(file)) == [DOGS]
    assert DOGS.text == "Dogs do n't chase unbelievable cats ."
    assert [DOGS.text[start:end] for start, end in DOGS.spans] == list(DOGS.words)


@pytest.mark.parametrize(
    "line",
    [
        "1\tDogs\tdog\tNOUN\t_\t_\tx\tnsubj\t_\t_",  # depends on no number
        "1\tDogs\tdog\tNOUN\t_\t_\t9\tnsubj\t_\t_",  # depends on a word that is not there
        "1\tDogs",  # columns are missing
        "1\tDogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_",  # no head at all
    ],
)
def test_a_malformed_sentence_is_named(file, line):
    file.write_text(f"{TREE}# sent_id = two\n{line}\n\n")
    with pytest.raises(HeadlightError, match=r"Sentence 2 of .*tree\.conllu is malformed"):
        list(parsed_sentences(file))


def test_a_missing_treebank_is_named(tmp_path):
    with pytest.raises(HeadlightError, match=r"gone\.conllu cannot be read"):
        list(parsed_sentences(tmp_path / "gone.conllu"))


def test_attention_between_words_sums_over_pieces_of_keys_and_averages_those_of_queries():
    capture = load_model("minilm").attend(DOGS.text)
    weights, words = word_weights(capture, DOGS)
    assert words == list(range(7))
    pieces = {
        word: [
            i
            for i, (start, end) in enumerate(capture.offsets)
            if end > start and begin <= start < stop
        ]
        for word, (begin, stop) in enumerate(DOGS.spans)
    }
    assert len(pieces[2]) == 3  # n ' t
    for query, key in ((2, 5), (5, 2), (3, 3)):
        rows = capture.weights[4, 7][pieces[query]]
        expected = rows[:, pieces[key]].sum(axis=1).mean()
        assert weights[4, 7, query, key] == pytest.approx(expected, abs=1e-6)


def test_hits_are_counted_in_both_directions():
    capture = load_model("minilm").attend(DOGS.text)
    n_words = 7
    offsets = ((0, 0), *DOGS.spans, (0, 0))
    weights = np.full((1, 2, n_words + 2, n_words + 2), 0.01, dtype=np.float32)
    weights[0, 0, 1 + 5, 1 + 3] = 0.9  # cats -> chase: its head
    weights[0, 1, 1 + 3, 1 + 5] = 0.9  # chase -> cats
    weights[0, 1, 1 + 3, 1 + 3] = 1.0  # and more to itself, which does not count
    weights[0, 0, 1 + 4, 0] = 0.99  # unbelievable -> [CLS], which is no word
    weights[0, 0, 1 + 4, 1 + 5] = 0.5
    synthetic = replace(
        capture,
        weights=weights,
        offsets=offsets,
        special=np.array([True, *[False] * n_words, True]),
    )
    tallies: dict[str, Tally] = {name: Tally() for name in DOGS.relations}
    _add(tallies, DOGS, synthetic)
    assert tallies["obj"].hits.tolist() == [[[1, 0]], [[0, 1]]]
    assert tallies["amod"].accuracy(0, 0, 0) == 1
    assert tallies["punct"].pairs == tallies["root"].pairs == 0
    assert tallies["obj"].offsets == {-2: 1}


def test_a_fixed_distance_is_the_guess_to_beat():
    found = Tally(pairs=10)
    found.offsets.update({1: 5, -2: 3, 40: 2})
    assert found.best_offset(0) == 1  # the head one word after its dependent
    assert found.best_offset(1) == -1  # and seen from the head, one word before
    assert found.baseline(0, 1) == found.baseline(1, -1) == 0.5
    assert found.baseline(0, 3) == 0


def test_the_model_is_run_over_every_sentence(file):
    file.write_text(TREE * 3)
    found = tally(load_model("scratch-untrained"), parsed_sentences(file))
    assert {name: each.pairs for name, each in found.items()} == dict.fromkeys(
        ("nsubj", "aux", "advmod", "amod", "obj"), 3
    )
    assert found["obj"].hits.shape == (2, 6, 12)
