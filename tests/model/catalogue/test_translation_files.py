"""The published files of a translator: their contents, and errors in words."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from model import DecoderConfig, EncoderConfig, EncoderDecoder, HeadlightError
from model.catalogue import translation_files
from tests.model.catalogue.test_translator import ENGLISH, FRENCH, SPECIAL, source, target

SIZES = {"d_model": 12, "n_heads": 2, "d_ff": 20, "n_layers": 1, "max_len": 9}
ENCODER = EncoderConfig(len(SPECIAL) + len(ENGLISH), **SIZES)
DECODER = DecoderConfig(len(SPECIAL) + len(FRENCH), **SIZES)
FILES = {
    0: "phrases-000000.safetensors",
    300: "phrases-000300.safetensors",
    900: "phrases.safetensors",
}


def network(step: int) -> EncoderDecoder:
    made = EncoderDecoder(ENCODER, DECODER)
    made.initialise(torch.Generator().manual_seed(step))
    return made


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A translator of three checkpoints. Its list is cached by folder."""
    cutting = {}
    for side, tokenizer in (("source", source()), ("target", target())):
        file = tmp_path / f"phrases-{side}.json"
        file.write_text(tokenizer.to_str(), encoding="utf-8")
        cutting[file.name] = sha256(file)
    moments = []
    for step, name in FILES.items():
        state = {n: w.half().contiguous() for n, w in network(step).state_dict().items()}
        save_file(state, tmp_path / name)
        measured = {"loss": 1.5, "exact": 0.25, "alignment": [[0.5, 0.75, 0.625]]}
        moments.append({"step": step, "file": name, "sha256": sha256(tmp_path / name), **measured})
    listed = {
        "task": "phrases",
        "encoder": dataclasses.asdict(ENCODER),
        "decoder": dataclasses.asdict(DECODER),
        "tokenizers": cutting,
        "checkpoints": moments,
        "held_out": 40,
        "held_out_sha256": "0",
        "patterns": {"noun phrase": [40, 10]},
        "best": {},
        "examples": ["the blue flower"],
        "recipe": {},
        "seconds": 9.5,
    }
    (tmp_path / "phrases.json").write_text(json.dumps(listed), encoding="utf-8")
    return tmp_path


def test_the_list_its_tokenizers_and_the_weights_of_each_step_are_read(folder):
    for step, same in ((None, 900), (900, 900), (300, 300), (0, 0)):
        read = translation_files.translator("phrases", step, folder)
        assert not read.training
        for name, weight in network(same).state_dict().items():
            assert read.state_dict()[name].dtype == torch.float32
            assert torch.equal(read.state_dict()[name], weight.half().float())
    with pytest.raises(HeadlightError, match=r"step 5\. Choose one of these steps: 0, 300, 900"):
        translation_files.translator("phrases", 5, folder)
    english, french = translation_files.tokenizers("phrases", folder)
    assert english.encode("The blue flower").tokens == ["the", "blue", "flower", "</s>"]
    assert french.decode([french.token_to_id(word) for word in ("l'", "eau")]) == "l'eau"
    listed = translation_files.translation("phrases", folder)
    assert [moment.step for moment in listed.checkpoints] == [0, 300, 900]
    assert listed.checkpoints[1].exact == 0.25
    assert listed.patterns == {"noun phrase": (40, 10)}
    assert (listed.encoder, listed.decoder) == (ENCODER, DECODER)


@pytest.mark.parametrize(
    ("name", "how"), [("phrases.safetensors", "changed"), ("phrases-target.json", "missing")]
)
def test_a_changed_file_is_not_read(folder, name, how):
    file = folder / name
    if how == "missing":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(HeadlightError, match=f"{name} differs from the published weights"):
        translation_files.translator("phrases", None, folder)
        translation_files.tokenizers("phrases", folder)


@pytest.mark.parametrize("text", [None, "[]", "{}", "{not json", '{"checkpoints": 3}'])
def test_an_unreadable_list_is_an_error_in_words(tmp_path, text):
    if text is not None:
        (tmp_path / "phrases.json").write_text(text, encoding="utf-8")
    with pytest.raises(HeadlightError, match=r"damaged \(phrases\.json\)\. Fetch the repository"):
        translation_files.translator("phrases", None, tmp_path)
