"""Pages show models of types that no family describes; a part that lacks something names it."""

import pytest
from transformers import AutoConfig, AutoModelForMaskedLM

from tests.model import checkpoints, encoder_decoder_checkpoints, general_checkpoints
from tests.model.general_checkpoints import WITHOUT_OUTPUTS
from tests.pages.test_models import messages_on, visit

TYPES = ("gpt_neox", "cohere", "xlm-roberta", "bloom", "codegen", "mpnet", "xlnet")
"""Two decoders, one without a known language head, an encoder, and four that lack q, k and v."""

VIEWS = [
    ("", {}),
    *(("layers", {"part": part}) for part in ("layers", "profile", "similarity", "difference")),
    *(("layers", {"part": part}) for part in ("stream", "lens")),
    *(("layers", {"part": "layers", "kind": kind}) for kind in ("mean", "rollout", "norm")),
    *(("heads", {"part": part}) for part in ("labels", "links", "corpus", "change")),
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
    assert not session.error
    assert folder in {box.value for box in session.selectbox}


STEPS, OUTPUTS = "not its queries, keys and values", "output matrices (W^O)"
LAYERS, HEAD, POSITIONS = "parts of the layers", "parts of the language head", "position vectors of"
STEPLESS = ("bloom", "codegen", "mpnet", "xlnet")
NO_HEAD = "Neither model has a language head"
LACKS = [
    ("layers", {"part": "stream"}, dict.fromkeys(TYPES, LAYERS)),
    (
        "layers",
        {"part": "lens"},
        {
            **dict.fromkeys(("gpt_neox", "bloom", "codegen"), LAYERS),
            "cohere": HEAD,
            **dict.fromkeys(("xlm-roberta", "mpnet", "xlnet"), NO_HEAD),
        },
    ),
    (
        "layers",
        {"part": "layers", "kind": "norm"},
        {**dict.fromkeys(STEPLESS, STEPS), **dict.fromkeys(WITHOUT_OUTPUTS, OUTPUTS)},
    ),
    ("calculator", {"mode": "head"}, dict.fromkeys(STEPLESS, STEPS)),
    ("positions", {"kind": "learned"}, dict.fromkeys(TYPES, POSITIONS)),
    ("heads", {"part": "change"}, dict.fromkeys(WITHOUT_OUTPUTS, OUTPUTS)),
    ("model", {"zoom": "layer"}, dict.fromkeys(WITHOUT_OUTPUTS, OUTPUTS)),
    (
        "model",
        {"zoom": "score"},
        {**dict.fromkeys(STEPLESS, STEPS), **dict.fromkeys(WITHOUT_OUTPUTS, OUTPUTS)},
    ),
]
"""By view, what it lacks of each type; types that are left out lack nothing."""


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize(("page", "view", "lacks"), LACKS, ids=str)
def test_a_view_names_the_one_thing_that_it_lacks(folders, model_type, page, view, lacks):
    folder = folders[model_type]
    session = visit(page, text="the animal was it", left=folder, right=folder, **view)
    named = [
        lack
        for lack in (STEPS, OUTPUTS, LAYERS, HEAD, POSITIONS, NO_HEAD)
        if lack in messages_on(session)
    ]
    assert named == [lacks[model_type]] if model_type in lacks else not named


def test_a_masked_language_head_of_unknown_parts_is_named(tmp_path):
    config = AutoConfig.for_model("xlm-roberta", vocab_size=99, **general_checkpoints.PLAIN)
    module = AutoModelForMaskedLM.from_config(config)
    folder = str(checkpoints.write(tmp_path, module, checkpoints.word_piece()))
    session = visit("layers", part="lens", text="it was", left="minilm", right=folder)
    assert HEAD in messages_on(session)


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
