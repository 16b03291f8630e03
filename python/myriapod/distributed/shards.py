"""Which environments of a job a process has."""
from __future__ import annotations

from .._library import ArgumentError, ffi, lib


def shard(envs: int, rank: int, ranks: int) -> tuple[int, int]:
    """The first one, and how many: shards lie one behind the other, begin at multiples of 16 and are as even as that allows, the larger ones first; where
    there are more processes than tiles of 16 the last have none (`myr_shard`). ArgumentError: there is no process `rank` of `ranks`, or envs is below 0."""
    if not 0 <= rank < ranks:
        raise ArgumentError(f"there is no process {rank} of {ranks}")
    if envs < 0:
        raise ArgumentError(f"envs is {envs}, but must be 0 at least")
    if envs >= 1 << 63 or ranks >= 1 << 31:
        raise ArgumentError(f"envs is {envs} and ranks is {ranks}, but they must be below 2**63 and 2**31")
    first, count = ffi.new("int64_t *"), ffi.new("int64_t *")
    lib.myr_shard(envs, rank, ranks, first, count)
    return int(first[0]), int(count[0])
