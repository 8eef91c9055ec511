"""Build hooks of hatchling: the wheel's package `headlight` from the folders of this repository.

In the repository, each of PACKAGES is a package of the top level. In the wheel they are parts of
`headlight`, so imports and commands get this prefix, also in the code and the
texts that a page prints. The dependencies are those of requirements*.txt: the library's, and those
of the app as the extra ``app``.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGES = ("model", "viz", "web", "rooms", "lessons", "pages")
FILES = ("app.py", "pyproject.toml", "NOTICE", "LICENSE")
FOLDERS = (*PACKAGES, "locale", ".streamlit")
EXTRAS = ("notebook", "peft", "postgresql", "ray")
APP = "# The app\n"
"""The line of requirements.txt that begins the extra ``app``."""

OWN = {"headlight.py": "__init__.py", "deploy/wheel/__main__.py": "__main__.py"}
"""Files of the wheel with another name than here."""

_ANY = f"(?:{'|'.join(PACKAGES)})"
REFERENCE = re.compile(
    rf"""(?:^|["'#])\s*from\s+(?={_ANY}\b[.\w]*\s+import\b)"""
    rf"""|^\s*import\s+(?={_ANY}\b)|\bpython -m (?={_ANY}\.)""",
    re.MULTILINE,
)
"""The text before a package's name in an import or a command, in code or in a string."""
COMMANDS = {
    "python -m model.analysis.survey": "headlight survey",
    "python -m pages.check_lessons": "headlight check-lessons",
}
"""The commands of the repository that the command ``headlight`` replaces."""
NAME = re.compile(rf"""(?<=["'])({_ANY}(?:\.\w+)+)(?=["':])""")
"""A string that is the name of a module, or begins with one."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Copies the repository into the package and adds the prefix to its imports."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the package in a temporary folder.

        Args:
            version: ``standard``, or ``editable`` for ``pip install --editable``.
            build_data: Its ``force_include`` gets the folder.

        Raises:
            RuntimeError: For an editable installation, which would be a copy.
        """
        if version == "editable":
            raise RuntimeError("Headlight has no editable installation: run app.py in its folder.")
        root = Path(self.root)
        self.made = Path(tempfile.mkdtemp(prefix="headlight"))
        for path in _tracked(root):
            copy = self.made / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".py":
                text = (root / path).read_text(encoding="utf-8")
                copy.write_text(rewritten(text, root), encoding="utf-8")
            else:
                shutil.copyfile(root / path, copy)
        for path_here, name in OWN.items():
            shutil.copyfile(root / path_here, self.made / name)
        build_data["force_include"][str(self.made)] = "headlight"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        shutil.rmtree(self.made)


class CustomMetadataHook(MetadataHookInterface):
    """Reads the dependencies from requirements*.txt."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies, and the optional ones by the name of their file."""
        root = Path(self.root)
        library, _, app = (root / "requirements.txt").read_text("utf-8").partition(APP)
        metadata["dependencies"] = _requirements(library)
        metadata["optional-dependencies"] = {"app": _requirements(app)} | {
            name: _requirements((root / f"requirements-{name}.txt").read_text("utf-8"))
            for name in EXTRAS
        }


def rewritten(text: str, root: Path) -> str:
    """Add the prefix to imports and commands, and to strings that name a module of ours.

    Args:
        text: A Python file.
        root: The repository.
    """
    for command, installed in COMMANDS.items():
        text = text.replace(command, installed)

    def name(match: re.Match[str]) -> str:
        path = root.joinpath(*match[1].split("."))
        is_ours = path.is_dir() or path.with_suffix(".py").is_file()
        return f"headlight.{match[1]}" if is_ours else match[1]

    return NAME.sub(name, REFERENCE.sub(r"\g<0>headlight.", text))


def _tracked(root: Path) -> list[Path]:
    """Files of the package: those that git tracks, or all in a copy without git."""
    wanted = [*FILES, *FOLDERS]
    git = ["git", "-C", str(root), "ls-files", "-z", "--", *wanted]
    listed = subprocess.run(git, capture_output=True, check=False)  # noqa: S603
    if listed.returncode == 0 and listed.stdout:
        return [Path(name) for name in listed.stdout.decode().split("\0") if name]
    found = [file for name in FOLDERS for file in (root / name).rglob("*") if file.is_file()]
    found = [file for file in found if "__pycache__" not in file.parts]
    return [Path(name) for name in FILES] + [file.relative_to(root) for file in found]


def _requirements(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("-")]
