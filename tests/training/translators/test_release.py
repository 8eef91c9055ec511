from dataclasses import replace

import numpy as np
import pytest
import torch

from model.catalogue import translation_files
from tests.training.translators.test_run import tiny
from training.recipe import TranslatorRecipe
from training.translators import release, tasks
from training.translators.measure import aligned, alignment, answers, loss_of
from training.translators.report import report
from training.translators.run import TranslatorRun
from training.translators.tasks import task_named

NAMES = translation_files.TASK_NAMES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The release of a run of three steps."""
    tmp_path, task = tmp_path_factory.mktemp("release"), task_named("phrases")
    small = replace(task, sizes=tiny(task), checkpoints=(0, 2, 90))
    run = TranslatorRun(tmp_path / "run", small, TranslatorRecipe(task="phrases", steps=3, batch=4))
    run.snapshot()
    for _ in range(3):
        run.step()
        run.snapshot()
    run.save()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "phrases-000007.safetensors").touch()  # from an earlier run
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tasks.TASKS, "phrases", lambda: small)
        release.ship(tmp_path / "run", tmp_path / "out", task.held_out()[:6])
    yield tmp_path / "out"
    translation_files.translation.cache_clear()


def test_a_release_can_be_read(folder):
    listed = translation_files.translation("phrases", folder)
    assert [moment.step for moment in listed.checkpoints] == [0, 2, 3]
    kept = {"phrases-000000.safetensors", "phrases-000002.safetensors", "phrases.safetensors"}
    assert {file.name for file in folder.glob("*.safetensors")} == kept
    assert listed.held_out == sum(count for count, _ in listed.patterns.values()) == 6
    assert listed.decoder.n_layers == 2
    last = translation_files.weights("phrases", folder=folder)
    trained = torch.load(folder.parent / "run" / "state.pt", weights_only=True)["model"]
    for name, weight in trained.items():
        assert torch.equal(last[name], weight.half().float())
    model = translation_files.translator("phrases", 2, folder)
    assert not model.training
    source, target = translation_files.tokenizers("phrases", folder)
    assert source.encode("the cat").tokens == ["the", "cat", "</s>"]
    assert target.decode(target.encode("l'eau").ids) == "l'eau"


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_translators_reproduce_their_published_measurements(name):
    """Measures a part of the held-out examples again; ``evaluate`` measures all."""
    listed, task = translation_files.translation(name), task_named(name)
    examples = task.held_out()
    assert release.sha256_of(examples) == listed.held_out_sha256
    assert listed.held_out == len(examples)
    model, some = translation_files.translator(name), examples[:60]
    found = answers(model, task, some)
    assert sum(a.target == b for a, b in zip(some, found, strict=True)) >= 59
    last = listed.checkpoints[-1]
    right = sum(right for _, right in listed.patterns.values())
    assert right == pytest.approx(last.exact * len(examples)) and last.exact >= 0.995
    assert loss_of(model, task, some) == pytest.approx(last.loss, abs=0.02)
    if aligned(some):
        shares, _ = alignment(model, task, some)
        assert shares == pytest.approx(np.array(last.alignment), abs=0.05)
    assert (listed.encoder, listed.decoder) == (task.sizes.encoder, task.sizes.decoder)
    shipped = [tokenizer.to_str() for tokenizer in translation_files.tokenizers(name)]
    assert shipped == [task.source.to_str(), task.target.to_str()]
    card = (translation_files.FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"{round(last.exact * len(examples)):,} of {len(examples):,} held-out ones" in card


def test_the_report_has_a_table_for_each_kind():
    task = task_named("phrases")
    text = report(task, examples=task.held_out()[:8])
    for part in (
        "parameters",
        "of 4,000",
        "| layer 1 |",
        "best: {",
        "she sees the cat",
        "senseless",
    ):
        assert part in text
