# No module of the Python package imports another that imports it, on whatever way: imports within functions count, those for types alone
# (`if TYPE_CHECKING:`) do not. Its rooms stand on each other in one order.
import ast
import os
import sys

SOURCE = os.environ["MYRIAPOD_SOURCE"]
PACKAGE = os.path.join(SOURCE, "python", "myriapod")
GENERATED = {"_myriapod_ffi", "_fields", "_geoms"}
# From below: a room imports from those before it, and from the modules outside of all rooms. Modules outside may import from them.
ROOMS = ("policies", "envs", "learn", "programs", "plan")


def modules():
    """Dotted name in the package -> path."""
    found = {}
    for folder, _, names in os.walk(PACKAGE):
        for name in names:
            if name.endswith(".py"):
                parts = os.path.relpath(os.path.join(folder, name[:-3]), PACKAGE).split(os.sep)
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = os.path.join(folder, name)
    return found


def imports(tree):
    """Import statements, without those under `if TYPE_CHECKING:`; what stands in its `else` is run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            yield from imports(ast.Module(node.orelse, []))
        else:
            yield from imports(node)


def targets(name, text, is_package, known):
    """Modules of the package that a module's text imports, by `from .x import` as by `from myriapod.x import` and `import myriapod.x`."""
    package = ["myriapod", *(name.split(".") if name else [])]
    package = package if is_package else package[:-1]
    for node in imports(ast.parse(text)):
        if isinstance(node, ast.Import):
            wanted = [(alias.name, "") for alias in node.names]
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            within = ".".join([*base, *([node.module] if node.module else [])])
            wanted = [(within, alias.name) for alias in node.names]
        for within, word in wanted:
            if within.split(".")[0] == "myriapod":
                within = within.partition(".")[2]
                longer = f"{within}.{word}".strip(".")
                yield longer if longer in known else within


def cycle(graph):
    """One, as a list of names; empty: there is none."""
    state, stack = {}, []

    def visit(name):
        state[name] = 1
        stack.append(name)
        for other in sorted(graph[name]):
            if state.get(other) == 1:
                return stack[stack.index(other):] + [other]
            if other in graph and other not in state and (found := visit(other)):
                return found
        stack.pop()
        state[name] = 2
        return []

    for name in sorted(graph):
        if name not in state and (found := visit(name)):
            return found
    return []


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


known = modules()
# All ways to import are seen.
for words, wanted in (("from .b import f", "b"), ("from . import b", "b"), ("def f():\n    from .b import g", "b"), ("import myriapod.b", "b"), ("import os", None),
                      ("from myriapod import b", "b"), ("from myriapod.b import f", "b"), ("if TYPE_CHECKING:\n    from .b import f", None), ("from . import f", ""),
                      ("if TYPE_CHECKING:\n    pass\nelse:\n    from .b import f", "b"), ("if not TYPE_CHECKING:\n    from .b import f", "b")):
    if list(targets("a", words, False, {"": "", "a": "", "b": ""})) != ([] if wanted is None else [wanted]):
        sys.exit(f"this test no longer sees what is imported by {words!r}")
graph = {name: {t for t in targets(name, read(path), path.endswith("__init__.py"), known) if t not in GENERATED and t != name} for name, path in known.items()}
edges = sum(map(len, graph.values()))
if len(graph) < 40 or edges < 100:
    sys.exit(f"{len(graph)} modules and {edges} imports were found: this test no longer sees the package")
found = cycle(graph)
if found:
    sys.exit("modules import each other in a circle: " + " -> ".join(name or "myriapod" for name in found))
rooms = {name: ROOMS.index(name.split(".")[0]) for name in graph if name.split(".")[0] in ROOMS}
upward = [f"{name} imports {other}" for name in rooms for other in graph[name] if rooms.get(other, -1) > rooms[name]]
if upward or len(set(rooms.values())) < len(ROOMS):
    sys.exit(f"the rooms {', '.join(ROOMS)} stand on each other in this order, but " + ("; ".join(upward) or "one of them is gone"))
print(f"{len(graph)} modules, {edges} imports, no circle")
