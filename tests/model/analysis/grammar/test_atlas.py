"""Atlases: reading a file, the relation of a head, and the shipped files."""

import json
from pathlib import Path

import numpy as np
import pytest

from model import HeadlightError, load_model
from model.analysis.grammar.atlas import FOLDER, read_atlas
from model.analysis.measures import profile
from model.catalogue.model_size import fingerprint


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "atlases"
    path.mkdir()
    return path


def written(folder: Path, relations: dict) -> None:
    """Write an atlas of 2 layers and 5 heads."""
    empty = {"pairs": 0, "hits": np.zeros((2, 2, 5), dtype=int).tolist(), "offsets": {}}
    halves = {
        name: {"chosen": empty, "reported": empty, **each} for name, each in relations.items()
    }
    origin = {"model": "made", "model_sha256": "m", "corpus": "c", "corpus_sha256": "c"}
    content = {
        "provenance": {**origin, "sentences": 3, "words": 7, "longest": 4, "cut": 0},
        "n_layers": 2,
        "n_heads": 5,
        "means": {"entropy": np.ones((2, 5)).tolist()},
        "relations": halves,
    }
    (folder / "made.json").write_text(json.dumps(content))


def test_a_model_without_an_atlas_has_none_and_names_are_not_paths(folder):
    written(folder.parent, {})
    for name in ("made", "../made", str(folder.parent / "made"), "", "a\0b", "owner/name"):
        assert read_atlas(name, folder) is None
    assert read_atlas("bert-base-uncased") is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-9],
        lambda text: "[]",
        lambda text: text.replace('"n_heads": 5', '"n_heads": 4'),
        lambda text: text.replace('"pairs"', '"pears"'),
    ],
)
def test_a_broken_atlas_is_an_error_in_words(folder, change):
    written(folder, {"obj": {}})
    assert read_atlas("made", folder).sentences == 3
    (folder / "made.json").write_text(change((folder / "made.json").read_text()))
    with pytest.raises(HeadlightError, match=r"The atlas .*made\.json is damaged"):
        read_atlas("made", folder)


def test_an_atlas_is_read_once_and_is_read_only(folder):
    written(folder, {"obj": {}})
    found = read_atlas("made", folder)
    assert read_atlas("made", folder) is found
    with pytest.raises(ValueError, match="read-only"):
        found.means["entropy"][0, 0] = 2
    with pytest.raises(ValueError, match="read-only"):
        found.relations.selection["obj"].hits += 1


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_a_shipped_atlas_belongs_to_the_shipped_model(file):
    model = load_model(file.stem)
    found = read_atlas(file.stem)
    assert found.model == file.stem
    assert found.model_sha256 == fingerprint(model.module)
    assert set(found.means) == set(profile(model.attend("The cat saw the dog.")))
    assert {mean.shape for mean in found.means.values()} == {(model.n_layers, model.n_heads)}
    assert (found.corpus, found.sentences, found.words) == ("en_ewt-ud-dev.conllu", 2001, 25147)
    assert file.stat().st_size < 150_000
    assert len(found.best_heads()) > 20


def test_heads_of_minilm_follow_grammar_and_untrained_heads_do_not():
    trained, untrained = read_atlas("minilm"), read_atlas("scratch-untrained")
    best = trained.best_heads()[0]
    assert best.relation == "obj"
    assert best.accuracy == pytest.approx(0.749, abs=5e-4)
    assert best.lead > 0.3
    heads = [(layer, head) for layer in range(6) for head in range(12)]
    assert sum(trained.followed_relation(*head) is not None for head in heads) > 20
    assert not any(untrained.followed_relation(*head) for head in heads)
