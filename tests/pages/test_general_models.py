"""Pages show models of types that no family describes; a part that lacks something names it."""

import pytest

from tests.model import encoder_decoder_checkpoints, general_checkpoints
from tests.model.general_checkpoints import WITHOUT_OUTPUTS
from tests.pages.test_models import messages_on, visit

TYPES = ("gpt_neox", "cohere", "xlm-roberta", "bloom", "codegen", "mpnet", "xlnet")
"""Two decoders, one without a known language head, an encoder, and four that lack q, k and v."""

VIEWS = [
    ("", {}),
    *(("layers", {"part": part}) for part in ("layers", "profile", "similarity", "difference")),
    *(("layers", {"part": part}) for part in ("stream", "lens")),
    *(("layers", {"part": "layers", "kind": kind}) for kind in ("mean", "rollout", "norm")),
    *(("heads", {"part": part}) for part in ("labels", "links", "map", "corpus", "change")),
    *(("model", {"zoom": zoom}) for zoom in ("whole", "layer", "head", "score")),
    ("calculator", {"mode": "head"}),
    ("positions", {"kind": "learned"}),
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("general")
    return {
        model_type: str(general_checkpoints.save(model_type, root / model_type))
        for model_type in TYPES
    }


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize(("page", "view"), VIEWS, ids=str)
def test_every_part_draws_it(folders, model_type, page, view):
    folder = folders[model_type]
    session = visit(page, text="the animal was it", left=folder, right=folder, **view)
    if model_type in WITHOUT_OUTPUTS and view == {"part": "change"}:
        assert {"output matrices" in error.value for error in session.error} == {True}
    else:
        assert not session.error
    assert folder in {box.value for box in session.selectbox}


def test_generate_continues_a_text_with_it(folders):
    session = visit("decoder", part="generate", decoder=folders["gpt_neox"], prompt="the animal")
    assert not session.error


@pytest.mark.parametrize("model_type", ["pegasus", "t5gemma"])
@pytest.mark.parametrize("stack", ["encoder", "decoder", "cross"])
def test_every_stack_of_an_encoder_decoder_is_drawn(tmp_path, model_type, stack):
    folder = str(encoder_decoder_checkpoints.save(model_type, tmp_path / model_type))
    session = visit("decoder", part="translate", model=folder, text="it was", stack=stack)
    assert not session.error
    assert folder in {box.value for box in session.selectbox}
    assert [node for node in session.get("bidi_component") if node.key == "decoding"]


def test_the_calculator_names_what_an_encoder_decoder_lacks(tmp_path):
    folder = str(encoder_decoder_checkpoints.save("t5gemma", tmp_path / "t5gemma"))
    session = visit("calculator", mode="head", stack="cross", translator=folder, source="it was")
    assert not session.error
    assert "not its queries, keys and values" in messages_on(session)
