# The tables of settings in docs/settings.md are what include/myriapod/{settings,episode}.def and the lines `number` of tasks/text/ say (`--write`
# puts them there), and the weights in the tables of reward terms in docs/tasks.md are those of the lines `reward`.
import os
import re
import sys
import textwrap

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(SOURCE, "docs", "settings.md")
BEGIN, END = "<!-- settings: written by tests/house/check_settings_doc.py --write -->\n", "<!-- /settings -->\n"
NUMBER = re.compile(r'MYR_SETTING_(?:INT|REAL)\(\w+, "([^"]+)", ([^,"]+), ([^,"]+), ([^,"]+), "([^"]*)"\)')
WORD = re.compile(r'MYR_SETTING_WORD\(\w+, "([^"]+)", "([^"]*)", "([^"]*)", "([^"]*)"\)')
OWN = re.compile(r"number (\S+) (\S+) (\S+) (\S+) (.+)")
REWARD = re.compile(r"^reward (\S+) number\.(\S+) ", re.M)

# As on the page: heading, file, which of its keys. What no other group of its file takes goes where any key may.
GROUPS = [
    ("Batch, robot and time", "settings.def", r".*"),
    ("Contacts", "settings.def", r"friction|restitution.*|baumgarte|gap|compliance.*|dissipation-time"),
    ("Solver", "settings.def", r"solver|tolerance|max-sweeps|slip-.*|alpha.*|gamma|pgs-.*|beta\d|relaxation|prox-.*|warm-start"),
    ("Machine", "settings.def", r"precision|isa|threads|pin"),
    ("Episodes: actions, length, falls", "episode.def", r".*"),
    ("Episodes: commands", "episode.def", r"command-.*"),
    ("Episodes: pushes", "episode.def", r"push-.*"),
    ("Episodes: their start", "episode.def", r"start-.*"),
    ("Episodes: randomization", "episode.def", r"vary-.*"),
    ("Episodes: noise of observations", "episode.def", r"noise-.*"),
    ("Episodes: scales of observations", "episode.def", r"scale-.*"),
    ("Locomotion: measures of reward terms", "locomotion.task", r".*"),
    ("Locomotion: weights of reward terms", "locomotion.task", r"reward-.*"),
    ("Hold", "hold.task", r".*"),
]


def read(name, folder="include/myriapod"):
    with open(os.path.join(SOURCE, folder, name), encoding="utf-8") as file:
        return file.read()


def solvers():
    """Names of the table of solvers, in its order: a file each, with its line of the table in it."""
    folder = "kernels/contact"
    files = re.findall(r'^#include "([^"]+)"', read("solvers.def", folder), re.M)
    return [re.search(r'^MYR_SOLVER\(\w+, "([^"]+)"', read(name, folder), re.M).group(1) for name in files]


def isas():
    """Names of the instruction sets, in the order of their list."""
    return re.findall(r"^MYR_ISA\((\w+),", read("isas.def", "kernels"), re.M)


def tasks():
    """Names of the tasks, in the order of their list."""
    files = re.findall(r'^#include "([^"]+)"', read("tasks.def", "tasks"), re.M)
    given = re.findall(r"^MYR_GIVEN\((\w+)", read("given.def", "tasks"), re.M)
    return given + [name for file in files for name in re.findall(r"^MYR_TASK\((\w+)\)", read(file, "tasks"), re.M)]


def settings():
    """(file, key, default, range, meaning), in the files' order."""
    found = []
    for name in ("settings.def", "episode.def", "locomotion.task", "hold.task"):
        folder = "tasks/text" if name.endswith(".task") else "include/myriapod"
        for number, line in enumerate(read(name, folder).splitlines(), 1):
            if not re.match(r"MYR_SETTING_|number ", line):
                continue
            if match := NUMBER.fullmatch(line) or OWN.fullmatch(line):
                key, default, lowest, highest, meaning = match.groups()
                found.append((name, key, default, f"{lowest} to {highest}", meaning))
            elif match := WORD.fullmatch(line):
                key, default, choices, meaning = match.groups()
                lists = {"task": lambda: ["auto", *tasks()], "isa": lambda: ["auto", *isas()], "solver": solvers}  # settings.def leaves these to them
                words = choices.split("|") if choices else lists[key]()
                found.append((name, key, default, ", ".join(f"`{c}`" for c in words), meaning))
            else:
                sys.exit(f"{folder}/{name}:{number}: not in the form that tests/house/check_settings_doc.py reads: {line}")
    return found


def tables():
    rows = {heading: [] for heading, _, _ in GROUPS}
    below = {heading: "" for heading in rows}
    found = settings()
    for name, key, default, span, meaning in found:
        heading = next(h for h, file, keys in sorted(GROUPS, key=lambda g: g[2] == ".*") if file == name and re.fullmatch(keys, key))
        meaning = re.sub(r"([|*])", r"\\\1", meaning)
        row = f"| `{key}` | `{default}` | {span} | {meaning} |"
        if len(row) > 160:  # too many choices for a cell
            below[heading] += "\n" + textwrap.fill(f"`{key}` is one of {span}.", 140, break_long_words=False, break_on_hyphens=False) + "\n"
            row = f"| `{key}` | `{default}` | below | {meaning} |"
        rows[heading].append(row)
    text = ""
    for heading, _, _ in GROUPS:
        text += f"\n## {heading}\n| key | default | range or choices | meaning [unit] |\n| --- | --- | --- | --- |\n"
        text += "".join(f"{row}\n" for row in rows[heading]) + below[heading]
    return text + "\n", len(found)


wanted, count = tables()
with open(PAGE, encoding="utf-8") as file:
    before, rest = file.read().split(BEGIN)
written, after = rest.split(END)
if "--write" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + wanted + END + after)
elif written != wanted or count < 80:
    print("docs/settings.md: the tables are not include/myriapod/*.def and tasks/text/; run: python3 tests/house/check_settings_doc.py --write")
    sys.exit(1)
with open(os.path.join(SOURCE, "docs", "tasks.md"), encoding="utf-8") as file:
    pages = file.read().split("| term | default weight | value |")[1:]
defaults = {key: default for _, key, default, _, _ in settings()}
for name, page in zip(("locomotion.task", "hold.task"), pages, strict=True):
    weights = [(term, defaults[key]) for term, key in REWARD.findall(read(name, "tasks/text"))]
    told = re.findall(r"^\| ([a-z][a-z-]*) \| (-?[0-9.e-]+) \| .* \|$", page.split("\n\n")[0], re.M)
    if told != weights:
        print(f"docs/tasks.md: its reward terms are not those of {name}: {sorted(set(told) ^ set(weights)) or 'the order differs'}")
        sys.exit(1)
print(f"{count} settings")
