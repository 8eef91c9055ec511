"""Initial token embeddings from co-occurrence counts: a short run need not learn similar words.

word2vec approximates a factorised co-occurrence matrix (Levy and Goldberg 2014, "Neural Word
Embedding as Implicit Matrix Factorization", section 3). The counts contain no word order, so the
heads gain nothing from them.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from training.encoder.corpus import Corpus

WINDOW = 5
"""Largest distance of neighbours in a sentence. A neighbour at distance d counts 1 / d."""

SMOOTHING = 0.75
"""Exponent of the context counts, which reduces the weight of rare contexts (Levy, Goldberg and
Dagan 2015, section 3.2)."""


def word_vectors(corpus: Corpus, width: int, seed: int) -> np.ndarray:
    """Unit vectors of all tokens, float32 (vocab_size, width), 0 for one without neighbours."""
    together = _neighbours(corpus)
    total = np.asarray(together.sum(axis=1)).ravel()  # (vocab_size,)
    context = total**SMOOTHING
    context /= context.sum()
    counts = together.tocoo()
    # log P(a, b) / P(a) P(b), where it is positive
    information = np.log(counts.data / (total[counts.row] * context[counts.col]))
    keep = information > 0
    places = counts.row[keep], counts.col[keep]
    positive = sp.csr_matrix((information[keep], places), shape=together.shape)
    first_guess = np.random.default_rng(seed).standard_normal(positive.shape[0])
    left, size, _ = svds(positive.astype(np.float64), k=width, v0=first_guess)
    vectors = left * np.sqrt(size)  # (vocab_size, width)
    counted = np.asarray(positive.sum(axis=1)).ravel() > 0
    vectors[counted] -= vectors[counted].mean(axis=0)  # removes the common component
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    usable = counted[:, None] & (length > 1e-9)
    return np.where(usable, vectors / np.where(usable, length, 1), 0).astype(np.float32)


def _neighbours(corpus: Corpus) -> sp.csr_matrix:
    """Weighted neighbour counts of all token pairs, symmetric, (vocab_size, vocab_size)."""
    vocab_size = len(corpus.counts)
    lengths = np.diff(corpus.starts)
    sentence = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    ids = np.asarray(corpus.ids, dtype=np.int64)
    together = sp.csr_matrix((vocab_size, vocab_size), dtype=np.float32)
    for distance in range(1, WINDOW + 1):
        same = sentence[:-distance] == sentence[distance:]
        pairs = ids[:-distance][same] * vocab_size + ids[distance:][same]
        pairs, count = np.unique(pairs, return_counts=True)
        weight = count.astype(np.float32) / distance
        places = pairs // vocab_size, pairs % vocab_size
        together = together + sp.csr_matrix((weight, places), shape=together.shape)
    return together + together.T  # (vocab_size, vocab_size)
