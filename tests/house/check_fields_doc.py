# The table of rows in docs/batch.md is the list in layouts/fields.def. `--write` puts it there.
import os
import re
import sys

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(SOURCE, "docs", "batch.md")
BEGIN, END = "<!-- fields: written by tests/house/check_fields_doc.py --write -->\n", "<!-- /fields -->\n"


def count_in_words(count):
    sensed = re.fullmatch(r"s->sense_(\w+) \? (.*) : 0", count)
    text = (sensed.group(2) if sensed else count).replace("m->", "").replace(" * ", " ")
    if "t->" in text:  # not the caller's to ask: the task brings its fields
        return {**dict.fromkeys(("t->command", "t->memory", "t->history"), "what the task declares"), "t->actions": "nu, with a task of control steps",
                "t->terms ? t->terms + 1 : 0": "terms + 1, with a task of control steps",
                "t->actions ? 1 : 0": "1, with a task of control steps"}[text]
    return text + (f", with `sense-{sensed.group(1)}`" if sensed else "")


def table():
    with open(os.path.join(SOURCE, "layouts", "fields.def"), encoding="utf-8") as file:
        fields = re.findall(r'^MYR_FIELD\((\w+), (.*?), "(.*?)", "(.*?)", (\w+), "(.*?)"\)$', file.read(), re.M)
    lines = ["| field | rows | unit | frame | kind | what it is |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| `{name}` | {count_in_words(count)} | {unit} | {frame} | {kind} | {doc} |" for name, count, unit, frame, kind, doc in fields]
    return "\n".join(lines) + "\n", len(fields)


wanted, rows = table()
with open(PAGE, encoding="utf-8") as file:
    before, rest = file.read().split(BEGIN)
written, after = rest.split(END)
if "--write" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + wanted + END + after)
elif written != wanted or rows < 15:
    print("docs/batch.md: the table of rows is not layouts/fields.def; run: python3 tests/house/check_fields_doc.py --write")
    sys.exit(1)
print(f"{rows} fields")
