"""The tutorials run as they stand: the python blocks of a page in docs/tutorials/, of docs/planning.md and docs/front-ends.md, in their order, in one namespace and an empty directory.

A block behind `<!-- not run: REASON -->` is left out; one behind `<!-- if installed -->` where a module that it imports is not. A text block behind `<!-- printed -->` is what the block before it prints, to the letter.
A page that otherwise wants a module which is not installed is skipped."""
import ast
import contextlib
import importlib
import io
import re
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
BLOCK = re.compile(r"^(?:<!-- *(?P<comment>(?:(?!-->).)*?) *-->\n+)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """(language, comment, text with its line numbers kept) of every block of a page."""
    text = page.read_text()
    for found in BLOCK.finditer(text):
        comment = found["comment"] or ""
        yield found["language"], comment, "\n" * text.count("\n", 0, found.start("text")) + found["text"]


def missing_module(tree):
    """Name of a module that the block imports, or one which that needs, and that is not installed; None: all are."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        for name in names:
            try:
                importlib.import_module(name)
            except ModuleNotFoundError as error:
                if (error.name or "").split(".")[0] == "myriapod":
                    raise
                return error.name
    return None


@pytest.mark.parametrize("page", [*sorted(TUTORIALS.glob("*.md")), TUTORIALS.parent / "planning.md", TUTORIALS.parent / "front-ends.md"], ids=lambda page: page.stem)
def test_runs_as_it_stands(page, tmp_path, monkeypatch):
    assert any(language == "python" for language, _, _ in blocks(page)), f"{page.name} has no python block"
    found, left_out = [], False
    for language, comment, text in blocks(page):
        if comment.startswith("not run:") or (left_out and comment == "printed"):
            continue
        missing = missing_module(ast.parse(text, str(page))) if language == "python" else None
        left_out = missing is not None and comment == "if installed"
        if left_out:
            continue
        if missing:
            pytest.skip(f"no module {missing}")
        found.append((language, comment, text))
    monkeypatch.chdir(tmp_path)
    namespace, printed = {"__name__": "__main__"}, ""
    for language, comment, text in found:
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, str(page), "exec"), namespace)
            printed = out.getvalue()
        elif comment == "printed":
            assert printed.split() == text.split(), f"{page.name}: the block prints\n{printed}"
