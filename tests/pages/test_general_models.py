"""Pages show models of types that no family describes; a part that lacks something names it."""

import pytest

from tests.model import general_checkpoints
from tests.pages.test_models import visit

TYPES = ("gpt_neox", "cohere", "xlm-roberta")
"""A decoder, one whose language head is unknown, and an encoder."""

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
    assert not session.error
    assert folder in {box.value for box in session.selectbox}


def test_generate_continues_a_text_with_it(folders):
    session = visit("decoder", part="generate", decoder=folders["gpt_neox"], prompt="the animal")
    assert not session.error
