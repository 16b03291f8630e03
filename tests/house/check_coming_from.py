# ctest: long needs=python timeout=600
"""docs/coming-from.md, column `theirs`: every word is one of MuJoCo's, Isaac Lab's or mjlab's newest package of the index, unpacked and not installed. Names
that they drop are found so. The column `here` is python/tests/test_coming_from.py's. RaiSim is in no package index.

may skip: no package index answers"""
import os
import pathlib
import re
import subprocess
import sys
import zipfile

SOURCE, FOLDER = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]), pathlib.Path(os.environ["MYRIAPOD_BUILD"]) / "coming-from"
# A section of the page, and the packages that have its words; mjlab has Isaac Lab's managers.
PACKAGES = {"MuJoCo": ["mujoco-core"], "Isaac Lab": ["isaaclab"], "mjlab": ["mjlab", "isaaclab"]}
TEXTS = {".py", ".pyi", ".h", ".toml", ".xml"}
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")


def words_of(package):
    """All that is written in its files, and what wheel that was."""
    wheels = sorted(FOLDER.glob(f"{package.replace('-', '_')}-*.whl"))
    if not wheels:
        command = [pathlib.Path(os.environ["MYRIAPOD_VENV"]) / "bin" / "python", "-m", "pip", "download", "--quiet", "--no-deps", "--dest", FOLDER, package]
        if subprocess.run(list(map(str, command)), stderr=subprocess.DEVNULL, check=False).returncode:
            print(f"skipped: no index has {package}")
            sys.exit(77)
        wheels = sorted(FOLDER.glob(f"{package.replace('-', '_')}-*.whl"))
    words = set()
    with zipfile.ZipFile(wheels[-1]) as wheel:
        for name in wheel.namelist():
            if pathlib.PurePath(name).suffix in TEXTS:
                words.update(WORD.findall(wheel.read(name).decode(errors="ignore")))
    return wheels[-1].name.split("-")[1], words


page = (SOURCE / "docs" / "coming-from.md").read_text(encoding="utf-8")
problems, looked, versions, known = [], 0, {}, {}
for section, packages in PACKAGES.items():
    for package in packages:
        if package not in known:
            versions[package], known[package] = words_of(package)
    words = set().union(*(known[package] for package in packages))
    table = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", page, re.S | re.M).group(1)
    for cell in re.findall(r"^\| (.*?) \|", table, re.M):
        for word in (word for code in re.findall(r"`([^`]+)`", cell) for word in WORD.findall(code)):
            looked += 1
            if word not in words:
                problems.append(f"docs/coming-from.md, {section}: `{word}` is in no file of {', '.join(f'{p} {versions[p]}' for p in packages)}")
    if "no_such_word" in words:
        problems.append(f"{section}: everything is found")
if looked < 80:
    problems.append(f"only {looked} words were looked up")
print("\n".join(problems) or f"{looked} words of others, in {', '.join(f'{p} {v}' for p, v in versions.items())}")
sys.exit(1 if problems else 0)
