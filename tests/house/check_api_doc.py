# docs/api.md lists what is public in C and Python as the sources have it, and everything public says what it is. `--write` writes the page.
import os
import sys

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(SOURCE, "docs", "api.md")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "python"))
from write_reference import reference  # noqa: E402

wanted, missing = reference(SOURCE)
count = wanted.count("\n- `") + wanted.count("\n  - `")
if missing:
    print("\n".join(missing))
    sys.exit(1)
if "--write" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(wanted)
else:
    with open(PAGE, encoding="utf-8") as file:
        written = file.read()
    if written != wanted or count < 200:
        print("docs/api.md is not what the sources say; run: python3 tests/house/check_api_doc.py --write")
        sys.exit(1)
print(f"{count} public names")
