"""A file of weights stands for a model on one side of a page, as long as this process keeps it."""

import io
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
import streamlit as st
from numpy.testing import assert_array_equal

from model import HeadlightError, open_capture
from model.analysis.intervention import Intervention
from web.cache import captures, loaded_models, uploaded_captures
from web.cache.shared_cache import SharedStore
from web.model_name import model_name
from web.subject import Subject
from web.widgets.head_summary import about_head
from web.widgets.view_code import head_code

TOKENS = ["<s>", "The", " cat", " s", "at"]
CAUSAL = np.tri(5, dtype=np.float32) / np.arange(1, 6, dtype=np.float32)[:, None]
WEIGHTS = np.tile(CAUSAL, (2, 3, 1, 1))  # (L, H, T, T)
RUN = "another text, which has no effect"


def npz(**changes: Any) -> bytes:
    file = io.BytesIO()
    special = [True, *[False] * 4]
    given = {"weights": WEIGHTS, "tokens": TOKENS, "special": special, **changes}
    np.savez(file, **{name: value for name, value in given.items() if value is not None})
    return file.getvalue()


@pytest.fixture
def side() -> Subject:
    return Subject("left", uploaded_captures.add(npz(), "my run.npz"), RUN)


def test_a_file_is_a_side_of_a_page(side: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_array_equal(side.capture().weights, WEIGHTS)
    assert side.capture() is captures.capture(side.model, "x", None)
    assert (side.name, model_name(side.model)) == ("my run.npz", "my run.npz")
    data = replace(side.capture(), origin={"weights_sha256": "forged"}).to_npz()
    found = uploaded_captures.capture(uploaded_captures.add(data, "forged.npz")).origin
    assert found == {"file": "forged.npz", "file_sha256": sha256(data).hexdigest()}
    assert side.labels == ["<s>", "The", " cat", " s", "at"]
    assert_array_equal(side.weights(1, 2), CAUSAL)
    assert_array_equal(side.all_weights(), WEIGHTS)
    assert_array_equal(side.allowed_in(1), np.tri(5, dtype=bool))
    words = replace(side, merge_words=True, special="renormalise")
    assert words.labels == ["The", " cat", "sat"]
    assert words.allowed().shape == (1, 3, 3)
    assert words.weights(0, 0)[0].tolist() == [1, 0, 0]
    assert captures.head_label(side.model, RUN, None, 0, 0).name == "broad"
    monkeypatch.setattr(st, "session_state", {"words": False, "special": "show"})
    assert Subject.from_session("left", side.model) == replace(side, text="The cat sat")


def test_equal_words_of_a_model_and_a_file_are_paired(side: Subject) -> None:
    unknown = replace(side, model=uploaded_captures.add(npz(special=None), "b.npz"))
    model = Subject("right", "minilm", "The cat was here.")
    for file in (side, unknown):
        assert file.counterparts([1, 2, 3], model) == (1, 2)
        assert model.counterparts([2, 3], file) == (2,)
    assert side.counterparts([1], replace(model, text="Nothing.")) == ()
    assert model.counterparts([2], replace(model, model="scratch")) == (2,)


def test_its_code_reads_the_file(side: Subject, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my run.npz").write_bytes(npz())
    found: dict[str, Any] = {}
    exec(head_code(replace(side, special="hide"), 1, 2).text, found)
    assert_array_equal(found["weights"], replace(side, special="hide").weights(1, 2))


def test_what_a_file_lacks_is_said_in_words(side: Subject) -> None:
    asked = [
        lambda: loaded_models.loaded_model(side.model),
        lambda: loaded_models.translator(side.model),
        lambda: captures.next_tokens(side.model, RUN),
        lambda: captures.residual_stream(side.model, RUN, None),
        lambda: captures.layer_maps(side.model, RUN, None, "norm"),
        replace(side, change=Intervention(frozenset({(0, 0)}))).capture,
    ]
    for ask in asked:
        with pytest.raises(HeadlightError, match=r"my run\.npz is a file of attention weights"):
            ask()
    unknown = replace(side, model=uploaded_captures.add(npz(special=None), "b.npz"))
    assert unknown.labels == side.labels
    assert "not recorded which tokens the model added" in about_head(unknown, 0, 0)[0]
    with pytest.raises(HeadlightError, match="not recorded which tokens the model added"):
        _ = replace(unknown, special="hide").units


def test_a_link_to_a_file_that_is_gone_says_so(side: Subject) -> None:
    for gone in ("file:0123456789abcdef:my run.npz", side.model.replace("my", "your"), "file:"):
        with pytest.raises(HeadlightError, match=r"not on this server any more.* Drop it"):
            captures.capture(gone, RUN, None)


def test_files_take_no_more_memory_than_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = SharedStore(2 * WEIGHTS.nbytes, lambda capture: capture.nbytes)
    monkeypatch.setattr(uploaded_captures, "_captures", kept)
    names = [uploaded_captures.add(npz(model=str(i)), f"{i}.npz") for i in range(3)]
    with pytest.raises(HeadlightError, match=r"file 0\.npz is not on this server"):
        uploaded_captures.capture(names[0])
    assert uploaded_captures.capture(names[2]).model == "2.npz"
    assert len(names[0]) < len(uploaded_captures.add(npz(), "x" * 1000)) < 100
    assert uploaded_captures.add(npz(), "a\nb\x00") == uploaded_captures.add(npz(), "ab")


def test_files_that_no_page_can_show_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploaded_captures, "MAX_UNPACKED", 10_000)
    cross = open_capture(WEIGHTS, TOKENS, list("abcde")).to_npz()
    wide = np.eye(513, dtype=np.float16)[None, None]
    for data, words in (
        (b"text", "not a capture"),
        (npz(weights=2 * WEIGHTS), "sum to 2"),
        (npz(weights=np.tile(WEIGHTS, (20, 1, 1, 1))), "unpacks to more than 10,000 bytes"),
        (cross, "tokens of one text"),
    ):
        with pytest.raises(HeadlightError, match=words):
            uploaded_captures.add(data, "it")
    monkeypatch.undo()
    for weights, tokens in ((wide, ["x"] * 513), (WEIGHTS, ["x" * 20_000] * 5)):
        with pytest.raises(HeadlightError, match="up to 8,192 heads and 512 tokens of 20,000"):
            uploaded_captures.add(npz(weights=weights, tokens=tokens, special=None), "it")
