"""The code of the norms computes the numbers on the page."""

import torch

from model.calculator.norms import batch_norm, layer_norm
from pages.calculator.notebook import norms_lines


def test_the_code_of_the_norms_runs_and_agrees_with_torch():
    x = torch.tensor([[[1.0, 2.0, 6.0], [3.0, -1.0, 4.0]], [[0.5, 2.0, 1.0], [3.0, 3.5, -2.0]]])
    names: dict = {}
    exec(norms_lines(x.double()), names)
    torch.testing.assert_close(names["by_token"], layer_norm(x.double()).output)
    torch.testing.assert_close(names["by_feature"], batch_norm(x.double()).output)
