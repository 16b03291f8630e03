#!/usr/bin/env bash
# ctest: heavy
# The programs that the README shows are examples/hello.c and examples/hello.py, every file that a page links to exists,
# and CITATION.cff is of this version.
set -euo pipefail
cd "$MYRIAPOD_SOURCE"
awk '/^```c$/ {inside = 1; next} /^```$/ {inside = 0} inside' README.md | diff - <(sed '/^\/\*.*\*\/$/d' examples/hello.c) ||
    { echo "README.md shows another program than examples/hello.c"; exit 1; }
awk '/^```python$/ {inside = 1; next} /^```$/ {inside = 0} inside' README.md | diff - <(sed '/^""".*"""$/d' examples/hello.py) ||
    { echo "README.md shows another program than examples/hello.py"; exit 1; }
for page in *.md */*.md */*/*.md; do
    { grep -o '](\([^)#:]*\))' "$page" || true; } | tr -d '])(' | while read -r target; do
        case $target in http*) continue ;; esac
        [ -e "$(dirname "$page")/$target" ] || { echo "$page links to $target, which does not exist"; exit 1; }
    done
done
# The registry does not have it: a page or a message that says `pip install myriapod..` sends people to nothing, or to another project.
if grep -rnE "pip install[^.]*['\" ](myriapod|myriapod-sim)\b" --include='*.md' --include='*.py' --include='*.c' --include='*.h' \
    README.md CONTRIBUTING.md docs python cli include examples bench scripts; then
    echo "the registry does not have myriapod-sim, and its myriapod is another project: say pip install ."
    exit 1
fi
version=$(sed -n 's/^project(myriapod VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "version: $version" CITATION.cff || { echo "CITATION.cff is not of version $version"; exit 1; }
"$MYRIAPOD_BUILD/examples/hello"
