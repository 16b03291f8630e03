"""Write docs/api.md, the list of what is public, from the sources alone: nothing needs to be built, installed or imported.

    write_reference.py SOURCE_DIRECTORY > api.md

Python: the names of `myriapod.__all__` and the modules of MODULES, by their syntax trees. C: functions of include/myriapod/*.h, each with the comment
beside it or above it (above the types that stand between, without an empty line). tests/house/check_api_doc.py holds the page to this."""
from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

import write_modules

MODULES = ("envs.protocol", "envs.lane_task", "envs.rollout", "envs.locomotion", "envs.any_task", "envs.trained", "envs.gym", "envs.rsl_rl", "envs.sb3",
           "envs.numpy_task", "policies.lanes", "learn.ppo", "learn.loop", "learn.backend", "learn.lanes", "learn.rsl_rl", "learn.goal", "learn.score", "rays",
           "rollout", "known", "frontends.unisim", "frontends.wandb")  # beside what __all__ names
HEAD = """# Reference

Every public name with its signature and the first sentence of what its source says of it. It is written by
`tests/house/check_api_doc.py --write`: change the docstrings and comments, not this page. `make docs` makes a site of the whole docstrings
and of the whole comments of the headers, [include/myriapod/](../include/myriapod).
"""


def first_sentence(text: str) -> str:
    """Of the first paragraph."""
    paragraph = " ".join(re.split(r"\n\s*\n", text.strip())[0].split())
    end = re.search(r"(?<!e\.g)(?<!i\.e)(?<! al)(?<!\.)\.(?=\s)", paragraph)
    return paragraph[: end.end()] if end else paragraph


def item(signature: str, words: str, depth: int = 0) -> str:
    """A line of the list; stars in the words are text, not marks."""
    words = "".join(part if i % 2 else part.replace("*", r"\*") for i, part in enumerate(re.split(r"(`[^`]*`)", words)))
    line, indent = f"- `{signature}`" + (f": {words}" if words else ""), "  " * depth
    return textwrap.fill(line, 140, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False, break_on_hyphens=False) + "\n"


# ---- Python ----------------------------------------------------------------------------------------------------------


class Module:
    """A module's source: definitions by name, imports from within the package, and the `#:` comments of lines."""

    def __init__(self, path: Path, text: str | None = None, name: str = "") -> None:
        self.path = path
        self.parts = name.split(".")[: None if path.parent.name == name.rpartition(".")[2] else -1]  # the package that it is in
        self.lines = (path.read_text(encoding="utf-8") if text is None else text).splitlines()
        self.tree = ast.parse("\n".join(self.lines))
        self.definitions: dict[str, ast.stmt] = {}
        self.imports: dict[str, tuple[str, str]] = {}  # name -> module, name there
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.definitions[node.name] = node
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        self.definitions[target.id] = node
            elif isinstance(node, ast.ImportFrom) and node.level:
                within = ".".join([*self.parts[: len(self.parts) - node.level + 1], *([node.module] if node.module else [])])
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = (within, alias.name) if node.module else (f"{within}.{alias.name}".strip("."), "")

    def comment(self, node: ast.stmt) -> str:
        """`#: words` at the end of the statement's last line, or on lines of their own above it."""
        last = self.lines[node.end_lineno - 1][node.end_col_offset :]
        if match := re.search(r"#: ?(.*)", last):
            return match.group(1).strip()
        words: list[str] = []
        for line in reversed(self.lines[: node.lineno - 1]):
            match = re.match(r"\s*#: ?(.*)", line)
            if not match:
                break
            words.insert(0, match.group(1).strip())
        return " ".join(words)


def decorators(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    return [ast.unparse(d) for d in node.decorator_list]


def parameters(given: ast.arguments) -> list[str]:
    """As written in a call's declaration, with blanks around the `=` of annotated ones."""

    def one(argument: ast.arg, default: ast.expr | None) -> str:
        equals = " = " if argument.annotation else "="
        return ast.unparse(argument) + ("" if default is None else equals + ast.unparse(default))

    plain = [*given.posonlyargs, *given.args]
    texts = [one(a, d) for a, d in zip(plain, [None] * (len(plain) - len(given.defaults)) + given.defaults)]
    if given.posonlyargs:
        texts.insert(len(given.posonlyargs), "/")
    if given.vararg or given.kwonlyargs:
        texts.append(f"*{ast.unparse(given.vararg) if given.vararg else ''}")
    texts += [one(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults)]
    return texts + ([f"**{ast.unparse(given.kwarg)}"] if given.kwarg else [])


def signature(node: ast.FunctionDef, name: str, bound: bool = False) -> str:
    """As it is called: of a method without `self` or `cls`."""
    texts = parameters(node.args)[1 if bound and "staticmethod" not in decorators(node) else 0 :]
    back = "" if node.returns is None or ast.unparse(node.returns) == "None" else f" -> {ast.unparse(node.returns)}"
    return f"{name}({', '.join(texts)}){back}"


class Reference:
    """The page, and what it lacks because a docstring is missing."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.package = source / "python" / "myriapod"
        self.modules: dict[str, Module] = {}
        self.missing: list[str] = []
        self.shown: set[str] = set()  # classes that have entries of their own

    def module(self, name: str) -> Module:
        if name not in self.modules:
            if name == "_fields":  # written when the package is built
                header = self.source / "include" / "myriapod" / "batch.h"
                self.modules[name] = Module(header, write_modules.fields_text(header.read_text(encoding="utf-8")))
            else:
                path = self.package / f"{name.replace('.', '/')}.py"
                self.modules[name] = Module(path if path.exists() else path.with_suffix("") / "__init__.py", name=name)
        return self.modules[name]

    def lacks(self, path: Path, line: int, what: str) -> str:
        self.missing.append(f"{path.relative_to(self.source)}:{line}: {what} has no docstring, and is public")
        return ""

    def words(self, module: Module, node: ast.FunctionDef | ast.ClassDef, what: str) -> str:
        text = ast.get_docstring(node)
        return first_sentence(text) if text else self.lacks(module.path, node.lineno, what)

    def inherited(self, module: Module, node: ast.ClassDef) -> str:
        """Members that come from bases of the package which are not shown themselves."""
        text = ""
        own = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
        for base in (b.id for b in node.bases if isinstance(b, ast.Name) and b.id in module.imports and b.id not in self.shown):
            where, name = module.imports[base]
            there = self.module(where)
            if isinstance(there.definitions.get(name), ast.ClassDef):
                text += self.members(there, there.definitions[name], own)
        return text

    def members(self, module: Module, node: ast.ClassDef, hidden: set[str]) -> str:
        """Of a class: attributes, properties, methods."""
        attributes = properties = methods = ""
        for child in node.body:
            if isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name) and not child.target.id.startswith("_"):
                value = f" = {ast.unparse(child.value)}" if child.value is not None else ""
                attributes += item(f"{child.target.id}: {ast.unparse(child.annotation)}{value}", module.comment(child), 1)
            if not isinstance(child, ast.FunctionDef) or child.name in hidden:
                continue
            marks, what = decorators(child), f"{node.name}.{child.name}"
            if child.name == "__init__":
                attributes += self.made_attributes(module, child)
            elif re.match(r"_(?!_)", child.name) or child.name.startswith("__") and ast.get_docstring(child) is None:
                continue
            elif "property" in marks:
                kind = f": {ast.unparse(child.returns)}" if child.returns else ""
                properties += item(f"{child.name}{kind}", self.words(module, child, what), 1)
            elif not any(mark.endswith((".setter", ".deleter")) for mark in marks):
                prefix = f"{node.name}." if {"classmethod", "staticmethod"} & set(marks) else ""
                methods += item(prefix + signature(child, child.name, bound=True), self.words(module, child, what), 1)
        return attributes + properties + methods

    def made_attributes(self, module: Module, start: ast.FunctionDef) -> str:
        """What __init__ puts on `self` and says `#:` of."""
        text = ""
        for line in start.body:
            target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
            if isinstance(target, ast.Attribute) and not target.attr.startswith("_") and module.comment(line):
                text += item(target.attr, module.comment(line), 1)
        return text

    def entry(self, module: Module, name: str) -> str:
        node = module.definitions[name]
        if isinstance(node, ast.FunctionDef):
            return item(signature(node, name), self.words(module, node, name))
        if isinstance(node, ast.ClassDef):
            start = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
            if start is not None and not isinstance(start.body[-1], ast.Raise):
                made = signature(start, name, bound=True)
            else:
                made = f"{name}({', '.join(map(ast.unparse, node.bases))})" if node.bases else name
            text = item(f"class {made}", self.words(module, node, name))
            return text + self.inherited(module, node) + self.members(module, node, set())
        words = module.comment(node)
        kind = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
        return item(f"{name}{kind}", first_sentence(words) if words else self.lacks(module.path, node.lineno, name))

    def python(self) -> str:
        top = self.module("__init__")
        names = ast.literal_eval(top.definitions["__all__"].value)
        self.shown = set(names)
        text = "\n## Python: myriapod\n\n"
        for name in sorted(names, key=lambda n: (n.startswith("_"), n.lower(), n)):
            where, there = top.imports[name]
            if there:
                text += self.entry(self.module(where), there)
            else:
                text += item(f"myriapod.{name}", "a module, see below.")
        for name in MODULES:
            module = self.module(name)
            doc = ast.get_docstring(module.tree)
            text += f"\n## Python: myriapod.{name}\n\n{first_sentence(doc) if doc else self.lacks(module.path, 1, f'myriapod.{name}')}\n\n"
            for public, node in sorted(module.definitions.items(), key=lambda d: d[1].lineno):
                if top.imports.get(public) == (name, public) or public.startswith("_"):
                    continue  # it is above
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) or module.comment(node):
                    text += self.entry(module, public)
        return text

    # ---- C -----------------------------------------------------------------------------------------------------------

    def c(self) -> str:
        text = ""
        for path in sorted((self.source / "include" / "myriapod").glob("*.h")):
            source = path.read_text(encoding="utf-8")
            functions = ""
            for block in re.finditer(r"(?:^[^\n]*\S[^\n]*\n)+", source, re.M):  # lines without an empty one between them
                functions += self.block(path, source, block)
            if functions:
                head = re.match(r"/\*(.*?)\*/", source, re.S)
                words = first_sentence(uncomment(head.group(1))) if head else self.lacks(path, 1, path.name)
                text += f"\n## C: myriapod/{path.name}\n\n{words}\n\n{functions}"
        return text

    def block(self, path: Path, source: str, block: re.Match[str]) -> str:
        text, words = "", ""  # of the last comment, until a function has it
        for part in re.finditer(r"^/\*(.*?)\*/\n|^MYR_API (.*?\));(?: */\*(.*?)\*/)?$", block.group(), re.M | re.S):
            comment, declaration, beside = part.groups()
            if comment is not None:
                words = "" if comment.startswith(" ----") else first_sentence(uncomment(comment))
                continue
            declaration = " ".join(declaration.split())
            said, words = first_sentence(uncomment(beside)) if beside else words, ""
            line = source.count("\n", 0, block.start() + part.start()) + 1
            text += item(declaration, said or self.lacks(path, line, re.search(r"(\w+)\(", declaration).group(1)))
        return text


def uncomment(comment: str) -> str:
    """Without the stars at the beginnings of lines."""
    return re.sub(r"^ *\* ?", "", comment, flags=re.M).strip()


def reference(source: str) -> tuple[str, list[str]]:
    """The page, and a line for every public thing without a docstring."""
    page = Reference(Path(source).resolve())
    return HEAD + page.python() + page.c(), page.missing


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(reference(sys.argv[1])[0], end="")
