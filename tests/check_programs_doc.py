# The table of instructions in docs/programs.md is the list in programs/ops.def. `--write` puts it there.
import os
import re
import sys

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PAGE = os.path.join(SOURCE, "docs", "programs.md")
BEGIN, END = "<!-- instructions: written by tests/check_programs_doc.py --write -->\n", "<!-- /instructions -->\n"
AFTER = {"SLICE": "register, first row, count", "GATHER": "register, rows ..", "CONCAT": "registers ..", "REPEAT": "register, times", "MATVEC": "constant, register"}


def takes(args, rule, first, second, result):
    if rule == "SIZED":
        return f"{first} rows" + (f", {second} rows" if args == "2" else "") + f": {result} rows"
    if rule in AFTER:
        return AFTER[rule]
    return ", ".join("abc"[: int(args)]) + (": one row" if rule == "FOLD" else "")


def table():
    with open(os.path.join(SOURCE, "programs", "ops.def"), encoding="utf-8") as file:
        ops = re.findall(r'^MYR_OP\(\w+, (\w+), (-?\d), (\w+), (\d+), (\d+), (\d+), "(.*?)"\)$', file.read(), re.M)
    lines = ["| instruction | takes | gives |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {takes(*rest)} | {doc.replace('|', chr(92) + '|')} |" for name, *rest, doc in ops]
    return "\n".join(lines) + "\n", len(ops)


wanted, ops = table()
with open(PAGE, encoding="utf-8") as file:
    before, rest = file.read().split(BEGIN)
written, after = rest.split(END)
if "--write" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + wanted + END + after)
elif written != wanted or ops < 40:
    print("docs/programs.md: the table is not programs/ops.def; run: python3 tests/check_programs_doc.py --write")
    sys.exit(1)
print(f"{ops} instructions")
