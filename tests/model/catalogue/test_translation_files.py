"""The published translators: their files, and their texts at the end of training and before."""

import shutil

import pytest
import torch
from safetensors.torch import load_file

from model import HeadlightError, load_model
from model.catalogue import translation_files
from model.catalogue.encoder_files import FOLDER, unpacked


def test_each_step_has_its_own_weights():
    first, *_, last = translation_files.translation("phrases").checkpoints
    for step, moment in ((None, last), (last.step, last), (first.step, first)):
        read = translation_files.translator("phrases", step)
        assert not read.training
        expected = unpacked(load_file(FOLDER / moment.file))
        assert read.state_dict().keys() == expected.keys()
        for name, weight in read.state_dict().items():
            assert weight.dtype == torch.float32 and torch.equal(weight, expected[name])
    with pytest.raises(HeadlightError, match=r"step 5\. Choose one of these steps: 0, \d+, "):
        translation_files.translator("phrases", 5)


def test_a_changed_or_missing_file_is_not_read(tmp_path):
    for file in FOLDER.glob("phrases*"):
        shutil.copy(file, tmp_path)
    for name, read in (
        ("phrases.safetensors", lambda: translation_files.translator("phrases", None, tmp_path)),
        ("phrases-target.json", lambda: translation_files.tokenizers("phrases", tmp_path)),
    ):
        changed = (tmp_path / name).read_bytes() + b" "
        (tmp_path / name).write_bytes(changed)
        with pytest.raises(HeadlightError, match=f"{name} differs from the published weights"):
            read()
    (tmp_path / name).unlink()
    with pytest.raises(HeadlightError, match=f"{name} differs"):
        read()


@pytest.mark.parametrize("text", [None, "{}", "{not json"])
def test_an_unreadable_list_is_an_error_in_words(tmp_path, text):
    if text is not None:
        (tmp_path / "phrases.json").write_text(text, encoding="utf-8")
    with pytest.raises(HeadlightError, match=r"damaged \(phrases\.json\)\. Fetch the repository"):
        translation_files.translator("phrases", None, tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [("phrases", "the blue flower", "la fleur bleue"), ("dates", "3rd of May, 2019", "2019-05-03")],
)
def test_the_published_translators_translate(name, text, expected):
    for options in ({}, {"beams": 4}):
        done = load_model(name).generate(text, **options)
        assert (done.model, done.text, done.ending) == (name, expected, "end")
