#!/usr/bin/env bash
# ctest: slow timeout=300
# What scripts/sbom.py writes of the source tree and of a wheel passes CycloneDX's schema, has a licence for each part, and is the same twice. A library that
# nobody looked up is refused, and so is a document that the schema does not allow. Real wheels are looked at by check_wheels.
set -euo pipefail
work=$MYRIAPOD_BUILD/check-sbom venv=$MYRIAPOD_BUILD/sbom-venv
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "skipped: python3 has no venv module (Debian: python3-venv)"; exit 77; }
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet 'cyclonedx-python-lib[json-validation] >= 8, < 12' ||
    { echo "skipped: no package index answers"; exit 77; }
rm -rf "$work" && mkdir -p "$work"
sbom() { "$venv/bin/python" -B "$MYRIAPOD_SOURCE/scripts/sbom.py" "$@"; }
sbom "$work/source.json"
SOURCE_DATE_EPOCH=315532800 sbom "$work/again.json" >/dev/null
cmp "$work/source.json" "$work/again.json"

# Wheels that hold what auditwheel would put there; this machine's packages tell the versions.
"$venv/bin/python" -B - "$work" "$(uname -m)" <<'PYTHON'
import sys, zipfile
work, machine = sys.argv[1:]
for kind, library in ("good", "libsleef-0a1b2c3d.so.3.5.1"), ("strange", "libstrange-0a1b2c3d.so.1"), ("bare", ""):
    with zipfile.ZipFile(f"{work}/{kind}-0.2.0-py3-none-manylinux_2_35_{machine}.whl", "w") as wheel:
        wheel.writestr("some-0.2.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: some\nVersion: 0.2.0\nRequires-Dist: numpy >=1.23\n"
                       "Requires-Dist: torch ; extra == 'rl'\n")
        if library:
            wheel.writestr(f"some.libs/{library}", b"bytes")
PYTHON
mkdir "$work/texts"
sbom "$work/wheel.json" --wheel "$work"/good-*.whl --texts "$work/texts"
grep -q "Boost Software License" "$work/texts/libsleef3.txt" || { echo "the text of a licence is missing"; exit 1; }
"$venv/bin/python" -B - "$work" "$MYRIAPOD_SOURCE" <<'PYTHON'
import hashlib, json, pathlib, re, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
work, source = map(pathlib.Path, sys.argv[1:])
validator = JsonStrictValidator(SchemaVersion.V1_5)
for name in "source", "wheel":
    text = (work / f"{name}.json").read_text()
    assert validator.validate_str(text) is None, name
    parts = json.loads(text)["components"]
    assert all(part["licenses"] for part in parts), name
parts = {part["name"]: part for part in parts}
assert set(parts) == {"libsleef3", "numpy"}, sorted(parts) # an extra's packages are no part
assert parts["libsleef3"]["hashes"][0]["content"] == hashlib.sha256(b"bytes").hexdigest()
assert parts["libsleef3"]["version"] and parts["libsleef3"]["licenses"][0]["expression"] == "BSL-1.0"
whole = json.loads((work / "source.json").read_text())["metadata"]["component"]
assert f"project(myriapod VERSION {whole['version']} " in (source / "CMakeLists.txt").read_text()
assert validator.validate_str(text.replace('"libsleef3"', "7", 1)) is not None, "the schema is not asked"
PYTHON
refused() { # words, arguments
    if sbom "$work/refused.json" "${@:2}" 2>"$work/refused.txt"; then echo "not refused: $1"; exit 1; fi
    grep -q "$1" "$work/refused.txt" || { cat "$work/refused.txt"; exit 1; }
}
refused "libstrange-0a1b2c3d.so.1 is inside" --wheel "$work"/strange-*.whl
refused "no libraries are inside" --wheel "$work"/bare-*.whl
refused "is not there" --wheel "$work/absent.whl"
