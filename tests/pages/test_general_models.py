"""Pages show models of types that no family describes; a part that lacks something names it."""

from functools import cache

import pytest

from tests.model import encoder_decoder_checkpoints, general_checkpoints
from tests.pages.figures import words_on
from tests.pages.visit import Visit, open_page

STEPS, OUTPUTS = "not its queries, keys and values", "output matrices (Wᴼ)"
LAYERS = "add in each layer"
NO_HEAD = "has no output layer for tokens"
LACKS = {STEPS, OUTPUTS, LAYERS, NO_HEAD}

# Each view with a type that has all it needs, and with one for each thing that a type can lack.
# Two decoders (gpt_neox and cohere), an encoder (xlm-roberta), and four without known q, k and v:
# bloom, mpnet, and codegen and xlnet, which also lack W^O.
VIEWS = [
    ("", {}, "bloom", None),
    ("layers", {"part": "layers", "kind": "rollout"}, "xlnet", None),
    ("layers", {"part": "layers", "kind": "norm"}, "gpt_neox", None),
    ("layers", {"part": "layers", "kind": "norm"}, "bloom", STEPS),
    ("layers", {"part": "layers", "kind": "norm"}, "xlnet", OUTPUTS),
    ("layers", {"part": "layers"}, "mpnet", None),
    ("layers", {"part": "stream"}, "mpnet", None),
    ("layers", {"part": "stream"}, "xlnet", LAYERS),
    ("layers", {"part": "lens"}, "cohere", None),
    ("layers", {"part": "lens"}, "codegen", None),
    ("layers", {"part": "lens"}, "xlm-roberta", NO_HEAD),
    ("heads", {"part": "change"}, "bloom", None),
    ("heads", {"part": "change"}, "xlnet", OUTPUTS),
    ("model", {"zoom": "layer"}, "mpnet", None),
    ("model", {"zoom": "head"}, "codegen", OUTPUTS),
    ("model", {"zoom": "score"}, "xlm-roberta", None),
    ("model", {"zoom": "score"}, "bloom", STEPS),
    ("calculator", {"mode": "head"}, "cohere", None),
    ("calculator", {"mode": "head"}, "mpnet", STEPS),
]


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    root = tmp_path_factory.mktemp("general")
    return cache(lambda name: str(general_checkpoints.save(name, root / name)))


def drawn(page: Visit, folder: str) -> bool:
    return not page.error and folder in {box.value for box in page.selectbox}


@pytest.mark.parametrize(("page", "view", "model_type", "lack"), VIEWS, ids=str)
def test_a_view_draws_the_model_and_names_the_one_thing_that_it_lacks(
    folder_of, page, view, model_type, lack
):
    folder = folder_of(model_type)
    visit = open_page(page, text="the animal was it", left=folder, right=folder, **view)
    assert drawn(visit, folder)
    assert {each for each in LACKS if each in words_on(visit)} == ({lack} if lack else set())


def test_a_hybrid_has_its_true_layers_and_the_others_are_listed(folder_of):
    folder = folder_of("jamba")
    shown = {"text": "the animal was it", "left": folder, "right": folder, "layer": "3"}
    missing = "No attention: L0, L2. These layers mix tokens in another way."
    for page in ("", "layers"):
        visit = open_page(page, **shown)
        sent = b"".join(node.proto.SerializeToString() for node in visit.get("bidi_component"))
        assert sent.count(missing.encode()) == 2
    visit = open_page("layers", kind="rollout", **shown)
    assert words_on(visit).count("also mixes tokens without attention") == 2
    visit = open_page("heads", part="links", **{**shown, "layer": "2"})
    assert missing in words_on(visit) and not visit.error


def test_the_decoder_page_draws_it(folder_of, tmp_path):
    folder = folder_of("gpt_neox")
    page = open_page("decoder", part="generate", model=folder, text="the animal")
    assert drawn(page, folder)
    assert "generation" in [node.key for node in page.get("bidi_component")]
    folder = str(encoder_decoder_checkpoints.save("t5gemma", tmp_path / "t5gemma"))
    page = open_page("decoder", part="translate", model=folder, text="it was", stack="cross")
    assert drawn(page, folder)
    assert "decoding" in [node.key for node in page.get("bidi_component")]
    page = open_page("calculator", mode="head", stack="cross", translator=folder, source="it was")
    assert not page.error and STEPS in words_on(page)
