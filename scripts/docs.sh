#!/usr/bin/env bash
# The Python package's reference as HTML, by pdoc from an installed package: its docstrings whole. (docs/api.md is the list, C's functions too.)
#   scripts/docs.sh BUILD         BUILD/docs/index.html; the package and pdoc go into BUILD/docs-venv. PYTHON=python3
# A module whose requirements are not there is left out with a word; what is put into BUILD/docs-venv by hand stays there for the next time.
set -euo pipefail
[ $# = 1 ] || { echo "usage: $0 BUILD" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
python=$build/docs-venv/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1
[ -x "$python" ] || "${PYTHON:-python3}" -m venv "$build/docs-venv"
"$python" -m pip install --quiet numpy cffi gymnasium pdoc
"$python" -m pip install --quiet --force-reinstall --no-deps -C build-dir="$build/docs-build" "$root"
rm -rf "$build/docs"
cd "$build" # not beside the sources: what is imported is what was installed
"$python" - "$build/docs" <<'PYTHON'
import importlib
import pkgutil
import sys
from pathlib import Path

import myriapod
import pdoc

names = ["myriapod"]
for found in pkgutil.walk_packages(myriapod.__path__, "myriapod."):
    if any(part.startswith("_") for part in found.name.split(".")):
        continue
    try:
        importlib.import_module(found.name)
    except (ImportError, myriapod.Error) as error:
        print(f"skipped {found.name}: {error}")
    else:
        names.append(found.name)
pdoc.render.configure(docformat="markdown", footer_text=f"Myriapod {myriapod.__version__}")
pdoc.pdoc(*names, output_directory=Path(sys.argv[1]))
print(f"{len(names)} modules")
PYTHON
echo "$build/docs/index.html"
