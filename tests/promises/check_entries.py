# Every public function keeps the caller's floating-point environment out and as it was: one that returns a status begins with
# MYR_OWN_ARITHMETIC (machine/machine.h), and tests/*/*floating_point*.c call every one, whatever it returns.
import os
import re
import sys

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def sources(folder, ending):
    return [(f"{folder}/{name}", read(folder, name)) for name in sorted(os.listdir(os.path.join(SOURCE, folder))) if name.endswith(ending)]


public = {}
for path, text in sources("include/myriapod", ".h"):
    for kind, name in re.findall(r"^MYR_API ([\w *]*?\*?)\b(myr_\w+)\(", text, re.M):
        public[name] = kind.strip()

problems = []
first_lines = {}
LIBRARY = ("model", "formats", "terrain", "kernels", "programs", "batch", "tasks", "settings", "problems", "files", "plan", "learn")
for folder in LIBRARY:
    for path, text in sources(folder, ".c"):
        for name, line in re.findall(r"^myr_status (myr_\w+)\([^;{]*?\) \{\n\s*(.*)\n", text, re.M):
            first_lines[name] = (path, line)
for name, kind in public.items():
    if kind != "myr_status":
        continue
    if name not in first_lines:
        problems.append(f"{name}: no definition `myr_status {name}(...) {{` found in {'/, '.join(LIBRARY)}/")
    elif first_lines[name][1] != "MYR_OWN_ARITHMETIC;":
        problems.append(f"{first_lines[name][0]}: {name} does not begin with MYR_OWN_ARITHMETIC")

test = "".join(text for folder in ("promises", "support") for path, text in sources(f"tests/{folder}", ".c") if "floating_point" in path)
for name in public:
    if not re.search(rf"\bIN(_MUST)?\((\w+ = )?{name}\(", test):
        problems.append(f"tests/*/*floating_point*.c do not call {name}")

if len(public) < 60:
    problems.append(f"only {len(public)} public functions found")
print("\n".join(problems) or f"{len(public)} public functions")
sys.exit(1 if problems else 0)
