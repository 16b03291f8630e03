# The tables of instructions and inputs in docs/programs.md and docs/tables.md are the lists in programs/ops.def and tasks/inputs.def. `--write` puts them there.
import ast
import os
import re
import sys
import textwrap

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(SOURCE, "docs", "programs.md")
BEGIN, END = "<!-- instructions: written by tests/house/check_programs_doc.py --write -->\n", "<!-- /instructions -->\n"
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


def inputs():
    with open(os.path.join(SOURCE, "tasks", "inputs.def"), encoding="utf-8") as file:
        rows = re.findall(r'^MYR_INPUT(?:_FIXED)?\(\w+, (\w+), .*?, "([^"]*)", "([^"]*)"\)$', file.read(), re.M)
    return "".join(f"| `{name}` | {doc} [{unit}] |\n" for name, unit, doc in rows), len(rows)


def terms():
    """Of each module of python/myriapod/terms its functions, with their first line of words."""
    folder, lines, n = os.path.join(SOURCE, "python", "myriapod", "terms"), [], 0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py") or name == "__init__.py":
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        source = " ".join(ast.get_docstring(tree).split("\n\n")[0].split())
        lines += [f"## {name[:-3]}", *textwrap.wrap(source, 150, break_long_words=False), "", "| function | of | what |", "| --- | --- | --- |"]
        for f in tree.body:
            if isinstance(f, ast.FunctionDef) and not f.name.startswith("_"):
                given = [a.arg for a in f.args.args]
                usual = dict(zip(given[len(given) - len(f.args.defaults):], map(ast.unparse, f.args.defaults)))
                words = ast.get_docstring(f).replace("|", chr(92) + "|")
                rows = [f"| `{f.name}` | {', '.join(told)} | {words} |" for told in  # what fits a line of the page
                        ([f"{a} = {usual[a]}" if a in usual else a for a in given], given, [a for a in given if a not in usual], [*given[:2], ".."])]
                lines.append(next((row for row in rows if len(row) <= 160), rows[-1]))
                n += 1
        lines.append("")
    return "\n".join(lines), n


def written_in(page, begin, end, wanted):
    """Is the part between the marks what it should be? Writes it where that is asked for."""
    with open(page, encoding="utf-8") as file:
        before, rest = file.read().split(begin)
    written, after = rest.split(end)
    if "--write" in sys.argv:
        with open(page, "w", encoding="utf-8") as file:
            file.write(before + begin + wanted + end + after)
    return "--write" in sys.argv or written == wanted


wanted, ops = table()
named, n_inputs = inputs()
good = written_in(PAGE, BEGIN, END, wanted) and ops >= 40
good &= written_in(os.path.join(SOURCE, "docs", "tables.md"), "<!-- inputs: written by tests/house/check_programs_doc.py --write -->\n", "<!-- /inputs -->\n", named) and n_inputs >= 20
listed, n_terms = terms()
good &= written_in(os.path.join(SOURCE, "docs", "terms.md"), "<!-- terms: written by tests/house/check_programs_doc.py --write -->\n", "<!-- /terms -->\n", listed) and n_terms >= 60
if not good:
    print("docs: a table is not programs/ops.def, tasks/inputs.def or python/myriapod/terms; run: python3 tests/house/check_programs_doc.py --write")
    sys.exit(1)
print(f"{ops} instructions, {n_inputs} inputs, {n_terms} terms")
