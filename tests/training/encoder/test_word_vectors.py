import numpy as np

from training.encoder.corpus import Corpus
from training.encoder.word_vectors import word_vectors


def test_words_with_the_same_neighbours_have_similar_vectors():
    # Ids 1 and 2 always follow 10 and precede 11; id 3 is between 12 and 13; 4 never occurs.
    rows = np.array([[10, 1, 11], [10, 2, 11], [12, 3, 13]] * 30, dtype=np.uint16)
    corpus = Corpus(rows.ravel(), np.arange(0, rows.size + 1, 3), np.bincount(rows.ravel()))
    vectors = word_vectors(corpus, 5, seed=0)
    assert vectors.shape == (14, 5)
    assert vectors[1] @ vectors[2] > 0.99
    assert vectors[1] @ vectors[3] < 0.2
    assert not vectors[4].any()
    np.testing.assert_allclose(np.linalg.norm(vectors[[1, 2, 3, 10]], axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(vectors, word_vectors(corpus, 5, seed=0))
