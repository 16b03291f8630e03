#!/usr/bin/env bash
# ctest: heavy
# The programs that the README shows are examples/hello.c and examples/hello.py, every file that a page links to exists,
# and what tells a version (CITATION.cff, CHANGELOG.md, docs/batch.md) tells that of CMakeLists.txt. check_install looks at examples/CMakeLists.txt.
set -euo pipefail
cd "$MYRIAPOD_SOURCE"
awk '/^```c$/ {inside = 1; next} /^```$/ {inside = 0} inside' README.md | diff - <(sed '/^\/\*.*\*\/$/d' examples/hello.c) ||
    { echo "README.md shows another program than examples/hello.c"; exit 1; }
for page in README.md python/README.md; do
    awk '/^```python$/ {inside = 1; next} /^```$/ {inside = 0} inside' $page | diff - <(sed '/^""".*"""$/d' examples/hello.py) ||
        { echo "$page shows another program than examples/hello.py"; exit 1; }
done
# What an index shows of the package stands by itself.
if grep -n ']([^)]*)' python/README.md; then echo "python/README.md links to what a reader of an index does not have"; exit 1; fi
grep -o '^| `[^|]*|' python/README.md | grep -o '`[a-z-]*`' | tr -d '`' | while read -r name; do
    [ -f "docs/$name.md" ] || { echo "python/README.md names the page $name, which does not exist"; exit 1; }
done
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
[ "$(grep -c "^library $version " docs/batch.md)" = 2 ] || { echo "docs/batch.md shows files of another version than $version"; exit 1; }
# The changelog is of this version or, between releases, of the one before. A section is of known kinds.
sections=$(sed -n 's/^## //p' CHANGELOG.md)
[ "$(head -1 <<<"$sections")" = "[Unreleased]" ] || { echo "CHANGELOG.md does not begin with [Unreleased]"; exit 1; }
newest=$(sed -n '2s/^\[\([0-9.]*\)\] - \([0-9-]*\)$/\1 \2/p' <<<"$sections")
[ -n "$newest" ] || { echo "CHANGELOG.md: the second section is no \`[VERSION] - DATE\`"; exit 1; }
[ "$(printf '%s\n%s\n' "${newest% *}" "$version" | sort -V | tail -1)" = "$version" ] || { echo "CHANGELOG.md has ${newest% *}, which is newer than $version"; exit 1; }
[ "${newest% *}" != "$version" ] || grep -qx "date-released: ${newest#* }" CITATION.cff || { echo "CITATION.cff was not released on ${newest#* }"; exit 1; }
if sed -n 's/^### //p' CHANGELOG.md | grep -vxE 'Highlights|Moving from [0-9.]+|Added|Changed|Deprecated|Removed|Fixed|Security'; then
    echo "CHANGELOG.md has a kind that is none of Keep a Changelog's"
    exit 1
fi
"$MYRIAPOD_BUILD/examples/hello"
