"""Tokenizers of the translators: words for phrases, characters for dates."""

from collections.abc import Iterable, Sequence

import torch
from tokenizers import Encoding, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordLevel
from torch import Tensor, nn

from model.languages.dates import SOURCE_CHARACTERS, TARGET_CHARACTERS
from model.languages.vocabulary import ENGLISH, ENGLISH_WORD, FRENCH, FRENCH_WORD

PAD, BEGIN, END, UNKNOWN = SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
PADDING = SPECIAL.index(PAD)
CHARACTER = r"[\s\S]"


def padded(encodings: Sequence[Encoding]) -> Tensor:
    """Token ids of several texts, padded at the end, (B, longest T)."""
    rows = [torch.tensor(encoding.ids) for encoding in encodings]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)


def phrase_tokenizers() -> tuple[Tokenizer, Tokenizer]:
    """Word tokenizers: "girl's" and "l'eau" are two words, "isn't" is read as "is not"."""
    english = _tokenizer(ENGLISH, ENGLISH_WORD, _tidy("n't", " not"))
    french = _tokenizer(FRENCH, FRENCH_WORD, _tidy())
    parts = [decoders.Replace(Regex("$"), " "), decoders.Fuse(), decoders.Replace("' ", "'")]
    french.decoder = decoders.Sequence([*parts, decoders.Strip(" ", 0, 1)])
    return _framed(english, f"$A {END}"), _framed(french, f"{BEGIN} $A {END}")


def date_tokenizers() -> tuple[Tokenizer, Tokenizer]:
    """Character tokenizers of written dates and ISO dates."""
    source = _tokenizer(SOURCE_CHARACTERS, CHARACTER, _tidy(strip=True))
    target = _tokenizer(TARGET_CHARACTERS, CHARACTER, _tidy(strip=True))
    target.decoder = decoders.Fuse()
    return _framed(source, f"$A {END}"), _framed(target, f"{BEGIN} $A {END}")


def _tokenizer(
    vocabulary: Iterable[str], pattern: str, normalizer: normalizers.Normalizer
) -> Tokenizer:
    """A tokenizer of the words that match a pattern. The text between them is dropped."""
    ids = {name: i for i, name in enumerate([*SPECIAL, *vocabulary])}
    tokenizer = Tokenizer(WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    tokenizer.add_special_tokens([*SPECIAL])
    return tokenizer


def _tidy(old: str = "", new: str = "", strip: bool = False) -> normalizers.Normalizer:
    """A normalizer: lower case, straight apostrophes, an optional replacement, single blanks."""
    steps = [normalizers.Lowercase(), normalizers.Replace("’", "'")]
    if old:
        steps.append(normalizers.Replace(old, new))
    if strip:
        steps += [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    return normalizers.Sequence(steps)


def _framed(tokenizer: Tokenizer, template: str) -> Tokenizer:
    """Add special tokens: heads can attend to the end token of a source if no word fits."""
    ids = [(name, SPECIAL.index(name)) for name in (BEGIN, END) if name in template]
    tokenizer.post_processor = processors.TemplateProcessing(template, special_tokens=ids)
    return tokenizer
