"""Print the patches whose targets have changed: ``python -m web.streamlit_patches``."""

import sys

from web.streamlit_patches import changed_targets

if __name__ == "__main__":
    changed = list(changed_targets())
    for patch, target, installed in changed:
        print(f"{patch}: {target} is now {installed}")  # noqa: T201
    sys.exit(bool(changed))
