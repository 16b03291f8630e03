# No module of the Python package imports another that imports it, on whatever way: imports within functions count, those for types alone
# (`if TYPE_CHECKING:`) do not.
import ast
import os
import sys

SOURCE = os.environ["MYRIAPOD_SOURCE"]
PACKAGE = os.path.join(SOURCE, "python", "myriapod")
GENERATED = {"_myriapod_ffi", "_fields", "_geoms"}


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
    """Import statements, without those under `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom):
            yield node
        yield from imports(node)


def targets(name, path, known):
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
    for node in imports(tree):
        if not node.level:
            continue
        base = package.split(".")[: len(package.split(".")) - node.level + 1] if package else []
        within = ".".join([*[part for part in base if part], *([node.module] if node.module else [])])
        for alias in node.names:
            longer = f"{within}.{alias.name}" if within else alias.name
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


known = modules()
graph = {name: {t for t in targets(name, path, known) if t not in GENERATED and t != name} for name, path in known.items()}
edges = sum(map(len, graph.values()))
if len(graph) < 40 or edges < 100:
    sys.exit(f"{len(graph)} modules and {edges} imports were found: this test no longer sees the package")
found = cycle(graph)
if found:
    sys.exit("modules import each other in a circle: " + " -> ".join(name or "myriapod" for name in found))
print(f"{len(graph)} modules, {edges} imports, no circle")
