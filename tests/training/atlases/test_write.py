import hashlib
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

from model import LoadedModel
from model.analysis.grammar.atlas import read_atlas
from model.analysis.labels import label
from model.analysis.measures import profile
from model.catalogue.model_size import fingerprint
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import as_loaded
from model.transformer.config import EncoderConfig
from model.transformer.encoder import Encoder
from training.atlases.treebank import read_treebank
from training.atlases.write import main, write_atlas

# word/its head (from 1; 0 for the root)/relation
LINES = """\
The/2/det old/3/amod cat/4/nsubj slept/0/root ./4/punct
She/2/nsubj gave/0/root him/2/iobj the/5/det letter/2/obj ./2/punct
Rain/2/nsubj fell/0/root on/5/case the/5/det roof/2/obl and/8/cc the/8/det street/5/conj
Who/2/nsubj knows/0/root ?/2/punct
They/3/nsubj have/3/aux left/0/root already/3/advmod ,/3/punct I/7/nsubj think/3/parataxis ./3/punct
The/2/det bridge/4/nsubj was/4/cop unrepairable/0/root ./4/punct
Because/3/mark it/3/nsubj rained/6/advcl ,/6/punct we/6/nsubj stayed/0/root indoors/6/advmod
The/2/det teacher/4/nsubj who/4/nsubj sang/0/root the/6/det song/4/obj the/8/det song/6/conj
Twelve/2/nummod bottles/0/root ,/4/punct twelve/5/nummod glasses/2/conj and/7/cc bread/2/conj
I/2/nsubj want/0/root to/4/mark see/2/xcomp the/7/det blue/7/amod lake/4/obj again/4/advmod
Snow/0/root !/1/punct
Anna/4/nsubj 's/1/case new/4/amod job/0/root :/4/punct astrophysicist/4/appos
It/4/nsubj is/4/cop a/4/det pity/0/root that/7/mark you/7/nsubj missed/4/acl it/7/obj ./4/punct
Fresh/2/amod bread/3/nsubj smells/0/root good/3/xcomp ,/3/punct old/7/amod bread/3/conj not/7/advmod
""".splitlines()


def conllu(lines: list[str]) -> str:
    text = ""
    for line in lines:
        for i, cell in enumerate(line.split(), start=1):
            word, head, name = cell.split("/")
            text += f"{i}\t{word}\t_\t_\t_\t_\t{head}\t{name}\t_\t_\n"
        text += "\n"
    return text


@pytest.fixture
def corpus(tmp_path) -> Path:
    path = tmp_path / "ours.conllu"
    path.write_text(conllu(LINES))
    return path


def encoder(seed: int) -> LoadedModel:
    """4 layers of 3 heads and 11 tokens; some of the sentences are longer."""
    config = EncoderConfig(30_522, d_model=18, n_heads=3, d_ff=20, n_layers=4, max_len=11)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return as_loaded("tiny", Encoder(config), bert_tokenizer())


@pytest.fixture(scope="module")
def tiny() -> LoadedModel:
    return encoder(seed=5)


def slow_most_attended(capture, words: list[str]) -> np.ndarray:
    """The other word that a word attends to most, or -1: (L, H, n_words)."""
    pieces, begin = [], 0
    for word in words:
        letters = set(range(begin, begin + len(word)))
        spans = enumerate(capture.offsets)
        pieces.append([i for i, (start, end) in spans if letters & set(range(start, end))])
        begin += len(word) + 1
    read = [word for word in range(len(words)) if pieces[word]]
    found = np.full((*capture.weights.shape[:2], len(words)), -1)
    for head in np.ndindex(found.shape[:2]):
        for a in read:
            rows = capture.weights[head][pieces[a]]
            attention = {b: rows[:, pieces[b]].sum() for b in read if b != a}
            found[(*head, a)] = max(attention, key=attention.get, default=-1)
    return found


def test_the_survey_agrees_with_a_slow_computation(minilm, corpus, tmp_path):
    write_atlas(minilm, corpus, tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text())
    measured = defaultdict(list)
    hits = defaultdict(lambda: np.zeros((2, 6, 12), dtype=int))
    pairs, offsets = Counter(), defaultdict(Counter)
    for number, sentence in enumerate(read_treebank(corpus)):
        capture = minilm.attend(sentence.text)
        for name, values in profile(capture).items():
            if not np.isnan(values).all():
                measured[name].append(values)
        most = slow_most_attended(capture, sentence.words)
        found = zip(sentence.heads, sentence.relations, strict=True)
        for dependent, (governor, name) in enumerate(found):
            if name in ("root", "punct"):
                continue
            key = name, ["chosen", "reported"][number % 2]
            pairs[key] += 1
            offsets[key][governor - dependent] += 1
            hits[key][0] += most[..., dependent] == governor
            hits[key][1] += most[..., governor] == dependent

    assert set(written["means"]) == set(measured)
    assert 0 < len(measured["same"]) < 14  # some sentences contain no word twice
    for name, values in measured.items():
        mean = np.mean(values, axis=0)
        np.testing.assert_allclose(written["means"][name], mean, atol=1e-6, err_msg=name)
    assert {name for name, _ in pairs} == set(written["relations"])
    for name, halves in written["relations"].items():
        for half in ("chosen", "reported"):
            key, found = (name, half), halves[half]
            assert found["pairs"] == pairs[key]
            assert found["hits"] == hits[key].tolist()
            assert found["offsets"] == {str(k): n for k, n in offsets[key].items()}
    assert sum(pairs.values()) > 60


def test_the_atlas_describes_its_measurement(tiny, corpus, tmp_path):
    write_atlas(tiny, corpus, tmp_path / "out.json")
    text = (tmp_path / "out.json").read_text()
    written = json.loads(text)
    lengths = [len(line.split()) for line in LINES]
    tokens = [len(tiny.tokenizer.encode(s.text).ids) for s in read_treebank(corpus)]
    assert 0 < sum(count > 11 for count in tokens) < 14
    assert written["provenance"] == {
        "model": "tiny",
        "model_sha256": fingerprint(tiny.module),
        "corpus": "ours.conllu",
        "corpus_sha256": hashlib.sha256(corpus.read_bytes()).hexdigest(),
        "sentences": 14,
        "words": sum(lengths),
        "longest": max(lengths),
        "cut": sum(count > 11 for count in tokens),
    }
    assert text.endswith("}\n")
    assert (written["n_layers"], written["n_heads"]) == (4, 3)
    other = encoder(seed=5)
    assert fingerprint(other.module) == fingerprint(tiny.module)
    with torch.no_grad():
        other.outputs[3].bias[7] += 1e-6
    assert fingerprint(other.module) != fingerprint(tiny.module)


def command(corpus: Path, out: Path, model: str = "scratch-untrained") -> list[str]:
    return ["--model", model, "--treebank", str(corpus), "--out", str(out)]


def test_the_command_writes_an_atlas_that_can_be_read(corpus, tmp_path):
    folder = tmp_path / "atlases"
    folder.mkdir()
    assert main(command(corpus, folder / "scratch-untrained.json")) == 0
    found = read_atlas("scratch-untrained", folder)
    assert (found.model, found.corpus, found.sentences) == ("scratch-untrained", "ours.conllu", 14)
    assert {measure.shape for measure in found.means.values()} == {(6, 12)}
    assert found.labels[2][7] == label({name: m[2, 7] for name, m in found.means.items()})
    assert found.best_heads() == []  # no relation is frequent enough in 14 sentences
    corpus.write_text(conllu(LINES[3:4]))  # three words, all different
    assert main(command(corpus, folder / "short.json")) == 0
    means = read_atlas("short", folder).means
    assert np.isnan(means["same"]).all() and np.isfinite(means["next"]).all()


def test_errors_are_reported_in_words_before_the_measurement(corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(LoadedModel, "attend", None)
    empty, broken = tmp_path / "empty.conllu", tmp_path / "broken.conllu"
    empty.write_text("\n\n")
    broken.write_text(corpus.read_text() + "15\n\n")
    out = tmp_path / "out.json"
    for arguments, message in (
        (command(tmp_path / "gone.conllu", out), "There is no file"),
        (command(empty, out), "has no sentences"),
        (command(broken, out), f"Sentence 15 of {broken} is malformed: "),
        (command(corpus, tmp_path / "gone" / "out.json"), "There is no folder"),
        (command(corpus, tmp_path), "is a folder"),
    ):
        assert main(arguments) == 1
        assert message in capsys.readouterr().err
