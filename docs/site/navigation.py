"""The list of all pages at the left, made once: the theme makes it anew for each page, which takes Sphinx and the theme a fifth of a second.

On a page at another depth the links get the way up in front; the page's own entry and those above it are marked, and opened."""
from __future__ import annotations

import re
from typing import Any

from furo.navigation import get_navigation_tree
from sphinx.application import Sphinx

ENTRY = re.compile(r'<li class="(toctree-l\d)( has-children)?"><a class="reference internal" href="([^"]+)">')


def marked(tree: str, pagename: str) -> str:
    """The tree of the front page as it is on another one."""
    up = "../" * pagename.count("/")
    above = {f"{'/'.join(pagename.split('/')[: depth + 1])}/index.html" for depth in range(pagename.count("/"))}

    def entry(found: re.Match[str]) -> str:
        level, children, there = found.groups(default="")
        here = there == f"{pagename}.html"
        item = level + (" current" if here or there in above else "") + (" current-page" if here else "") + children
        return f'<li class="{item}"><a class="{"current " if here else ""}reference internal" href="{up}{there}">'

    text = ENTRY.sub(entry, tree)
    return re.sub(r'(<li class="[^"]*current[^"]* has-children"><a .*?<input aria-label="[^"]*") ', r'\1 checked="" ', text)


def leave_out(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    context["toctree"] = lambda **options: ""


def put_in(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if not hasattr(app, "myriapod_tree"):
        builder: Any = app.builder
        tree = builder._get_local_toctree(app.config.root_doc, collapse=False, titles_only=True, maxdepth=-1, includehidden=True)
        app.myriapod_tree = get_navigation_tree(tree)  # type: ignore[attr-defined]
    context["furo_navigation_tree"] = marked(app.myriapod_tree, pagename)  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", leave_out, priority=100)  # before the theme
    app.connect("html-page-context", put_in, priority=900)  # behind it
    return {"parallel_read_safe": True, "parallel_write_safe": False}
