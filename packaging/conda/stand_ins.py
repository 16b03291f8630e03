"""A channel for building recipe.yaml where no conda channel can be reached: packages with the names that the recipe asks for, and nothing inside.

    python stand_ins.py CHANNEL      CHANNEL: a folder

What they stand for is this machine's own: Debian's compiler, libraries and Python. `python` alone has files: a virtual environment's, over Debian's python3.
"""
from __future__ import annotations

import sys
from pathlib import Path

from rattler_build import Stage0Recipe

VERSION = "%d.%d.%d" % sys.version_info[:3]
MINOR = "%d.%d" % sys.version_info[:2]

#: Name and version of what is empty. Versions are at least those that the recipe asks for; Debian's own are not looked up.
EMPTY = {
    "gcc_linux-64": "12.2", "sysroot_linux-64": "2.36", "cmake": "3.25", "make": "4.3", "pkg-config": "1.8", "pip": "23.0", "scikit-build-core": "0.10",
    "cffi": "1.15", "numpy": "1.24", "expat": "2.5", "jansson": "2.14", "libhwloc": "2.9", "libpng": "1.6", "qhull": "2020.2", "random123": "1.14",
    "sleef": "3.5.1", "zlib": "1.2.13",
}

PYTHON = f"""
mkdir -p $PREFIX/bin $PREFIX/lib/python{MINOR}/site-packages
ln -s /usr/bin/python3 $PREFIX/bin/python
ln -s python $PREFIX/bin/python3
ln -s python $PREFIX/bin/python{MINOR}
printf 'home = /usr/bin\\ninclude-system-site-packages = true\\nversion = {VERSION}\\n' >$PREFIX/pyvenv.cfg
"""


def main(channel: Path) -> None:
    recipes: list[dict[str, object]] = [
        {"package": {"name": name, "version": version}, "build": {"noarch": "generic", "script": "true"}} for name, version in EMPTY.items()]
    recipes.append({"package": {"name": "python", "version": VERSION}, "build": {"string": "0_cpython", "script": PYTHON}})
    for recipe in recipes:
        about = {"summary": "stands for what Debian has", "license": "Apache-2.0"}
        Stage0Recipe.from_dict({**recipe, "about": about}).run_build(output_dir=channel, channels=[])


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
