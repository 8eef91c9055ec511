"""Names of local folders in a model picker, which give their models."""

from web.model_name import picked_model, picker_name


def test_two_runs_differ_in_the_letters_that_a_picker_shows_and_a_name_gives_its_model() -> None:
    folders = [f"/home/reader/experiments/models/{run}/last" for run in ("run-1", "run-2")]
    shown = [picker_name(folder)[:20] for folder in folders]
    assert shown[0].startswith("run-1/last") and shown[0] != shown[1]
    folders += ["/data/a/model", "/data/old (2024)/a (b)/c", "/a", "/a/b"]
    for model in (*folders, "owner/name", "minilm", "a (b)", "file:0a1:my (1): run.npz"):
        assert picked_model(picker_name(model)) == model
