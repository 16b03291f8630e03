"""Follow every link within a built site: pages, places on them, pictures, scripts, styles, downloads. Links to other sites are counted, not asked.

    links.py SITE/VERSION         exit status 1: a link is broken; each is printed
"""
from __future__ import annotations

import os
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FOLLOWED = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}


class Page(HTMLParser):
    """Places that can be linked to, and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for key in ("id", "name"):
            if given.get(key):
                self.places.add(str(given[key]))
        link = given.get(FOLLOWED.get(tag, ""))
        if link is not None:
            self.links.append(link)


def main(site: Path) -> int:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts}
    if not pages:
        sys.exit(f"{site}: there is no page")
    inside = outside = 0
    broken = []
    files = {str(path) for path in site.rglob("*") if path.is_file()}
    places = {str(path): page.places for path, page in pages.items()}
    for path, page in pages.items():
        folder = str(path.parent)
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                outside += 1
                continue
            inside += 1
            there = os.path.normpath(os.path.join(folder, unquote(parts.path))) if parts.path else str(path)
            place = unquote(parts.fragment)
            if there not in files:
                broken.append(f"{path.relative_to(site)}: {link}: there is no such file")
            elif place and place not in places.get(there, {place}):
                broken.append(f"{path.relative_to(site)}: {link}: there is no such place")
    for line in broken:
        print(line)
    print(f"{len(pages)} pages, {inside} links within the site, {len(broken)} broken; {outside} to other sites, not asked")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
