"""The tutorials run as notebooks: the pages of docs/tutorials/, and docs/planning.md, docs/coming-from.md and docs/front-ends.md, as the site makes notebooks of
them (docs/site/notebooks.py), executed in an empty directory by a kernel of this Python. What a page says is printed is printed, but for blanks.

A block behind `<!-- not run: REASON -->` is text; one behind `<!-- if installed -->` is left out where a module that it imports is not there. A page that
otherwise wants a module which is not installed is skipped, and so are all where nbclient or ipykernel is not."""
import ast
import importlib
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted((DOCS / "tutorials").glob("*.md")), DOCS / "planning.md", DOCS / "coming-from.md", DOCS / "front-ends.md"]

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
sys.path.insert(0, str(DOCS / "site"))
import notebooks  # noqa: E402


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


def printed(cell):
    return "".join(output["text"] for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")


def runnable(page):
    """The notebook without cells that want what is not installed, and what each cell is said to print (None: nothing is said)."""
    made = notebooks.notebook(page)
    cells = []
    for cell in made.cells:
        if cell.cell_type != "code":
            continue
        missing = missing_module(ast.parse(cell.source, f"{page}:{cell.metadata['line']}"))
        if missing and "if-installed" in cell.metadata.get("tags", ()):
            continue
        if missing:
            pytest.skip(f"no module {missing}")
        cells.append(cell)
    made.cells = cells
    return made, [printed(cell) if cell.metadata.get("printed") else None for cell in cells]


def run(made, folder):
    """Execute it where `folder` is; the error of a cell names the line of the page."""
    client = nbclient.NotebookClient(made, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        failed = next(cell for cell in made.cells if any(output.output_type == "error" for output in cell.outputs))
        pytest.fail(f"the block in line {failed.metadata['line']} fails\n{error}")
    return [printed(cell) for cell in made.cells]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_runs_as_it_stands(page, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # what cells leave among the temporary files goes with it
    made, said = runnable(page)
    assert said, f"{page.name} has no python block"
    for cell, wanted, got in zip(made.cells, said, run(made, tmp_path)):
        assert wanted is None or wanted.split() == got.split(), f"{page.name}, line {cell.metadata['line']}: the block prints\n{got}"


def test_what_is_printed_is_judged(tmp_path):
    """A page that says another output, and one whose block fails, are seen."""
    page = tmp_path / "docs" / "tutorials" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Page\n\n```python\nprint(6 * 7)\n```\n\n<!-- printed -->\n```text\n42\n```\n\n<!-- not run: never -->\n```python\n1 / 0\n```\n")
    made, said = runnable(page)
    assert said == ["42\n"] and len(notebooks.notebook(page).cells) == 3
    assert run(made, tmp_path) == ["42\n"]
    page.write_text("# Page\n\n```python\n1 / 0\n```\n")
    with pytest.raises(pytest.fail.Exception, match="line 4"):
        run(runnable(page)[0], tmp_path)
