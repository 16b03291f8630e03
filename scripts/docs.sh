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
import html
import importlib
import pkgutil
import sys
import warnings
from pathlib import Path

import myriapod
import pdoc

names = []
for found in pkgutil.walk_packages(myriapod.__path__, "myriapod."):
    if any(part.startswith("_") for part in found.name.split(".")):
        continue
    try:
        importlib.import_module(found.name)
    except (ImportError, myriapod.Error) as error:
        print(f"skipped {found.name}: {error}")
    else:
        names.append(found.name)
out = Path(sys.argv[1])
warnings.filterwarnings("ignore", "The module specification|Error parsing type annotation", UserWarning)  # named twice; annotations of NamedTuples
pdoc.render.configure(footer_text=f"Myriapod {myriapod.__version__}")
pdoc.pdoc("myriapod", *names, output_directory=out)
rows = ""  # pdoc's own index leads to `myriapod` alone, which names what is in its __all__ and no other module
for name in ["myriapod", *names]:
    page = out / f"{name.replace('.', '/')}.html"
    if not page.exists():
        sys.exit(f"pdoc wrote no {page}")
    words = (sys.modules[name].__doc__ or "").split("\n\n")[0]
    rows += f'<dt><a href="{page.relative_to(out)}">{name}</a></dt><dd>{html.escape(words)}</dd>\n'
title = f"Myriapod {myriapod.__version__}"
(out / "index.html").write_text(f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n<h1>{title}</h1>\n<dl>\n{rows}</dl>\n</html>\n')
print(f"{len(names) + 1} modules")
PYTHON
echo "$build/docs/index.html"
