"""`python -m myriapod docs`: the pages that are called docs/NAME.md, which the package brings along: their names, one of them, or where a word is in all."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path


def folder() -> Path:
    """Where the pages are: in the package, or beside it in a clone."""
    inside = Path(__file__).parent / "pages"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "docs"


def pages() -> dict[str, Path]:
    """Pages by name, such as `batch` and `tutorials/walk`."""
    root = folder()
    return {str(path.relative_to(root).with_suffix("")): path for path in sorted([*root.glob("*.md"), *root.glob("tutorials/*.md")])}


def title(path: Path) -> str:
    """The first heading."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((line[2:] for line in lines if line.startswith("# ")), "")


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m myriapod docs", description="Pages about the package; without a name, which there are.")
    parser.add_argument("page", nargs="?", help="a name of the list, as in docs/NAME.md")
    parser.add_argument("--find", metavar="WORD", help="lines of all pages that hold this word")
    args = parser.parse_args(arguments)
    there = pages()
    if args.find:
        for name, path in there.items():
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if args.find.lower() in line.lower():
                    print(f"{name}:{number}: {line}")
        return 0
    if args.page is None:
        print("\n".join(f"{name:28} {title(path)}" for name, path in there.items()))
        return 0
    name = args.page.removeprefix("docs/").removesuffix(".md")
    if name not in there:
        near = ", ".join(known for known in there if name in known) or "python -m myriapod docs lists them"
        print(f"myriapod docs: there is no page {args.page!r}: {near}", file=sys.stderr)
        return 1
    print(there[name].read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
