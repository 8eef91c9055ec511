import random
from dataclasses import replace

import pytest
import torch

from model.errors import HeadlightError
from model.transformer.config import DecoderConfig, EncoderConfig
from training.recipe import TranslatorRecipe
from training.translators import tasks
from training.translators.measure import alignment, answers, looks, loss_of
from training.translators.run import POOL, TranslatorRun
from training.translators.tasks import DataSizes, TranslationTask, task_named
from training.translators.tokenizers import PADDING
from training.translators.train import main


def tiny(task: TranslationTask, dropout: float = 0.2) -> DataSizes:
    shared = {"d_model": 24, "n_heads": 3, "d_ff": 20, "max_len": 40, "dropout": dropout}
    source, target = task.source.get_vocab_size(), task.target.get_vocab_size()
    return DataSizes(
        EncoderConfig(vocab_size=source, n_layers=1, **shared),
        DecoderConfig(vocab_size=target, n_layers=2, **shared),
    )


@pytest.fixture
def phrases() -> TranslationTask:
    return task_named("phrases")


def run_in(folder, task: TranslationTask, **options) -> TranslatorRun:
    given = {"steps": 40, "batch": 5, "warm_up": 3, "forget": 0.3, **options}
    return TranslatorRun(folder, task, TranslatorRecipe(task=task.name, **given), tiny(task))


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path):
    """Stopped within a pool of batches, and again in the next one; with dropout."""
    task = task_named("dates")
    whole = run_in(tmp_path / "whole", task)
    losses = [whole.step() for _ in range(POOL + 5)]
    parts = []
    for steps in (3, POOL, 2):
        run = run_in(tmp_path / "parts", task)
        parts += [run.step() for _ in range(steps)]
        torch.manual_seed(random.randrange(1000))  # other code may use the generator
        run.save()
    assert parts == losses
    assert run.progress.step == whole.progress.step == POOL + 5
    for one, other in zip(run.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_other_recipes_or_sizes_diverged_runs_and_unknown_tasks_are_refused(tmp_path, phrases):
    run_in(tmp_path, phrases).save()
    with pytest.raises(HeadlightError, match=r"another lr \(0.002\)"):
        run_in(tmp_path, phrases, lr=1e-3)
    run = run_in(tmp_path / "b", phrases, forget=1.0)
    run.save()
    with pytest.raises(HeadlightError, match="another decoder"):
        TranslatorRun(tmp_path / "b", phrases, run.recipe, tiny(phrases, 0.1))
    targets = torch.tensor([[1, 9, 200, 2, PADDING]])  # special tokens are never replaced
    assert run._forgotten(targets).tolist() == [[False, True, True, False, False]]
    with torch.no_grad():
        run.model.encoder.embeddings.token.weight.fill_(float("nan"))
    with pytest.raises(HeadlightError, match="diverged"):
        run.step()
    with pytest.raises(HeadlightError, match=r"no task songs\. Choose one .* phrases, dates"):
        task_named("songs")


def test_a_pool_is_sorted_by_length(tmp_path, phrases):
    run = run_in(tmp_path, phrases)
    batches = [run._batch(step) for step in range(POOL)]
    assert all(len(sources) == len(targets) == 5 for sources, targets in batches)
    rng = random.Random(0)
    drawn = [phrases.sample(rng) for _ in range(5 * POOL)]
    wanted = sorted(phrases.source.encode(example.source).ids for example in drawn)
    found = sorted([i for i in row if i] for sources, _ in batches for row in sources.tolist())
    assert found == wanted
    padding = sum(int((sources == PADDING).sum()) for sources, _ in batches)
    assert padding < 0.2 * sum(sources.numel() for sources, _ in batches)
    assert torch.equal(run._batch(3)[0], batches[3][0])  # independent of the batches before
    assert not torch.equal(run._batch(POOL)[0], batches[0][0])


def test_the_learning_rate_rises_and_falls():
    recipe = TranslatorRecipe(task="dates", steps=100, lr=1.0, warm_up=20)
    assert recipe.rate(0) == 0.05
    assert recipe.rate(19) == recipe.rate(20) == 1.0
    assert recipe.rate(60) == pytest.approx(0.5)
    assert recipe.rate(100) == pytest.approx(0.0)


def test_the_batch_size_does_not_change_the_measurements(tmp_path, phrases, monkeypatch):
    """A phrase alone, and with padding beside longer phrases: no token sees padding."""
    model = run_in(tmp_path, phrases).model.eval()
    examples = phrases.held_out()[:6]
    together = answers(model, phrases, examples), loss_of(model, phrases, examples)
    shares, count = alignment(model, phrases, examples)
    rows = [row for *_, row in looks(model, phrases, examples)]
    assert count == len(rows) == sum(bool(s) for example in examples for s in example.sources)
    monkeypatch.setattr("training.translators.measure.BATCH", 1)
    assert answers(model, phrases, examples) == together[0]
    assert loss_of(model, phrases, examples) == pytest.approx(together[1], abs=1e-5)
    assert alignment(model, phrases, examples)[0] == pytest.approx(shares)
    for (example, place, row), whole in zip(looks(model, phrases, examples), rows, strict=True):
        assert 0 <= place < len(example.sources)
        assert row == pytest.approx(whole[..., : row.shape[-1]], abs=1e-5)


def test_the_command_can_be_interrupted_and_resumed(tmp_path, monkeypatch):
    task = task_named("phrases")
    small = replace(task, sizes=tiny(task), checkpoints=(0, 2))
    monkeypatch.setitem(tasks.TASKS, "phrases", lambda: small)
    arguments = ["--task", "phrases", "--out", str(tmp_path), "--steps", "4", "--batch", "3"]
    assert main([*arguments, "--pause-at", "1"]) == 0
    assert main(arguments) == 0
    assert torch.load(tmp_path / "state.pt", weights_only=True)["progress"]["step"] == 4
    names = [file.name for file in sorted((tmp_path / "snapshots").iterdir())]
    assert names == ["step-0000000.safetensors", "step-0000002.safetensors"]
