"""Tiny models with task heads."""

import pytest

from tests.model import checkpoints

N_LABELS = {"sequence": 4, "token": 5, "answer": 2}


@pytest.fixture(scope="module")
def save(tmp_path_factory):
    def save(family="bert", head="sequence", **settings):
        folder = tmp_path_factory.mktemp("head") / f"{family}-{head}"
        settings = {"num_labels": N_LABELS[head], **settings}
        return checkpoints.save_head(folder, family, head, **settings)

    return save
