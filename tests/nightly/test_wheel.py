"""The wheel, installed outside the repository: its Python interface, its commands and its pages."""

import ast
import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from email import message_from_string
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from playwright.sync_api import Browser, expect

from benchmarks.browser import Server, free_port
from model.version import version
from tests.chromium import browser as browser

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]

README = (ROOT / "README.md").read_text(encoding="utf-8").split("```python")[1].split("```")[0]

NOTEBOOK = f"""
import sys
{re.sub("from (model|viz) import", "from headlight import", README)}
assert c.weights.shape == (6, 12, 16, 16)
from headlight import survey
assert len(survey(load_model("scratch"), ["It works.", "It is late."])) == 2 * 6 * 12
from headlight import CalculatorSettings, alibi_bias, approximate, attention_figure, mistake
from headlight import provenance
attention_figure(c, 1, 2).save("head.pdf")
assert provenance("head.pdf")["head"] == 2
ours = {"model", "viz", "web", "rooms", "lessons", "pages"}
print([name for name in sys.modules if name.partition(".")[0] in ours])
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Iterator[Path]:
    """Folder of the programs of an environment with the wheel and our dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    (wheel,) = folder.glob("*.whl")
    assert wheel.name == f"headlight_attention-{version()}-py3-none-any.whl"
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    paths = {"base": str(folder / "venv"), "platbase": str(folder / "venv")}
    installed = Path(sysconfig.get_path("purelib", vars=paths))
    (installed / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    python = folder / "venv" / "bin" / "python"
    subprocess.run([*pip, "--python", str(python), "install", "--no-deps", str(wheel)], check=True)
    yield python.parent


def run(programs: Path, program: str, *options: str) -> str:
    result = subprocess.run(
        [str(programs / program), *options],
        cwd=programs,
        env={**os.environ, "XDG_DATA_HOME": str(programs), "TQDM_DISABLE": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "it/s" not in result.stderr  # progress bars are off
    return result.stdout


def requirements(programs: Path) -> dict[str, list[str]]:
    """Distributions of the library (""), and of each extra."""
    (folder,) = programs.parent.glob("lib/*/site-packages/headlight_attention-*.dist-info")
    metadata = message_from_string((folder / "METADATA").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for line in map(Requirement, metadata.get_all("Requires-Dist")):
        extra = str(line.marker).split('"')[1] if line.marker else ""
        found.setdefault(extra, []).append(canonicalize_name(line.name))
    return found


def test_the_python_interface_works_outside_the_repository(programs):
    assert run(programs, "python", "-c", NOTEBOOK).strip() == "[]"


def test_the_library_works_without_the_packages_of_the_app(programs):
    app = ("streamlit", "starlette", "uvicorn", "pydantic", "sqlalchemy", "limits", "cachetools")
    without = f"import sys; sys.modules.update(dict.fromkeys({app}))"
    assert run(programs, "python", "-c", f"{without}\n{NOTEBOOK}").strip() == "[]"
    served = f"{without}\nfrom headlight.__main__ import main\nprint(main())"
    assert run(programs, "python", "-c", served).strip() == "1"


def test_the_commands(programs, tmp_path):
    wrong = [str(programs / "headlight"), "wrong"]
    result = subprocess.run(wrong, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (2, "")
    assert re.search("There is no command wrong.*headlight check-lessons", result.stderr, re.DOTALL)
    assert run(programs, "headlight", "--version").strip() == f"headlight {version()}"
    assert run(programs, "headlight", "check-lessons") == ""
    (tmp_path / "texts.txt").write_text("It works.\n")
    out = str(tmp_path / "out.csv")
    data = ["--data", str(tmp_path / "texts.txt"), "--measures", "next"]
    assert run(programs, "headlight", "survey", "--model", "scratch", *data, "--out", out)
    assert len(Path(out).read_text().splitlines()) == 1 + 72


def test_the_wheel_declares_every_distribution_that_it_imports(programs):
    """The environment here has more packages than the wheel asks for."""
    found = requirements(programs)
    library, app = {*found.pop("")}, {*found.pop("app")}
    extras = {name for names in found.values() for name in names}
    assert (
        extras == {"anywidget", "peft", "psycopg", "ray", "traitlets"}
        and len(library) < 25
        and "streamlit" in app
    )
    distributions = packages_distributions()
    (package,) = programs.parent.glob("lib/*/site-packages/headlight")
    undeclared = set()
    for file in package.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        is_library = file.relative_to(package).parts[0] in ("model", "viz", "__init__.py")
        required = library if is_library else library | app
        for node in ast.walk(tree):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules = [node.module]
            declared = required if node in tree.body else required | extras
            names = {module.partition(".")[0] for module in modules} - sys.stdlib_module_names
            for name in names - {"headlight"}:
                found = {canonicalize_name(each) for each in distributions.get(name, [name])}
                if not found & declared:
                    undeclared.add(f"{file.relative_to(package)}: {name}")
    assert not undeclared


def test_the_installed_command_serves_the_pages(programs, browser: Browser, tmp_path):
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [str(programs / "headlight"), "--port", str(port)]
    with Server(command, f"{address}/api/ready", {"HEADLIGHT_DATA": str(tmp_path)}):
        page = browser.new_page()
        page.goto(f"{address}/calculator?mode=head&left=scratch")
        menu = page.get_by_role("button", name="Code", exact=True)
        expect(menu).to_be_visible(timeout=60_000)
        expect(page.locator('[data-test-script-state="notRunning"]')).to_be_attached()
        menu.click()
        expect(page.get_by_text("from headlight import").first).to_be_visible(timeout=60_000)
        expect(page.get_by_text("model/transformer/attention.py")).to_be_visible(timeout=60_000)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        page.close()
