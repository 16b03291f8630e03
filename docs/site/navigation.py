"""The list of all pages at the left, made once: the theme asks for it on each page, where Sphinx puts it together for a fifth of a second.

On a page at another depth the links get the way up in front, and the page's own entry and those above it are marked."""
from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

ENTRY = re.compile(r'<li class="(toctree-l\d)"><a class="reference internal" href="([^"]+)">')


def marked(tree: str, pagename: str) -> str:
    """The tree of the front page as it is on another one."""
    up = "../" * pagename.count("/")
    above = [f"{'/'.join(pagename.split('/')[: depth + 1])}/index.html" for depth in range(pagename.count("/"))]

    def entry(found: re.Match[str]) -> str:
        here = found[2] == f"{pagename}.html"
        item = f"{found[1]} current" + (" current-page" if here else "") if here or found[2] in above else found[1]
        link = "current reference internal" if here else "reference internal"
        return f'<li class="{item}"><a class="{link}" href="{up}{found[2]}">'

    return ENTRY.sub(entry, tree)


def share(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    def toctree(**options: Any) -> str:
        if not hasattr(app, "myriapod_tree"):
            app.myriapod_tree = app.builder._get_local_toctree(app.config.root_doc, **options)  # type: ignore[attr-defined]
        return marked(app.myriapod_tree, pagename)  # type: ignore[attr-defined]

    context["toctree"] = toctree


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", share, priority=100)  # before the theme
    return {"parallel_read_safe": True, "parallel_write_safe": False}
