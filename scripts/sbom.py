#!/usr/bin/env python3
"""What a wheel or the source tree is made of, as CycloneDX 1.5: names, versions, licences, hashes, and what else must be installed.

    sbom.py OUT.json --wheel FILE.whl [--sysroot DIR] [--texts FOLDER]
                       of a wheel that auditwheel has repaired: what lies in its .libs folder, and what it requires; FOLDER gets the licences' texts
    sbom.py OUT.json   of the source tree: what it is built with, and what its Python package requires

Versions are those of Debian's packages on this machine or, of a wheel for another processor, in DIR (scripts/aarch64_sysroot.sh). A library that the table
below does not know is an error: its licence must be looked up. Needs cyclonedx-python-lib[json-validation]; what is written has passed the standard's
schema. It has the time SOURCE_DATE_EPOCH, so that two builds of a commit write the same bytes."""
from __future__ import annotations

import argparse
import datetime
import email
import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import uuid
import zipfile
from dataclasses import dataclass
from pathlib import Path

try:
    from cyclonedx.model import HashAlgorithm, HashType, Property
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentScope, ComponentType
    from cyclonedx.model.license import LicenseExpression
    from cyclonedx.output.json import JsonV1Dot5
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    from packageurl import PackageURL
except ImportError as missing:
    sys.exit(f"{missing.name} is missing: pip install 'cyclonedx-python-lib[json-validation]'")

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Library:
    file: str  #: how its file begins
    package: str  #: Debian's package of the file
    licence: str  #: SPDX, of the library as it is linked
    use: str  #: what it is for


LIBRARIES = [
    Library("libsleef", "libsleef3", "BSL-1.0", "lane math"),
    Library("libhwloc", "libhwloc15", "BSD-3-Clause", "topology and pinning"),
    Library("libudev", "libudev1", "LGPL-2.1-or-later", "of hwloc"),
    Library("libjansson", "libjansson4", "MIT", "JSON files"),
    Library("libqhull_r", "libqhull-r8.0", "Qhull", "convex hulls"),
    Library("libpng16", "libpng16-16", "libpng-2.0", "ground maps from images"),
    Library("libgomp", "libgomp1", "GPL-3.0-or-later WITH GCC-exception-3.1", "threads"),
]
#: Of the source tree alone: the system's, of the program, or compiled in.
MORE = [
    Library("libexpat", "libexpat1", "MIT", "URDF, MJCF"),
    Library("libz", "zlib1g", "Zlib", "ground maps as NumPy's files"),
    Library("", "librandom123-dev", "BSD-3-Clause", "random streams, headers alone"),
    Library("libhdf5", "libhdf5-103-1", "BSD-3-Clause", "FCLib's problems, of the program alone"),
    Library("libcxsparse", "libcxsparse3", "LGPL-2.1-or-later", "sparse factors, may be absent"),
]
REQUIRED_LICENCES = {"numpy": "BSD-3-Clause", "cffi": "MIT"}


def debian_version(package: str, arch: str, sysroot: Path | None) -> str:
    """As the system's or the sysroot's copy of the package says, or ''."""
    if sysroot:
        for name in ("changelog.Debian.gz", "changelog.Debian.arm64.gz", "changelog.gz"):
            changelog = sysroot / "usr/share/doc" / package / name
            if changelog.exists():
                first = gzip.decompress(changelog.read_bytes()).split(b"\n", 1)[0].decode("utf-8", "replace")
                if found := re.match(r"\S+ \(([^)]+)\)", first):
                    return found.group(1)
        package += f"-{arch}-cross"  # the compiler's own libraries
    if not shutil.which("dpkg-query"):
        return ""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}\n", package], capture_output=True, text=True, check=False)
    installed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("installed ")]
    return installed[0] if installed else ""


def licence_texts(package: str, arch: str, sysroot: Path | None) -> dict[str, bytes]:
    """Debian's copyright file of the package, who wrote what and under which words, and the long licences that it leaves to a folder that Debian has."""
    own = Path("/usr/share/doc") / (f"{package}-{arch}-cross" if sysroot else package) / "copyright"
    for place in ([sysroot / "usr/share/doc" / package / "copyright"] if sysroot else []) + [own]:
        if place.is_file():
            said = place.read_bytes()
            common = {name.decode().rstrip(".-") for name in re.findall(rb"/usr/share/common-licenses/([A-Za-z0-9.-]+)", said)}
            return {package: said, **{name: (Path("/usr/share/common-licenses") / name).read_bytes() for name in sorted(common)}}
    sys.exit(f"{package}: no file has its licence's text, {own} neither")


def library_component(library: Library, arch: str, sysroot: Path | None) -> Component:
    version = debian_version(library.package, arch, sysroot)
    purl = PackageURL("deb", "debian", library.package, version or None, {"arch": arch})
    return Component(type=ComponentType.LIBRARY, name=library.package, version=version or None, purl=purl, bom_ref=str(purl), description=library.use,
                     licenses=[LicenseExpression(library.licence)])


def required_component(requirement: str) -> Component | None:
    """A package that must be installed beside ours; None if it is an extra's."""
    if "extra ==" in requirement:
        return None
    found = re.fullmatch(r"([A-Za-z0-9._-]+)\s*(.*)", requirement.strip())
    if not found:
        sys.exit(f"a requirement that is not understood: {requirement}")
    name, bounds = found.groups()
    if name not in REQUIRED_LICENCES:
        sys.exit(f"{name} is required, and scripts/sbom.py does not know its licence")
    purl = PackageURL("pypi", None, name)
    return Component(type=ComponentType.LIBRARY, name=name, purl=purl, bom_ref=str(purl), scope=ComponentScope.REQUIRED,
                     licenses=[LicenseExpression(REQUIRED_LICENCES[name])], properties=[Property(name="myriapod:versions", value=bounds)] if bounds else [])


def write(out: Path, name: str, version: str, parts: list[Component]) -> None:
    purl = PackageURL("pypi", None, name, version)
    whole = Component(type=ComponentType.LIBRARY, name=name, version=version, purl=purl, bom_ref=str(purl), licenses=[LicenseExpression("Apache-2.0")])
    bom = Bom(components=parts)
    bom.metadata.component = whole
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")), datetime.timezone.utc)
    seed = "\n".join([str(purl), *sorted(f"{part.bom_ref.value} {[h.content for h in part.hashes]}" for part in parts)])
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, seed)
    bom.register_dependency(whole, parts)
    text = JsonV1Dot5(bom).output_as_string(indent=1) + "\n"
    wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
    if wrong:
        sys.exit(f"what was made is not CycloneDX 1.5: {wrong}")
    out.write_text(text, encoding="utf-8")
    print(f"{out}: {name} {version}, {len(parts)} components")


def wheel_parts(path: Path, sysroot: Path | None, texts: Path | None) -> tuple[str, str, list[Component]]:
    archive = zipfile.ZipFile(path)
    metadata = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    if len(metadata) != 1:
        sys.exit(f"{path}: no wheel")
    said = email.message_from_bytes(archive.read(metadata[0]))
    arch = "arm64" if path.stem.endswith("aarch64") else "amd64"
    parts = []
    for name in sorted(archive.namelist()):
        if ".libs/" not in name or name.endswith("/"):
            continue
        base = name.rsplit("/", 1)[1]
        known = [library for library in LIBRARIES if re.match(re.escape(library.file) + r"[-.]", base)]
        if not known:
            sys.exit(f"{path}: {base} is inside, and scripts/sbom.py does not know whose it is")
        part = library_component(known[0], arch, sysroot)
        if not part.version:
            sys.exit(f"{base}: no package {known[0].package} tells its version")
        if texts:
            for title, words in licence_texts(known[0].package, arch, sysroot).items():
                (texts / f"{title}.txt").write_bytes(words)
        part.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(archive.read(name)).hexdigest()))
        part.properties.add(Property(name="myriapod:file", value=name))
        parts.append(part)
    if not parts:
        sys.exit(f"{path}: no libraries are inside; auditwheel puts them there (scripts/wheel.sh)")
    parts += [part for text in said.get_all("Requires-Dist", []) if (part := required_component(text))]
    return said["Name"], said["Version"], parts


def source_parts() -> tuple[str, str, list[Component]]:
    import tomllib  # Python 3.11

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = re.search(r"^project\(myriapod VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
    if not found:
        sys.exit("CMakeLists.txt: no `project(myriapod VERSION ..)`")
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    parts = [library_component(library, arch, None) for library in LIBRARIES + MORE]
    return project["name"], found.group(1), parts + [part for text in project["dependencies"] if (part := required_component(text))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--sysroot", type=Path)
    parser.add_argument("--texts", type=Path, help="an empty folder; with --wheel")
    options = parser.parse_args()
    if options.wheel and not options.wheel.is_file():
        sys.exit(f"{options.wheel} is not there")
    write(options.out, *(wheel_parts(options.wheel, options.sysroot, options.texts) if options.wheel else source_parts()))


if __name__ == "__main__":
    main()
