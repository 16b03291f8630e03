"""What a batch is and what its steps cost and reached, as dataclasses."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ._arrays import whole
from ._library import ffi, lib, text


@dataclass(frozen=True)
class Info:
    """A batch: how it computes, on what, and its memory."""

    envs: int
    precision: int  #: bytes of a number: 4 or 8
    lanes: int  #: environments per tile
    isa: str  #: instruction set in use
    threads: int
    cpus: tuple[int, ...]  #: logical processor of each worker, -1: not pinned
    bytes: int  #: memory of the batch, without reserved_bytes
    bytes_per_env: float
    dt_s: float  #: length of one step [s]; a control step is `decimation` of them
    task: str
    reserved_bytes: int  #: of the threads, for as many contacts as the setting `contacts` allows; memory only once robots have so many
    command_s: float  #: time between two commands of its task [s]; 0: it has none, or one for an episode


@dataclass(frozen=True)
class Stats:
    """Of the steps since the last clear, over environment-steps with an active slot unless said. Residuals in N s and m/s."""

    robot_steps: int  #: environments times steps of dt
    wall_s: float  #: inside the library's step
    threads: int
    stage_ns: dict[str, float]  #: per robot-step and core, sampled, by the stage's name
    task_ns: float  #: per robot-step and core, outside the stages: rewards, observations, resets of the locomotion task
    contacts_mean: float  #: active slots per robot-step, all of them
    iterations_mean: float
    iterations_p99: int
    iterations_max: int
    solves_mean: float  #: contact solves per environment-step; 1 but for dynamics=maximal
    solves_p99: int
    solves_max: int
    residual_p50: float | None  #: violation of the solver's own model; None where no solve was met, as in the next five
    residual_p99: float | None
    residual_max: float | None
    residual_ncp_p50: float | None  #: violation of the full Coulomb-Signorini law
    residual_ncp_p99: float | None
    residual_ncp_max: float | None
    limit_violation_max: float | None  #: farthest that a joint was beyond its position limit [rad | m]; None: there are no limits
    loop_error_max: float | None  #: farthest that a loop or coupling was open [m | rad]; None: there are none
    active_steps: int  #: environment-steps with an active slot or joint row
    not_converged: int  #: of those, how many ended otherwise than converged
    stalled: int  #: of these, those that rounding alone keeps open
    unsolvable: int  #: of these, those that have no solution; the rest was too slow
    lane_occupancy: float  #: useful lane sweeps over executed ones
    quarantined: int  #: environments now in quarantine


def info(batch: Any) -> Info:
    """Of a myr_batch pointer."""
    c = ffi.new("myr_batch_info *")
    lib.myr_batch_get_info(batch, c)
    own = {f.name: getattr(c, f.name) for f in fields(Info) if f.name not in ("isa", "task", "cpus")}
    return Info(isa=text(c.isa), task=text(c.task), cpus=tuple(c.cpus[i] for i in range(c.n_cpus)), **own)


def stats(batch: Any) -> Stats:
    """Of a myr_batch pointer."""
    c = ffi.new("myr_stats *")
    lib.myr_batch_stats(batch, c)
    own = {f.name: getattr(c, f.name) for f in fields(Stats) if f.name != "stage_ns"}
    own.update({name: None for name, value in own.items() if value != value})  # NaN: there is nothing to tell
    return Stats(stage_ns={text(lib.myr_stage_name(i)): c.stage_ns[i] for i in range(len(c.stage_ns))}, **own)


def quarantine_text(code: int) -> str:
    """What a number of `Batch.quarantined` says, in words, e.g. "not finite"; 0 is "healthy". docs/batch.md has what causes each."""
    return text(lib.myr_quarantine_text(whole(code, "code", 0, 2**31 - 1)))
