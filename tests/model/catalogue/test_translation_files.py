"""The published files of a translator: their contents, and errors in words."""

import shutil

import pytest
import torch
from safetensors.torch import load_file

from model import HeadlightError
from model.catalogue import translation_files
from model.catalogue.encoder_files import FOLDER, unpacked


@pytest.fixture
def folder(tmp_path):
    """A copy of the translator's files. Its list is cached by folder."""
    for file in FOLDER.glob("phrases*"):
        shutil.copy(file, tmp_path)
    return tmp_path


def test_each_step_has_its_own_weights():
    first, *_, last = translation_files.translation("phrases").checkpoints
    for step, moment in ((None, last), (last.step, last), (first.step, first)):
        read = translation_files.translator("phrases", step)
        assert not read.training
        expected = unpacked(load_file(FOLDER / moment.file))
        assert read.state_dict().keys() == expected.keys()
        for name, weight in read.state_dict().items():
            assert weight.dtype == torch.float32
            assert torch.equal(weight, expected[name])
    with pytest.raises(HeadlightError, match=r"step 5\. Choose one of these steps: 0, \d+, "):
        translation_files.translator("phrases", 5)


def test_the_list_contains_the_measurements_and_each_side_its_tokenizer():
    listed = translation_files.translation("phrases")
    steps = [moment.step for moment in listed.checkpoints]
    assert steps == sorted(set(steps)) and steps[0] == 0
    assert listed.checkpoints[-1].exact > 0.9 > listed.checkpoints[0].exact
    assert all(0 <= right <= of for of, right in listed.patterns.values())
    english, french = translation_files.tokenizers("phrases")
    assert english.encode("The blue flower").tokens == ["the", "blue", "flower", "</s>"]
    assert french.decode([french.token_to_id(word) for word in ("l'", "eau")]) == "l'eau"


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
