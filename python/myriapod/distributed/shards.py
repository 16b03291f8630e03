"""Which environments of a job a process has."""
from __future__ import annotations

from .._library import ArgumentError

#: A tile of floats: no two processes have a part of one.
TILE = 16


def shard(envs: int, rank: int, ranks: int) -> tuple[int, int]:
    """The first one, and how many: shards lie one behind the other, begin at multiples of 16 and are as even as that allows; where there are more processes
    than tiles some have none. ArgumentError: there is no process `rank` of `ranks`, or envs is below 0."""
    if not 0 <= rank < ranks:
        raise ArgumentError(f"there is no process {rank} of {ranks}")
    if envs < 0:
        raise ArgumentError(f"envs is {envs}, but must be 0 at least")
    tiles = (envs + TILE - 1) // TILE
    first, end = (min(envs, TILE * (tiles * r // ranks)) for r in (rank, rank + 1))
    return first, end - first
