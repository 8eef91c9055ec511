"""The documents state what the code and the shipped data give. tests/lint.py checks their links."""

import json
import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import yaml
from numpy.testing import assert_allclose, assert_array_equal
from torch import nn

from benchmarks.pictures import RECORD, menus
from model import load_model
from tests.model import decoder_checkpoints

ROOT = Path(__file__).parent.parent


def test_all_files_state_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([\d.]+)\] - (\S+)$", changes, re.MULTILINE)
    assert released[0] == (project["version"], citation["date-released"])
    assert citation["version"] == project["version"]


def test_the_pictures_show_the_menus_of_today() -> None:
    assert json.loads(RECORD.read_text("utf-8")) == menus(), "run make pictures"


@pytest.mark.parametrize("name", ["README.md", "docs/teaching.md"])
def test_the_chinese_document_has_the_headings_code_and_links_of_the_english_one(name: str) -> None:
    file = ROOT / name
    english, chinese = (
        each.read_text(encoding="utf-8") for each in (file, file.with_suffix(".zh.md"))
    )
    block = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
    assert block.findall(chinese) == block.findall(english)
    english, chinese = block.sub("", english), block.sub("", chinese)
    heading = re.compile(r"^#+(?= )", re.MULTILINE)
    assert heading.findall(chinese) == heading.findall(english)
    assert {*re.findall("`[^`]+`", chinese)} == {*re.findall("`[^`]+`", english)}

    def twin(target: str) -> str:
        """In the other language, where headings have other names; itself without translation."""
        path = target.partition("#")[0]
        other = path[:-6] + ".md" if path.endswith(".zh.md") else path.replace(".md", ".zh.md")
        return other if other != path and (file.parent / other).is_file() else target

    link = re.compile(r"\]\(([^)\s]+)\)")
    assert sorted(twin(twin(each)) for each in link.findall(chinese)) == sorted(
        twin(each) for each in link.findall(english)
    )


def blocks_of(document: str) -> list[str]:
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_notebook_code_runs_and_gives_the_printed_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some blocks save files
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = blocks_of("notebook.md")
    found: dict[str, Any] = {}
    for block in blocks:
        exec(block, found)  # the project's own code
    first = blocks[0]
    (second,) = [block for block in blocks if "the blue flower" in block]
    capture, written = found["c"], found["t"]
    assert repr(capture) in first and repr(found["m"]) in first
    obj = found["followed"]["obj"]
    assert f"layer={obj.layer}, head={obj.head}, accuracy={obj.accuracy:.3f}" in text
    assert f"{capture.weights[3, 1, 10, 2]:.4f}" in first
    assert f"{(written.text, written.tokens)}" in second
    assert (found["given"].cross.weights == written.cross.weights).all()
    assert f"{found['js_distance'](capture.weights[3, 1], capture.weights[2, 6]):.3f}: of" in text
    assert f"{found['induction_scores'](load_model('smollm2')).max():.3f}: of" in text
    assert [found["scratch"].piece(ids[0]) for ids in found["lens"].ids[:, 0]][-1] == "book"
    assert found["half"].attend("It works.").origin["dtype"] == "bfloat16"


def test_the_recipes_make_captures_of_what_the_libraries_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TransformerLens and vLLM are not installed: stand-ins give arrays and ids of their shapes."""
    monkeypatch.chdir(tmp_path)
    imports, lens, vllm, eager, module, function, files = blocks_of("captures.md")
    found: dict[str, Any] = {"d_model": 12, "n_heads": 3}
    exec(imports, found)

    pattern = torch.ones(4, 1, 2, 6, 6).tril()  # (layers, batch, heads, T, T)
    pattern /= pattern.sum(-1, keepdim=True)
    hooked = SimpleNamespace(
        cfg=SimpleNamespace(n_layers=4),
        run_with_cache=lambda text: (
            None,
            {("pattern", i): each for i, each in enumerate(pattern)},
        ),
        to_str_tokens=lambda text: ["<|endoftext|>", "The", " cat", " sat", " down", "."],
    )
    library = SimpleNamespace(HookedTransformer=SimpleNamespace(from_pretrained=lambda _: hooked))
    monkeypatch.setitem(sys.modules, "transformer_lens", library)
    exec(lens, found)
    assert (found["c"].stack, found["c"].text) == ("decoder", "The cat sat down.")
    assert found["c"].weights.shape == (4, 2, 6, 6) and found["c"].special.sum() == 1
    assert found["profile"](found["c"])["first"][3, 1] == pytest.approx(
        sum(1 / n for n in range(2, 7)) / 5
    )

    answer = SimpleNamespace(
        prompt_token_ids=[5, 6, 7], outputs=[SimpleNamespace(token_ids=(8, 9))]
    )
    engine = SimpleNamespace(generate=lambda prompts, parameters: [answer])
    library = SimpleNamespace(LLM=lambda name: engine, SamplingParams=lambda max_tokens: None)
    monkeypatch.setitem(sys.modules, "vllm", library)
    found["name"] = str(decoder_checkpoints.save("llama", tmp_path / "llama"))
    exec(vllm, found)
    recorded = found["c"]
    assert recorded.token_ids == (5, 6, 7, 8, 9) and recorded.has_steps
    exec(eager, found)
    assert found["c"].stack == recorded.stack == "decoder"
    assert_allclose(found["c"].weights, recorded.weights, atol=1e-6)

    exec(module, found)
    assert_array_equal(found["c"].weights, found["weights"][None, 0].detach())
    exec(function, found)
    q, k, v = torch.randn(3, 1, 2, 6, 8)  # (1, heads, T, d_head)
    for allowed in (None, torch.ones(6, 6).tril().bool()):
        expected = nn.functional.scaled_dot_product_attention(q, k, v, allowed)
        assert_allclose(found["recording_attention"](q, k, v, allowed), expected, atol=1e-6)
    exec(files, found)
    assert_array_equal(found["c"].weights, torch.stack(found["recorded"]))
    other = found["read_capture"]("weights.safetensors")
    assert other.tokens == found["c"].tokens == tuple(found["tokens"])
