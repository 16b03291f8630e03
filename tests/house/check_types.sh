#!/usr/bin/env bash
# ctest: later timeout=600
# The types of the Python package: mypy has nothing to say. Of what the package may use NumPy and Gymnasium are there, with types of their own.
set -euo pipefail
venv=$MYRIAPOD_BUILD/types-venv
staged=$MYRIAPOD_BUILD/types
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "skipped: python3 has no venv module (Debian: python3-venv)"; exit 77; }
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet 'mypy==2.4.1' 'numpy==2.4.6' 'gymnasium==1.4.0' cffi ||
    { echo "skipped: no package index answers"; exit 77; }

# The package with the modules that the build writes (cmake/python.cmake).
rm -rf "$staged" && mkdir -p "$staged"
cp -r "$MYRIAPOD_SOURCE/python/myriapod" "$staged/myriapod"
cc -E -P -nostdinc -U__GNUC__ -x c -I "$MYRIAPOD_SOURCE/python/stubs" "$MYRIAPOD_SOURCE/include/myriapod/myriapod.h" -o "$staged/declarations.h"
"$venv/bin/python" -B "$MYRIAPOD_SOURCE/python/write_modules.py" "$staged/declarations.h" "$MYRIAPOD_SOURCE/include/myriapod/batch.h" "$staged/myriapod" >/dev/null
cd "$staged"
"$venv/bin/python" -m mypy --config-file "$MYRIAPOD_SOURCE/pyproject.toml" -p myriapod | tail -n 20
# A mistake in it is seen.
echo 'wrong: int = "word"' >>"$staged/myriapod/_pace.py"
if "$venv/bin/python" -m mypy --config-file "$MYRIAPOD_SOURCE/pyproject.toml" -p myriapod >"$staged/wrong.txt"; then
    echo "mypy no longer sees a mistake"
    exit 1
fi
grep -q '_pace.py.*Incompatible types' "$staged/wrong.txt"
