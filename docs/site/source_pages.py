"""Links from pages to files of the repository: to a web address of the source tree where one is given, else to a page with the file's text.

A page says `../robot/robot.lane.h`, which is right where the repository itself is read. With `myriapod_source_url` the link goes to
URL/robot/robot.lane.h; without, the site gets the page source/robot/robot.lane.h.html, highlighted. A folder becomes a list of its files, each with
its page. A link to what does not exist is left to MyST, which warns. The role `source` makes such a link in reStructuredText."""
from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx

LARGEST = 60_000  # bytes of a file that gets a page
LEXERS = {".def": "x.c", ".task": "x.txt", ".urdf": "x.xml"}  # by the like of which they are highlighted
HIDDEN = {"__pycache__"}


def link_of(app: Sphinx, docname: str, path: Path) -> str:
    """Where a link to a file of the repository leads, and note that its page is wanted."""
    root: Path = app.config.myriapod_root
    short = path.relative_to(root).as_posix()
    if app.config.myriapod_source_url:
        return f"{app.config.myriapod_source_url.rstrip('/')}/{short}"
    wanted_pages(app).setdefault(short, None)
    return app.builder.get_relative_uri(docname, f"source/{short}")


def wanted_pages(app: Sphinx) -> dict[str, None]:
    if not hasattr(app.env, "myriapod_source_pages"):
        app.env.myriapod_source_pages = {}  # type: ignore[attr-defined]
    return app.env.myriapod_source_pages  # type: ignore[attr-defined,no-any-return]


def resolve(app: Sphinx, document: nodes.document) -> None:
    """Links that MyST has left open and that lead to a file which is not a page of the site."""
    root: Path = app.config.myriapod_root
    docname = app.env.docname
    for node in list(document.findall(addnodes.pending_xref)):
        target = node["reftarget"].split("#")[0]
        if node["reftype"] != "myst" or node.get("refdomain") == "doc" or not target:
            continue
        path = Path(os.path.normpath(root / Path(docname).parent / target))
        if path.exists() and path.is_relative_to(root):
            reference = nodes.reference("", "", *(child.deepcopy() for child in node.children), refuri=link_of(app, docname, path), internal=True)
            node.replace_self(reference)


def source_role(name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None) -> tuple[list[Any], list[Any]]:
    app = inliner.document.settings.env.app
    path = app.config.myriapod_root / text
    if not path.exists():
        return [], [inliner.reporter.error(f"there is no {text}", line=lineno)]
    return [nodes.reference("", "", nodes.literal(text, text), refuri=link_of(app, inliner.document.settings.env.docname, path), internal=True)], []


def readable(path: Path) -> str | None:
    """The text of a file; None: it is large, or not text."""
    if path.stat().st_size > LARGEST:
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def file_body(path: Path, text: str) -> str:
    try:
        lexer = get_lexer_for_filename(LEXERS.get(path.suffix, path.name))
    except ClassNotFound:
        lexer = TextLexer()
    return highlight(text, lexer, HtmlFormatter(cssclass="highlight", linenos="inline", lineanchors="L", anchorlinenos=True))


def folder_body(root: Path, folder: Path, pagename: str, app: Sphinx) -> tuple[str, list[str]]:
    """A list of what is in a folder, and the names of those that have pages."""
    rows, wanted = [], []
    for path in sorted(folder.iterdir(), key=lambda p: (p.is_file(), p.name)):
        if path.name in HIDDEN or path.name.startswith("."):
            continue
        short = path.relative_to(root).as_posix()
        name = html.escape(path.name + ("/" if path.is_dir() else ""))
        if path.is_dir() or readable(path) is not None:
            wanted.append(short)
            rows.append(f'<li><a href="{app.builder.get_relative_uri(pagename, f"source/{short}")}"><code>{name}</code></a></li>')
        else:
            rows.append(f"<li><code>{name}</code>, {path.stat().st_size // 1000} kB</li>")
    return f'<ul class="source-folder">{"".join(rows)}</ul>', wanted


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{short} - {site}</title>
<link rel="stylesheet" href="{up}_static/pygments.css">
<link rel="stylesheet" href="{up}_static/source.css">
</head>
<body>
<p><a href="{up}index.html">{site}</a></p>
<h1><code>{short}</code></h1>
{body}
</body>
</html>
"""


def write_pages(app: Sphinx, exception: Exception | None) -> None:
    """Outside of the theme: hundreds of pages take a second so."""
    if exception or app.builder.format != "html":
        return
    root: Path = app.config.myriapod_root
    left, made = list(wanted_pages(app)), set[str]()
    while left:
        short = left.pop()
        if short in made:
            continue
        made.add(short)
        path = root / short
        if path.is_dir():
            body, wanted = folder_body(root, path, f"source/{short}", app)
            left += wanted
        else:
            text = readable(path)
            body = f"<p>{path.stat().st_size // 1000} kB, in the repository.</p>" if text is None else file_body(path, text)
        out = Path(app.outdir) / "source" / f"{short}.html"
        out.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (short.count("/") + 1)
        out.write_text(PAGE.format(short=html.escape(short), site=html.escape(app.config.html_title), up=up, body=body), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("myriapod_root", None, "env", [type(Path())])
    app.add_config_value("myriapod_source_url", "", "env", [str])
    app.connect("doctree-read", resolve)
    app.connect("build-finished", write_pages)
    app.add_role("source", source_role)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
