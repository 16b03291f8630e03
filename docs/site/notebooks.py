"""Tutorials as notebooks. A page of docs/tutorials is plain Markdown; its python blocks become cells, all else text.

    notebooks.py PAGE.md OUT.ipynb

- A text block behind `<!-- printed -->` is the output of the cell before it: notebooks show outputs without having been run, and the test that
  runs them (python/tests/test_tutorials.py) holds these outputs to what is printed.
- A block behind `<!-- not run: REASON -->` stays text.
- A block behind `<!-- if installed -->` is a cell with the tag `if-installed`: the test leaves it out where a module that it imports is not there.
- Pictures travel inside. Links to other pages become the pages' names."""
from __future__ import annotations

import base64
import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

BLOCK = re.compile(r"^(?:<!-- *(?P<comment>(?:(?!-->).)*?) *-->\n+)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|attachment:)([^)\s]*)\)")


def text_cell(page: Path, text: str) -> Any:
    """Text between blocks, with its pictures."""
    root = next(folder for folder in page.parents if folder.name == "docs").parent
    attachments: dict[str, dict[str, str]] = {}

    def picture(found: re.Match[str]) -> str:
        path = page.parent / found[2]
        attachments[path.name] = {"image/png": base64.b64encode(path.read_bytes()).decode()}
        return f"![{found[1]}](attachment:{path.name})"

    def link(found: re.Match[str]) -> str:
        target = found[2].split("#")[0]
        if not target:
            return found[1]
        name = os.path.relpath(os.path.normpath(page.parent / target), root)
        return found[1] if found[1].strip("`") in (name, Path(name).name) else f"{found[1]} ({name})"

    cell = new_markdown_cell(LINK.sub(link, IMAGE.sub(picture, text)).strip())
    if attachments:
        cell["attachments"] = attachments
    return cell


def notebook(page: Path) -> Any:
    """The notebook of a page; cells say by metadata `line` where on the page they begin, and `printed` what they print."""
    source = page.read_text(encoding="utf-8")
    cells: list[Any] = []
    text, at = "", 0
    for found in BLOCK.finditer(source):
        text += source[at : found.start()]
        at = found.end()
        comment, language = found["comment"] or "", found["language"]
        if comment == "printed" and cells and cells[-1].cell_type == "code" and not text.strip():
            cells[-1].outputs = [new_output("stream", name="stdout", text=found["text"])]
            cells[-1].metadata["printed"] = True
        elif language == "python" and not comment.startswith("not run:"):
            if text.strip():
                cells.append(text_cell(page, text))
            text = ""
            cells.append(new_code_cell(found["text"].rstrip("\n")))
            cells[-1].metadata["line"] = source.count("\n", 0, found.start("text")) + 1
            if comment == "if installed":
                cells[-1].metadata["tags"] = ["if-installed"]
        else:
            text += found.group().removeprefix(f"<!-- {comment} -->\n")
    if (text + source[at:]).strip():
        cells.append(text_cell(page, text + source[at:]))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # the same bytes each time
    return new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
                                               "language_info": {"name": "python"}})


def write(page: Path, out: Path) -> None:
    made = notebook(page)
    nbformat.validate(made)
    nbformat.write(made, out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
