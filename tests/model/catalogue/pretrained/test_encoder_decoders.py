"""Captures and generated text of encoder-decoders match transformers' own results."""

import json
import shutil
import warnings

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    DynamicCache,
    EncoderDecoderCache,
)

from model import HeadlightError, load_model
from model.catalogue.models import load_causal, load_reader, load_translator
from tests.model import checkpoints, encoder_decoder_checkpoints
from tests.model.encoder_decoder_checkpoints import (
    CODE,
    FAMILIES,
    PREFIX,
    STEPLESS,
    marian_vocabulary,
)

SENTENCE = "the animal was it, and the table too"
SIZES = {
    "t5": ((2, 3), (3, 3), 5),
    "t5-gated": ((2, 3), (3, 3), 5),
    "bart": ((2, 4), (3, 2), None),
    "m2m_100": ((2, 4), (3, 2), None),
    "marian": ((3, 2), (2, 4), None),
    "pegasus": ((2, 4), (3, 2), None),
    "plbart": ((2, 4), (3, 2), None),
    "umt5": ((2, 3), (3, 3), 5),
    "t5gemma": ((2, 4), (3, 6), 10),
}
"""Layers and heads of the encoder and of the decoder, and d_head if it is not d_model / heads."""

N_WRITTEN = 9


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("encoder_decoders")
    return {family: encoder_decoder_checkpoints.save(family, root / family) for family in FAMILIES}


@pytest.fixture(scope="module")
def translators(folders):
    return {family: load_translator(str(folder)) for family, folder in folders.items()}


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


def plain(folder):
    return AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").eval()


def stacks(translation):
    return {name: getattr(translation, name) for name in ("encoder", "decoder", "cross")}


@pytest.fixture(scope="module")
def written(family, translators):
    return translators[family].generate(SENTENCE, max_new_tokens=N_WRITTEN)


def generated(model, written):
    """The text that transformers generates, and the weights that it returns."""
    with torch.inference_mode():
        return model.generate(
            torch.tensor([written.encoder.token_ids]),
            max_new_tokens=N_WRITTEN,
            # The config has the number of encoder layers; it fails if the decoder has more.
            past_key_values=EncoderDecoderCache(DynamicCache(), DynamicCache()),
            num_beams=1,
            do_sample=False,
            output_attentions=True,
            return_dict_in_generate=True,
        )


@pytest.fixture(scope="module")
def theirs(family, folders, written):
    return generated(plain(folders[family]), written)


def test_generation_equals_transformers(family, translators, written, theirs):
    model, ids = translators[family], theirs.sequences[0].tolist()
    assert ids[0] == model.start == written.decoder.token_ids[0]
    assert list(written.tokens) == [model.token_name(id_) for id_ in ids[1:]]
    assert family == "t5" or len(set(ids)) > 3  # no endless repetition, which would hide errors
    assert written.ending == ("end" if ids[-1] in model.ends else "limit")


def test_the_weights_match_every_generation_step(family, folders):
    """A row of our single pass equals the row of their cached step.

    In double precision: products of other shapes round differently, and how depends on the CPU.
    """
    translator = load_translator(str(folders[family]))
    translator.module.double()
    written = translator.generate(SENTENCE, max_new_tokens=N_WRITTEN)
    theirs = generated(plain(folders[family]).double(), written)
    assert_allclose(written.encoder.weights, torch.cat(theirs.encoder_attentions), atol=1e-6)
    for capture, steps in (
        (written.decoder, theirs.decoder_attentions),
        (written.cross, theirs.cross_attentions),
    ):
        assert len(capture.tokens) == len(steps) > 3
        for number, step in enumerate(steps):
            row = torch.cat(step)[:, :, -1].numpy()  # (L, H, keys so far)
            assert_allclose(capture.weights[:, :, number, : row.shape[-1]], row, atol=1e-6)
            assert (capture.weights[:, :, number, row.shape[-1] :] == 0).all()
        assert capture.weights.std(axis=-1).mean() > 0.03  # uneven, so that an error shows


def test_q_k_scale_bias_and_mask_reproduce_the_weights_of_all_stacks(family, written):
    (le, he), (ld, hd), d_head = SIZES[family]
    shapes = {"encoder": (le, he), "decoder": (ld, hd), "cross": (ld, hd)}
    for name, capture in stacks(written).items():
        assert (capture.stack, capture.weights.shape[:2]) == (name, shapes[name])
        if family in STEPLESS:
            assert not capture.has_steps
            continue
        assert capture.q[0].shape[1:] == (capture.n_heads, d_head or 24 // capture.n_heads)
        for place in np.ndindex(*shapes[name]):
            steps = capture.head(*place)
            powers = np.exp(steps.masked_scores - steps.masked_scores.max(axis=-1, keepdims=True))
            softmax = powers / powers.sum(axis=-1, keepdims=True)
            assert_allclose(softmax, capture.weights[place], atol=1e-6)


def test_t5_does_not_scale_and_adds_a_bias_by_distance(translators):
    done = translators["t5"].generate(SENTENCE, max_new_tokens=N_WRITTEN)
    for capture in stacks(done).values():
        assert capture.scale == (1.0,) * capture.n_layers
    assert done.cross.bias is None
    for capture in (done.encoder, done.decoder):
        first, last = capture.bias[0], capture.bias[-1]
        assert np.shares_memory(first, last)  # shared, and counted once
        for distance in range(-3, 1):
            along = np.diagonal(first, distance, axis1=1, axis2=2)
            assert_allclose(along, along[:, :1].repeat(along.shape[1], 1))
        assert first.std() > 0.1
    table = translators["t5"].module.encoder.block[0].layer[0].SelfAttention.relative_attention_bias
    assert_allclose(done.encoder.bias[0][:, 0, 0], table.weight.detach()[0])
    bart = translators["bart"].generate(SENTENCE, max_new_tokens=3)
    assert all(each.scale is None and each.bias is None for each in stacks(bart).values())


@pytest.mark.parametrize("options", [{}, {"beams": 3}, {"temperature": 1.5, "seed": 3}], ids=str)
def test_each_step_has_the_models_next_token_probabilities(family, translators, folders, options):
    """With a cache, forced tokens and beam search: compared with one pass of transformers."""
    model = translators[family]
    word = model.token_name(9)
    done = model.generate(SENTENCE, max_new_tokens=6, forced={2: word}, **options)
    with torch.inference_mode():
        logits = plain(folders[family])(
            input_ids=torch.tensor([done.encoder.token_ids]),
            decoder_input_ids=torch.tensor([done.decoder.token_ids]),
        ).logits[0]
    if family == "marian":
        logits = torch.cat((logits[:, :-1], torch.full((len(logits), 1), -torch.inf)), dim=1)
    probabilities = logits.double().softmax(dim=-1)
    assert done.steps[2].token == word and done.steps[2].forced
    for row, step in zip(probabilities, done.steps, strict=True):
        assert_allclose(step.probability, row[model.token_id(step.token)], atol=1e-5)
        assert step.top_k[0][0] == model.token_name(int(row.argmax()))


def test_beam_search_finds_at_least_the_greedy_text(family, translators):
    """A separate pass over each text gives the log-probabilities that the search reports."""
    model = translators[family]
    best = model.generate(SENTENCE, max_new_tokens=5, beams=4).search[-1].kept
    for candidate in best[:2]:
        again = model.generate(
            SENTENCE, max_new_tokens=len(candidate.tokens), forced=dict(enumerate(candidate.tokens))
        )
        own = np.log([step.probability for step in again.steps])
        assert_allclose(candidate.log_probabilities, own, atol=1e-4)


def test_generation_settings_are_followed_or_listed(translators):
    bart, marian, t5 = (translators[family] for family in ("bart", "marian", "t5"))
    done = bart.generate(SENTENCE, max_new_tokens=4)
    assert (done.decoder.tokens[0], done.tokens[0], done.steps[0].forced) == ("</s>", "<s>", True)
    assert bart.generate(SENTENCE, max_new_tokens=2, forced={0: "the"}).tokens[0] == "the"
    requested = {"num_beams": 5, "forced_eos_token_id": 2, "bad_words_ids": [[5, 6]]}
    assert bart.ignored_settings == requested and not t5.ignored_settings
    assert marian.ends == {0, 12} and bart.ends == {2}
    assert "<pad>" not in marian.generate(SENTENCE, max_new_tokens=N_WRITTEN).tokens
    assert t5.task_prefixes == (PREFIX,)
    assert marian.task_prefixes == (f"{CODE} ",)


# Tokenisation and decoding.


@pytest.mark.parametrize("family", ["t5", "bart"])
def test_words_have_their_offsets_in_source_and_target(translators, family):
    model, text = translators[family], "it was"
    ids = model.target.encode(text, add_special_tokens=False).ids
    forced = dict(enumerate(map(model.token_name, ids)))
    done = model.generate("the Table", max_new_tokens=len(ids), forced=forced)
    assert done.text == text and "".join(done.tokens).strip() == text
    read, written = done.encoder, done.decoder
    assert next(read.text[a:b].strip() for a, b in read.offsets if b) == "the"
    spans = [written.text[a:b] for a, b in written.offsets]
    assert spans[0] == "" and "".join(spans) == "".join(text.split())[: len("".join(spans))]
    assert model.unknown_words("it Was ßß too") == (["W", "ßß"] if family == "t5" else [])


def test_marian_splits_with_one_file_and_numbers_with_another(translators):
    model, numbers = translators["marian"], marian_vocabulary()
    tokens = model.tokenize("  the dog   was a?")
    assert tokens.pieces == ("▁the", "▁dog", "▁was", "▁", "a", "?", "</s>")
    assert tokens.ids == tuple(numbers.get(piece, 1) for piece in tokens.pieces)
    assert tokens.ids[1] == 1  # one piece, read as unknown
    assert tokens.word_ids[-1] is None
    assert model.unknown_words("the dog Was") == ["dog", "W"]
    assert model.tokenize(f"{CODE} the").ids == (numbers[CODE], numbers["▁the"], 0)
    assert model.tokenize("chien").pieces[:2] == ("▁", "c")  # a piece of the other language
    forced = dict(enumerate([" chien", " the", "x", "</s>"]))
    done = model.generate("the", forced=forced)
    assert (done.text, done.ending) == ("chien thex", "end")


@pytest.mark.parametrize(
    "text",
    ["the dog was a", "  the dog   was a?", "it\twas.", f"{CODE} the animal", "ßthe", "a " * 9],
    ids=ascii,
)
def test_marians_ids_are_those_of_transformers(translators, folders, text):
    with warnings.catch_warnings(action="ignore"):  # recommends a library for Moses' rules
        theirs = AutoTokenizer.from_pretrained(folders["marian"])
    assert translators["marian"].tokenize(text).ids == tuple(theirs(text).input_ids)


# Loading by name, and refused folders.


def test_the_configuration_determines_the_kind_of_a_model(folders, tmp_path):
    folder = str(folders["t5"])
    assert load_model(folder).generate("the table", max_new_tokens=2).model == folder
    for load in (load_reader, load_causal):
        with pytest.raises(
            HeadlightError, match=r"reads one text and writes another. Open it on the Decoder"
        ):
            load(folder)
    bert = checkpoints.save("bert", tmp_path / "bert")
    with pytest.raises(HeadlightError, match="does not translate"):
        load_translator(str(bert))


@pytest.mark.parametrize(
    ("family", "changes", "why"),
    [
        ("t5", {"num_decoder_layers": 10**6}, "num_decoder_layers = 1,000,000"),
        ("bart", {"decoder_layers": 101}, "decoder_layers = 101"),
        ("bart", {"decoder_layers": 90, "decoder_attention_heads": 96}, "= 8,640"),
        ("t5", {"d_ff": 10**9}, "cannot read the weights"),
        ("marian", {"max_position_embeddings": 10**9}, "cannot read the weights"),
        ("t5", {"architectures": ["T5EncoderModel"]}, "T5EncoderModel"),
        ("t5", {"num_heads": 4}, "cannot read the weights"),
        ("t5", {"num_heads": None}, "cannot be read"),
        ("bart", {"decoder_layers": None}, "cannot be read"),
        ("t5", {"relative_attention_max_distance": 4}, "8 buckets for distances up to 4"),
        ("t5", {"decoder_start_token_id": 10**6}, "lacks the first token"),
        ("bart", {"encoder_layers": 3}, "are missing"),
    ],
    ids=str,
)
def test_a_configuration_that_contradicts_its_weights_is_refused(family, changes, why, tmp_path):
    folder = encoder_decoder_checkpoints.save(family, tmp_path / family)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))
    (folder / "generation_config.json").unlink()
    with pytest.raises(HeadlightError, match=why):
        load_translator(str(folder))


@pytest.mark.parametrize(
    ("model_type", "why"),
    [
        ("led", "cannot find the part of each layer"),
        ("longt5", "built in another way"),
        ("mvp", "cannot find the part of each layer"),
    ],
)
def test_attention_of_an_unknown_form_is_refused(model_type, why, tmp_path):
    folder = encoder_decoder_checkpoints.save_unread(model_type, tmp_path)
    with pytest.raises(HeadlightError, match=why):
        load_model(str(folder))


def test_an_encoder_decoder_of_speech_is_refused(tmp_path):
    AutoConfig.for_model("whisper").save_pretrained(tmp_path)
    for load in (load_model, load_translator):
        with pytest.raises(HeadlightError, match="does not know as a model of text"):
            load(str(tmp_path))


def test_the_configuration_of_each_side_is_checked(folders, tmp_path):
    folder = shutil.copytree(folders["t5gemma"], tmp_path / "t5gemma")
    declared = json.loads((folder / "config.json").read_text())
    changed = {**declared, "decoder": {**declared["decoder"], "num_hidden_layers": 10**6}}
    (folder / "config.json").write_text(json.dumps(changed))
    with pytest.raises(HeadlightError, match="num_hidden_layers = 1,000,000"):
        load_model(str(folder))


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (lambda folder: (folder / "source.spm").unlink(), "source.spm and vocab.json"),
        (lambda folder: (folder / "source.spm").write_bytes(b"spam"), "cannot read the tokenizer"),
        (
            lambda folder: (folder / "vocab.json").write_text('{"</s>": 0, "<unk>": 7}'),
            "cannot read the tokenizer",
        ),
        (
            lambda folder: (folder / "vocab.json").write_text(
                json.dumps({**marian_vocabulary(), "more": len(marian_vocabulary())})
            ),
            "another model",
        ),
    ],
    ids=["none", "no spm", "holes", "too many"],
)
def test_broken_marian_tokenizers_are_refused_in_words(tmp_path, broken, why):
    folder = encoder_decoder_checkpoints.save("marian", tmp_path / "marian")
    broken(folder)
    with pytest.raises(HeadlightError, match=why):
        load_translator(str(folder))


def test_a_long_text_is_refused_and_unknown_words_are_listed(translators):
    with pytest.raises(HeadlightError, match="too long"):
        translators["bart"].generate("it " * 60)
    assert translators["t5"].generate("ß ß", max_new_tokens=2).encoder.token_ids.count(2) == 2
