#!/usr/bin/env bash
# ctest: slow timeout=900
# The site: it builds without a warning, every link within it leads to a page and a place, and two builds stand side by side. A broken link and a broken
# anchor are seen. (The notebooks are run by python/tests/test_tutorials.py.)
set -euo pipefail
work=$MYRIAPOD_BUILD/check-docs
site=$MYRIAPOD_SOURCE/docs/site
python=$MYRIAPOD_BUILD/docs-venv/bin/python
command -v doxygen >/dev/null || { echo "skipped: no doxygen (Debian: doxygen)"; exit 77; }
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "skipped: python3 has no venv module (Debian: python3-venv)"; exit 77; }
MYRIAPOD_LIBRARY=$MYRIAPOD_BUILD/libmyriapod.so "$MYRIAPOD_SOURCE/scripts/docs.sh" "$MYRIAPOD_BUILD" >"$MYRIAPOD_BUILD/docs.txt" || {
    status=$?
    cat "$MYRIAPOD_BUILD/docs.txt"
    [ $status != 3 ] || { echo "skipped: no package index answers"; exit 77; }
    exit 1
}
cat "$MYRIAPOD_BUILD/docs.txt"
grep -Eq '^[0-9]+ pages, [0-9]+ links within the site, 0 broken' "$MYRIAPOD_BUILD/docs.txt"
version=$(sed -n 's/^project(myriapod VERSION \([0-9.]*\).*/\1/p' "$MYRIAPOD_SOURCE/CMakeLists.txt")
built=$MYRIAPOD_BUILD/site/$version

# What a reader looks for is on its page.
has() { grep -q -- "$2" "$built/$1" || { echo "$1 has no \`$2\`"; exit 1; }; }
has README.html "<title>Myriapod - Myriapod $version</title>"
has README.html '<select id="versions"'
has api/python/myriapod.batch.html 'id="myriapod.Batch.step"'
has api/python/myriapod.batch.html 'id="myriapod.Batch.q"'
has api/c/batch.html 'Allocates nothing'
has api/c/batch.html 'class="current reference internal" href="../../api/c/batch.html"'
has api/c/batch.html 'aria-label="Toggle navigation of C" checked=""'
has api/c/contact.html 'friction coefficients &gt;= 0'
has docs/contact.html source/kernels/contact/rows.lane.h.html
has source/kernels/contact/rows.lane.h.html 'class="highlight'
has docs/history.html 'speed-epyc-zen5.svg'
has searchindex.js 'myriapod.batch'
notebooks=$(find "$built/_downloads" -name '*.ipynb' | wc -l)
[ "$notebooks" = "$(ls "$MYRIAPOD_SOURCE"/docs/tutorials/*.md | wc -l)" ] || { echo "$notebooks notebooks"; exit 1; }

# Two builds in one folder.
rm -rf "$work" && mkdir -p "$work/site/0.9.0" "$work/site/0.10.0" "$work/pages"
touch "$work/site/0.9.0/index.html" "$work/site/0.10.0/index.html"
"$python" "$site/versions.py" "$work/site" | grep -qx 'versions: 0.10.0, 0.9.0'
grep -q 'url=0.10.0/index.html' "$work/site/index.html"

# A measurement is kept once, and drawn.
cp -r "$MYRIAPOD_SOURCE/bench/results" "$work/results"
echo '[{"seed": 1, "seconds": 5.04, "samples": 3000000, "linear": 0.1, "angular": 0.2, "survived": 0.97, "probe": 8e9}]' >"$work/walk.json"
keep=("$python" -B "$MYRIAPOD_SOURCE/bench/tools/keep.py" learn_to_walk epyc-zen5 "$work/walk.json" --commit abcdef0 --date 2026-12-24 --results "$work/results")
"${keep[@]}"
grep -qx '2026-12-24,abcdef0,1,5.0,3.00,0.100,0.200,97.0,8.00' "$work/results/epyc-zen5/learn_to_walk.csv"
if "${keep[@]}" 2>"$work/kept.txt"; then
    echo "keep.py keeps a measurement twice"
    exit 1
fi
grep -q 'is there already' "$work/kept.txt"
PYTHONPATH=$site "$python" -B -c 'import history, pathlib, sys; history.write(*map(pathlib.Path, sys.argv[1:]))' "$work/results" "$work/drawn"
grep -qx '| 2026-12-24, abcdef0 | 1 | 5.0 | 5.0 |' "$work/drawn/history.md"
grep -q '2026-12-24' "$work/drawn/history/learn_to_walk-epyc-zen5.svg"

# Mistakes.
printf '<a href="there.html#nowhere">a</a><a href="gone.html">b</a>' >"$work/site/0.9.0/index.html"
echo '<p id="here">' >"$work/site/0.9.0/there.html"
if "$python" "$site/links.py" "$work/site/0.9.0" >"$work/links.txt"; then
    echo "links.py sees no broken link"
    exit 1
fi
grep -q 'gone.html: there is no such file' "$work/links.txt" && grep -q 'nowhere: there is no such place' "$work/links.txt"
printf '# Page\n\n[a](#nowhere) [b](../robot/no_such_file.h)\n' >"$work/pages/index.md"
if MYRIAPOD_SOURCE=$MYRIAPOD_SOURCE MYRIAPOD_DOXYGEN=$MYRIAPOD_BUILD/docs/xml "$python" -B -m sphinx --quiet --fail-on-warning --keep-going --builder html \
    --conf-dir "$site" --doctree-dir "$work/trees" "$work/pages" "$work/out" 2>"$work/warnings.txt"; then
    echo "Sphinx sees no broken anchor"
    exit 1
fi
grep -q "nowhere" "$work/warnings.txt" && grep -q "no_such_file" "$work/warnings.txt"
