"""A corpus of two small texts, and an encoder that learns it in a second."""

import lzma

import pytest
from tokenizers import Tokenizer

from model import EncoderConfig
from model.catalogue.models import bert_tokenizer
from training.encoder.corpus import Corpus, load_corpus, training_files

TINY = EncoderConfig(
    vocab_size=30_522, d_model=24, n_heads=3, d_ff=40, n_layers=2, d_embedding=16, dropout=0.0
)
STORY = (
    "The cat sat on the mat. It was warm there! Did the dog see it? No, the dog slept. "
    "Mr. Brown came home late and found them both asleep by the fire, as cats and dogs are. "
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return bert_tokenizer()


@pytest.fixture
def folder(tmp_path):
    for name in ("openstax_a", "se_b"):
        with lzma.open(tmp_path / f"{name}.txt.xz", "wt") as file:
            file.write(f"{STORY * 40}\n{STORY[::-1]}\n{STORY * 25}\n")
    with lzma.open(tmp_path / "wikitext2_valid.txt.xz", "wt") as file:
        file.write("Held out zebra.\n")
    return tmp_path


@pytest.fixture
def corpus(folder, tokenizer) -> Corpus:
    return load_corpus(training_files(folder), tokenizer, folder / "cache")
