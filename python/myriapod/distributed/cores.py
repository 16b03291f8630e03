"""Which cores of a machine each of its processes has. Launchers differ: mpiexec gives each process cores of its own, torchrun gives all of them to all."""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

#: cpu -> (NUMA node, package, core): cpus of one core are siblings. A core's number is that of its first cpu: Linux' core_id need not be unique.
Topology = Mapping[int, tuple[int, int, int]]


def read_topology(cpus: Iterable[int], root: Path = Path("/sys/devices/system")) -> dict[int, tuple[int, int, int]]:
    """As Linux tells it; a cpu of which it tells nothing is a core of its own on node 0."""
    nodes: dict[int, int] = {}
    for node in root.glob("node/node[0-9]*"):
        for link in node.glob("cpu[0-9]*"):
            nodes[int(link.name[3:])] = int(node.name[4:])
    found = {}
    for cpu in cpus:
        of = root / f"cpu/cpu{cpu}/topology"
        try:
            siblings = next(name for name in ("core_cpus_list", "thread_siblings_list") if (of / name).exists())  # the second: before Linux 5.3
            package, core = int((of / "physical_package_id").read_text()), int(re.split("[,-]", (of / siblings).read_text())[0])
        except (OSError, ValueError, StopIteration):
            package, core = -1, cpu
        found[cpu] = (nodes.get(cpu, 0), package, core)
    return found


def whole_cores(topology: Topology, cpus: Iterable[int]) -> list[tuple[int, ...]]:
    """Cores with their cpus, node by node, in the order of their first cpu."""
    cores: dict[tuple[int, int, int], list[int]] = {}
    for cpu in sorted(cpus):
        cores.setdefault(topology.get(cpu, (0, -1, cpu)), []).append(cpu)
    return [tuple(of) for _, of in sorted(cores.items(), key=lambda item: (item[0][0], item[1][0]))]


def share(topology: Topology, masks: Sequence[Iterable[int]], index: int) -> tuple[int, ...]:
    """The cpus of process `index` of a machine. masks: of each of its processes the cpus that it may run on. Disjoint: the launcher has dealt them, and they stay.
    Else whole cores of all of them are dealt evenly, neighbours to neighbours; with more processes than cores these go round."""
    sets = [frozenset(mask) for mask in masks]
    together = frozenset().union(*sets)
    if sum(len(s) for s in sets) == len(together):
        return tuple(sorted(sets[index]))
    cores = whole_cores(topology, together)
    n, ranks = len(cores), len(sets)
    mine = cores[n * index // ranks : n * (index + 1) // ranks] if ranks <= n else [cores[index % n]]
    return tuple(sorted(cpu for core in mine for cpu in core))
