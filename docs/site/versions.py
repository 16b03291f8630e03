"""Several builds of the site side by side: SITE/VERSION/ each, SITE/versions.json, which the selector reads, and SITE/index.html, which leads to the newest.

    versions.py SITE
"""
from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def main(site: Path) -> None:
    found = [path.parent.name for path in site.glob("*/index.html") if re.fullmatch(r"[0-9]+(\.[0-9]+)*", path.parent.name)]
    if not found:
        sys.exit(f"{site}: there is no build, such as 0.2.0/index.html")
    versions = sorted(found, key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    (site / "versions.json").write_text(json.dumps([{"version": name, "newest": name == versions[0]} for name in versions], indent=1) + "\n", encoding="utf-8")
    rows = "\n".join(f'<li><a href="{name}/index.html">{name}</a></li>' for name in versions)
    (site / "index.html").write_text(f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={versions[0]}/index.html"><title>Myriapod</title>
<h1>Myriapod</h1>
<ul>
{rows}
</ul>
</html>
""", encoding="utf-8")
    print(f"versions: {', '.join(versions)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
