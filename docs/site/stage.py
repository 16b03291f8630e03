"""Gather the pages of the site: those of the repository where they are, and those that are written here (of modules, headers and pictures).

    stage.py REPOSITORY OUT       the package must be importable: its modules are what gets pages
"""
from __future__ import annotations

import ast
import importlib.util
import inspect
import pkgutil
import re
import shutil
import sys
from pathlib import Path

import history
import notebooks

NOT_INHERITED = "object, Exception, dict, tuple, list, Mapping, MutableMapping, Sequence, Collection"  # of Python's own classes
ANCHOR = re.compile(r'^<a id="([\w-]+)"></a>$', re.M)  # MyST has its own word for it
PAGES = ("*.md", "docs/*.md", "docs/tutorials/*.md", "bench/*.md", "bench/*/*.md", "bench/*/*/*.md")


def copy_pages(root: Path, out: Path) -> None:
    """Pages as they are, at the places that they have; their links go on leading to each other."""
    for pattern in PAGES:
        for page in sorted(root.glob(pattern)):
            there = out / page.relative_to(root)
            there.parent.mkdir(parents=True, exist_ok=True)
            text = page.read_text(encoding="utf-8")
            there.write_text(ANCHOR.sub(r"(\1)=", text), encoding="utf-8")
    shutil.copytree(root / "docs" / "images", out / "docs" / "images")
    shutil.copy(root / "docs" / "site" / "index.md", out / "index.md")


def write_notebooks(root: Path, out: Path) -> None:
    for page in sorted((root / "docs" / "tutorials").glob("*.md")):
        notebooks.write(page, (out / "docs" / "tutorials" / page.name).with_suffix(".ipynb"))


def public_modules() -> list[str]:
    import myriapod

    names = [found.name for found in pkgutil.walk_packages(myriapod.__path__, "myriapod.", onerror=lambda name: None)]
    return ["myriapod", *sorted(name for name in names if not any(part.startswith("_") for part in name.split(".")))]


def exported(names: list[str]) -> dict[str, list[tuple[str, str]]]:
    """What the package itself exports, (kind, name), by the page it is on: that of the module that defines it, or the package's own."""
    import myriapod

    pages: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
    for name in sorted(myriapod.__all__):
        thing = getattr(myriapod, name)
        if inspect.ismodule(thing):
            continue
        kind = "data" if not callable(thing) else "function" if not inspect.isclass(thing) else "exception" if issubclass(thing, BaseException) else "class"
        where = getattr(thing, "__module__", "myriapod")
        pages[where if where in pages else "myriapod"].append((kind, name))
    return pages


def docstring(module: str) -> str:
    """Of a module that need not be imported: it may want what is not installed."""
    found = importlib.util.find_spec(module)
    assert found is not None and found.origin is not None
    return ast.get_docstring(ast.parse(Path(found.origin).read_text(encoding="utf-8"))) or ""


def write_python(out: Path) -> None:
    """A page for each module: first what of it the package exports, under the name that users write, then the rest."""
    out.mkdir(parents=True)
    names = public_modules()
    for page, own in exported(names).items():
        lines = [page, "=" * len(page), "", ".. markdown::", "", *(f"   {line}" for line in docstring(page).splitlines())]
        for kind, name in own:
            lines += ["", f".. auto{kind}:: myriapod.{name}"]
            if kind == "class":
                lines += ["   :members:", "   :undoc-members:", "   :show-inheritance:", f"   :inherited-members: {NOT_INHERITED}"]
        lines += ["", f".. automodule:: {page}"]
        if page != "myriapod":
            lines += ["   :members:", "   :undoc-members:", "   :show-inheritance:", "   :ignore-module-all:"]
            elsewhere = [*(name for _, name in own), *(name.rpartition(".")[2] for name in names if name.rpartition(".")[0] == page)]
            lines += [f"   :exclude-members: {', '.join(elsewhere)}"] if elsewhere else []  # modules in it have pages, too
        (out / f"{page}.rst").write_text("\n".join([*lines, ""]), encoding="utf-8")
    rows = ["Python", "======", "", "The package is called ``myriapod``. What it exports itself is on the pages of the modules that define it.", "",
            ".. toctree::", "   :maxdepth: 1", "", *(f"   {name}" for name in names), ""]
    (out / "index.rst").write_text("\n".join(rows), encoding="utf-8")


def write_c(root: Path, out: Path) -> None:
    """A page for each header."""
    out.mkdir(parents=True)
    names = sorted(path.name for path in (root / "include" / "myriapod").glob("*.h"))
    for name in names:
        title = f"myriapod/{name}"
        lines = [title, "=" * len(title), "", f"Source: :source:`include/myriapod/{name}`.", "", f".. doxygenfile:: {name}", ""]
        (out / f"{name.removesuffix('.h')}.rst").write_text("\n".join(lines), encoding="utf-8")
    rows = "\n".join(["C", "=", "", "``#include <myriapod/myriapod.h>`` includes all of these headers.", "", ".. toctree::", "   :maxdepth: 1", "",
                      *(f"   {name.removesuffix('.h')}" for name in names), ""])
    (out / "index.rst").write_text(rows, encoding="utf-8")


def main(root: Path, out: Path) -> None:
    if out.exists():
        shutil.rmtree(out)
    copy_pages(root, out)
    write_notebooks(root, out)
    history.write(root / "bench" / "results", out / "docs")
    write_python(out / "api" / "python")
    write_c(root, out / "api" / "c")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
