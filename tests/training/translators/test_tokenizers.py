import random

from model.languages.dates import draw, write
from model.languages.phrases import pair
from model.languages.vocabulary import words
from training.translators.sampling import Sampler
from training.translators.tokenizers import date_tokenizers, phrase_tokenizers


def test_the_vocabulary_contains_the_words_of_the_grammar():
    source, target = phrase_tokenizers()
    sampler = Sampler(random.Random(4))
    for _ in range(60):
        both = pair(sampler.phrase())
        english = source.encode(both.source)
        assert english.tokens == [*both.english, "</s>"]
        assert english.tokens[:-1] == words(both.source)
        french = target.encode(both.target)
        assert french.tokens == ["<s>", *(word.text for word in both.french), "</s>"]
        assert target.decode(french.ids) == both.target
    for text, tokens in (
        ("The girl’s\n flower ISN'T blue.", "the girl 's flower is not blue </s>"),
        ("the zebra", "the <unk> </s>"),
        ("...", "</s>"),
        ("</s> <s>", "</s> <s> </s>"),
    ):
        assert source.encode(text).tokens == tokens.split()


def test_dates_are_split_into_characters():
    source, target = date_tokenizers()
    rng = random.Random(2)
    for _ in range(100):
        when, form = draw(rng)
        text = write(when, form)
        assert source.encode(f" {text}  ").tokens == [*text.lower(), "</s>"]
        ids = target.encode(when.isoformat()).ids
        assert target.decode(ids) == when.isoformat()
        assert len(ids) == 12
    assert source.encode("3é").tokens == ["3", "<unk>", "</s>"]
