#!/usr/bin/env bash
# The site: pages, tutorials as notebooks, the reference of Python (docstrings) and C (headers), pictures of measurements; static files with a search.
#   scripts/docs.sh BUILD         BUILD/site/VERSION/index.html; builds of other versions in BUILD/site stay, and are in its list of versions
# What it needs goes into BUILD/docs-venv. MYRIAPOD_LIBRARY=FILE.so: that library instead of one compiled for it. MYRIAPOD_SOURCE_URL=URL: links to files
# of the source go there, instead of to pages with their text. PYTHON=python3. A warning of Sphinx's or Doxygen's, a broken link among them, fails.
# Exit status 3: what it needs cannot be installed.
set -euo pipefail
[ $# = 1 ] || { echo "usage: $0 BUILD" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
work=$build/docs
python=$build/docs-venv/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
command -v doxygen >/dev/null || { echo "no doxygen (Debian: doxygen; \`scripts/deps.sh docs\` installs it): the pages of the headers need it" >&2; exit 1; }
[ -x "$python" ] || "${PYTHON:-python3}" -m venv "$build/docs-venv"
if ! cmp -s "$root/docs/site/requirements.txt" "$build/docs-venv/requirements.txt"; then
    "$python" -m pip install --quiet -r "$root/docs/site/requirements.txt" || { echo "no package index answers: what builds the site is not here" >&2; exit 3; }
    cp "$root/docs/site/requirements.txt" "$build/docs-venv/requirements.txt"
fi
version=$(sed -n 's/^project(myriapod VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

# The package as it is installed, by pip; or, where a build has the library already, by copying what pip would.
rm -rf "$work" && mkdir -p "$work/package"
if [ -n "${MYRIAPOD_LIBRARY:-}" ]; then
    cp -r "$root/python/myriapod" "$work/package/myriapod"
    mkdir -p "$work/package/myriapod/lib" && cp -L "$MYRIAPOD_LIBRARY" "$work/package/myriapod/lib/libmyriapod.so"
    cp -r "$root/robots" "$root/profiles" "$work/package/myriapod/"
    cc -E -P -nostdinc -U__GNUC__ -x c -I "$root/python/stubs" "$root/include/myriapod/myriapod.h" -o "$work/declarations.h"
    "$python" "$root/python/write_modules.py" "$work/declarations.h" "$root/include/myriapod/batch.h" "$work/package/myriapod" >/dev/null
else
    "$python" -m pip install --quiet --upgrade --force-reinstall --no-deps --target "$work/package" -C build-dir="$build/docs-build" "$root"
fi
export PYTHONPATH=$work/package

# Headers: Doxygen reads a copy whose comments are marked for it.
"$python" "$root/docs/site/doxygen_comments.py" "$root/include/myriapod" "$work/headers"
(cat "$root/docs/site/Doxyfile" && printf 'INPUT = "%s"\nOUTPUT_DIRECTORY = "%s"\n' "$work/headers" "$work") >"$work/Doxyfile"
doxygen "$work/Doxyfile"

cd "$work" # not beside the sources: what is imported is what was installed
"$python" "$root/docs/site/stage.py" "$root" "$work/pages"
rm -rf "$build/site/$version"
MYRIAPOD_SOURCE=$root MYRIAPOD_DOXYGEN=$work/xml "$python" -m sphinx --quiet --fail-on-warning --keep-going --fresh-env --builder html \
    --conf-dir "$root/docs/site" --doctree-dir "$work/trees" "$work/pages" "$build/site/$version"
"$python" "$root/docs/site/links.py" "$build/site/$version"
"$python" "$root/docs/site/versions.py" "$build/site"
echo "$build/site/$version/index.html"
