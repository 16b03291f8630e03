"""Docstrings of the package are Markdown, as its pages are: autodoc gets each as one directive, whose content MyST reads.

Tutorials get a line that leads to their notebooks."""
from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def language(text: str) -> str:
    """Of an indented block, which says none."""
    try:
        compile(text, "block", "exec")
    except SyntaxError:
        return "none"
    return "python"


class Markdown(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        inner = new_document(self.get_source_info()[0], self.state.document.settings)
        MystParser().parse("\n".join(self.content), inner)
        for block in inner.findall(nodes.literal_block):
            block["language"] = language(block.astext())
        for node in inner.findall():
            node.document = self.state.document  # else each docstring's own document is kept with the page
        return list(inner.children)


def as_markdown(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """The lines in place, as autodoc wants it."""
    if what == "module" or lines and lines[0].startswith("Alias for field number"):
        lines.clear()  # stage.py has put it at the top of the page; NamedTuple's words say nothing
    elif any(line.strip() for line in lines):
        lines[:] = [".. markdown::", "", *(f"   {line}" for line in lines), ""]


def public_bases(app: Sphinx, name: str, obj: Any, options: Any, bases: list[Any]) -> None:
    """Classes within the package that only share code are not shown."""
    public = [base for base in bases if not any(part.startswith("_") for part in f"{base.__module__}.{getattr(base, '__name__', '')}".split("."))]
    bases[:] = public or [object]


def lead_to_notebook(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname.startswith("docs/tutorials/"):
        title, _, rest = source[0].partition("\n")
        source[0] = f"{title}\n\nThis page {{download}}`as a notebook <{docname.rpartition('/')[2]}.ipynb>`.\n{rest}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("markdown", Markdown)
    app.connect("autodoc-process-docstring", as_markdown)
    app.connect("autodoc-process-bases", public_bases)
    app.connect("source-read", lead_to_notebook)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
