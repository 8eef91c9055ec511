"""The Heads page with tiny decoders of random weights."""

import re

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from model import load_model
from model.analysis.induction import attend_to_repeated
from model.analysis.labels import labels
from model.analysis.measures import profile
from model.capture.attention_hooks import HeadsOff
from model.catalogue.causal import LoadedCausal
from pages.heads.predictions import spelled
from tests.model import decoder_checkpoints
from tests.pages.figures import tables, weights, words_on, z
from tests.pages.test_heads import open_page, table_with
from viz.style.labels import percent
from web.cache import captures
from web.widgets import label_names
from web.widgets.head_picker import head_name

TEXT = "the cat, the dog. the cat"


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> str:
    """A decoder with six heads on two key/value heads, and space for four random sequences."""
    folder = tmp_path_factory.mktemp("decoders") / "base"
    return str(decoder_checkpoints.save("llama", folder, max_position_embeddings=128))


@pytest.fixture(scope="module")
def model(base: str) -> LoadedCausal:
    return load_model(base)


def test_the_labels_of_a_decoder_are_its_own_and_include_random_tokens(
    base, model, tmp_path
) -> None:
    page = open_page(part="labels", left=base, side="left", text=TEXT)
    ours = tables(page)[0].set_index("head")
    heads = [head_name(*at) for at in np.ndindex(3, 6)]
    names = label_names.labels()
    here = captures.head_labels(base, TEXT, None)
    assert ours.loc[heads, "does"].tolist() == [names[each.name] for row in here for each in row]
    on_random = labels(profile(attend_to_repeated(model)))
    expected = [names[label.name] for row in on_random for label in row]
    assert ours.loc[heads, "corpus"].tolist() == expected
    for layer, row in enumerate(here):  # a page computes one
        assert [captures.head_label(base, TEXT, None, layer, i) for i in range(6)] == list(row)
    page = open_page(part="labels", left=base, side="left", text=TEXT, labels="next.previous")
    offered = page.multiselect(key="labels_wanted").options
    assert {"induction", "first token"} <= set(offered)
    assert not {"next token", "same word", "[CLS]"} & set(offered)
    assert page.address["labels"] == "previous"
    small = str(decoder_checkpoints.save("gpt2", tmp_path / "small"))
    page = open_page(left=small, text=TEXT, side="left", layer="0", head="0")
    assert "too small for 25 random tokens" in words_on(page)
    page = open_page(part="labels", left="smollm2", side="left", text=TEXT)
    assert "induction" in set(tables(page)[0]["corpus"])


def test_a_link_to_a_later_token_is_explained_and_can_be_reversed(base) -> None:
    page = open_page(part="links", left=base, right=base, text=TEXT, query="1", key="4")
    assert "no token sees a later token" in words_on(page)
    assert not [table for table in tables(page) if "times" in table]
    page.button(key="links_turned").click().run()
    assert (page.address["query"], page.address["key"]) == ("4", "1")
    table = table_with(page, "times")
    assert table["weight"][0] == pytest.approx(weights(base, TEXT)[..., 4, 1].max(), abs=1e-6)
    np.testing.assert_allclose(table["weight"] / table["times"], 1 / 5)  # the fifth token sees five


def test_switching_heads_off_changes_the_next_token(base, model) -> None:
    wanted = {"off": "0-1.1-4", "how": "uniform", "behind": "4"}
    page = open_page(part="change", left=base, side="left", text=TEXT, **wanted)
    tokens = model.tokenize(TEXT)
    off = HeadsOff(frozenset({(0, 1), (1, 4)}), "uniform", model.d_head, "decoder")

    def logits(ids, _segments):
        return model.module(input_ids=ids, use_cache=False).logits

    runs = [model.run_recorded(tokens, logits, each)[1].softmax(-1).numpy() for each in (None, off)]
    shown = table_with(page, "token")
    names_of = [spelled(model, id_) for id_ in range(len(runs[0][4]))]
    ids = [names_of.index(words) for words in shown["token"]]
    probabilities = shown.drop(columns="token").to_numpy().T
    np.testing.assert_allclose(probabilities, [run_[4][ids] for run_ in runs], atol=1e-6)
    first = runs[0][4].argmax()
    said = re.sub(r"[*]", "", words_on(page)).split("With these 2 heads, ")[1].split("\n")[0]
    assert names_of[first] in said and "““" not in said
    assert percent(float(runs[1][4][first])) in said


def test_a_further_trained_decoder_is_compared_with_its_base(base, model, tmp_path) -> None:
    made = AutoModelForCausalLM.from_pretrained(base)
    torch.manual_seed(5)
    with torch.no_grad():
        for weight in made.parameters():
            weight += 0.1 * weight.std() * torch.randn_like(weight)
    further = str(decoder_checkpoints.write(tmp_path, made, model.tokenizer))
    page = open_page(part="tuned", left=base, right=further, text=TEXT, layer="2", head="3")
    changed = weights(further, TEXT) - weights(base, TEXT)
    np.testing.assert_allclose(z(page), changed[2, 3], atol=1e-6)
    ids = torch.tensor([model.tokenize(TEXT).ids])
    runs = [load_model(each).predictor.next_logits(ids, None)[0] for each in (base, further)]
    shown = table_with(page, "token")
    ids = [spelled(model, id_) for id_ in range(len(runs[0]))]
    for run_, (_name, found) in zip(runs, shown.drop(columns="token").items(), strict=True):
        chances = run_.softmax(-1).numpy()[[ids.index(each) for each in shown["token"]]]
        np.testing.assert_allclose(found, chances, atol=1e-6)
