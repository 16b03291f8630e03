"""A learner in lanes (include/myriapod/learn.h): PPO for multilayer perceptrons on the processor, with the same bits on every machine.

    with Learner(task.num_envs, task.num_observations, task.num_actions, seed=1) as learner:
        for _ in range(200):
            learner.collect(task)
            report = learner.update()
        learner.policy().save("policy.npz")

`python -m myriapod.train` is its command line."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _arrays
from .._handle import Handle
from .._library import ArgumentError, check, encode, ffi, lib
from .._names import warn_at_caller
from ..envs.lane_task import LaneTask
from ..policies.lanes import ACTIVATIONS
from ..policies.networks import Policy
from .exchange import Exchange, Job, shard

#: Options by the names that they had: they are taken still, with a warning.
RENAMED = {"discount": "gamma", "lambda": "lam", "rate": "learning_rate", "divergence": "desired_kl", "entropy_weight": "entropy_coef", "value_weight": "value_loss_coef",
           "gradient_norm": "max_grad_norm", "clip": "clip_param"}


def renamed(options: Mapping[str, Any], warn: bool = True) -> dict[str, Any]:
    """Options by their names of today. ArgumentError: one is given by both."""
    made: dict[str, Any] = {}
    for name, value in options.items():
        now = RENAMED.get(name, name)
        if now != name and warn:
            warn_at_caller(f"the option {name} is called {now} now", DeprecationWarning)
        if now in made:
            raise ArgumentError(f"the option {now} is given twice, once as {next(old for old, new in RENAMED.items() if new == now)}")
        made[now] = value
    return made


_STRUCT = {name for name, _ in ffi.typeof("myr_learn_options").fields} - {"envs", "observations", "actions", "hidden_layers"}
#: Names of a learner's options.
OPTIONS = tuple(sorted(_STRUCT | {"hidden", "activation"}))

#: What a learner knows, (count,) float32 each: a checkpoint holds all of them.
KNOWN = {"weights": lib.MYR_LEARNED_WEIGHTS, "mean": lib.MYR_LEARNED_MEAN, "square": lib.MYR_LEARNED_SQUARE, "average": lib.MYR_LEARNED_AVERAGE}


@dataclass(frozen=True)
class Report:
    """One iteration: means over its minibatches, and the episodes that ended in it."""

    iteration: int  #: iterations so far, this one too
    samples: int  #: control steps so far, those of all robots
    surrogate: float  #: the clipped surrogate loss
    value_loss: float
    entropy: float  #: [nat]
    divergence: float  #: Kullback-Leibler, of the policy that acted to the present one [nat]
    rate: float  #: step size of Adam
    deviation: float  #: mean standard deviation of the actions
    actor_norm: float  #: of the policy's gradient before it was clipped, largest
    critic_norm: float
    mirror_loss: float  #: mean square by which the mean action in a mirror is off; 0 without a mirror
    episodes: int  #: that ended
    failed: int  #: of these, by failing
    episode_return: float  #: mean over them; nan: none ended
    episode_length: float  #: mean over them [control steps]
    episode_terms: np.ndarray  #: sums over them of the task's reward terms (`collect` only)
    collect_s: float  #: wall clock [s]
    update_s: float


class Learner:
    """PPO (Schulman et al. 2017) as legged_gym and rsl_rl define it.

    Options: those of `myr_learn_options` (include/myriapod/learn.h) by their names, e.g. `steps=24, epochs=4, learning_rate=1e-3, seed=1, threads=2`;
    `hidden` widths of the layers, `activation` "elu", "relu" or "tanh".
    exchange: a job (`myriapod.distributed.init()`) of several processes that learn together; None: this one alone. num_envs are then the robots of all;
    `shard` says which ones this process has, and arrays are of these. Weights have the same bits for every number of processes.
    Raises: ArgumentError (an option is out of range, by its name), MemoryError."""

    def __init__(self, num_envs: int, num_observations: int, num_actions: int, *, hidden: Sequence[int] = (128, 64, 32), activation: str = "elu",
                 exchange: Job | None = None, **options: Any) -> None:
        if activation not in ACTIVATIONS:
            raise ArgumentError(f"activation is {activation!r}, but must be one of {', '.join(ACTIVATIONS)}")
        if len(hidden) > lib.MYR_LEARN_HIDDEN:
            raise ArgumentError(f"hidden has {len(hidden)} layers, but at most {lib.MYR_LEARN_HIDDEN} are possible")
        o = ffi.new("myr_learn_options *")
        lib.myr_learn_options_default(o)
        for name, value in renamed(options).items():
            if name not in _STRUCT:
                raise ArgumentError(f"{name} is not an option of a learner; there are: {', '.join(OPTIONS)}")
            try:
                setattr(o, name, encode(value, name) if name == "isa" else value)
            except (TypeError, OverflowError):
                raise ArgumentError(f"{name} must be a number within its range, got {value!r}") from None
        o.envs, o.observations, o.actions = (_arrays.whole(n, name, -(2**31), 2**31 - 1) for n, name in
                                             ((num_envs, "num_envs"), (num_observations, "num_observations"), (num_actions, "num_actions")))
        self.num_critic_observations = int(o.critic_observations)
        o.hidden_layers = len(hidden)
        for k, width in enumerate(hidden):
            o.hidden[k] = _arrays.whole(width, "a width of hidden", -(2**31), 2**31 - 1)
        o.activation = ACTIVATIONS[activation]
        out = ffi.new("myr_learner **")
        self._exchange = None if exchange is None else Exchange(exchange)
        check(lib.myr_learner_create_shared(o, ffi.NULL if self._exchange is None else self._exchange.struct, out))
        self._check = check if self._exchange is None else self._exchange.check
        self._handle = Handle(out[0], lib.myr_learner_destroy, "learner")
        #: Robots of the job; which of them are this process': the first one, and how many.
        self.job_envs, self.shard = int(o.envs), (0, int(o.envs)) if exchange is None else shard(int(o.envs), exchange.rank, exchange.ranks)
        self.num_envs, self.num_observations, self.num_actions = self.shard[1], int(o.observations), int(o.actions)
        self.hidden, self.activation, self.steps = tuple(int(w) for w in hidden), activation, int(o.steps)
        #: All options as they are.
        self.options: dict[str, Any] = {name: getattr(o, name) for name in sorted(_STRUCT - {"hidden", "activation", "isa"})}
        self.options.update(hidden=list(self.hidden), activation=activation, isa=ffi.string(o.isa).decode())

    # ---- an iteration ------------------------------------------------------------------------------------------------

    def collect(self, task: LaneTask) -> None:
        """`steps` control steps of a task of the library, all in lanes, from where it stands; episodes that end begin anew."""
        with self._handle as c, task.batch._open() as batch:
            self._check(lib.myr_learner_collect(c, batch))

    def see(self, critic: Any) -> None:
        """Before `act`, and before `update` of the last observation: what the value sees beside it, (num_envs, critic_observations)."""
        given = self._given(critic, "critic", (self.num_envs, self.num_critic_observations))
        with self._handle as c:
            check(lib.myr_learner_see(c, _arrays.pointer(given, "float *")))

    def act(self, observation: Any) -> np.ndarray:
        """One control step of another task: observations (num_envs, num_observations) in, actions (num_envs, num_actions) drawn from the policy out."""
        given = self._given(observation, "observation", (self.num_envs, self.num_observations))
        action = np.empty((self.num_envs, self.num_actions), np.float32)
        with self._handle as c:
            self._check(lib.myr_learner_act(c, _arrays.pointer(given, "float *"), _arrays.pointer(action, "float *")))
        return action

    def reward(self, reward: Any, terminated: Any, truncated: Any) -> None:
        """The result of the last `act`: (num_envs,) each."""
        given = self._given(reward, "reward", (self.num_envs,))
        ends = [np.ascontiguousarray(_arrays.adopt(a, name), bool) for a, name in ((terminated, "terminated"), (truncated, "truncated"))]
        for array, name in zip(ends, ("terminated", "truncated")):
            _arrays.want_shape(array, (self.num_envs,), name, "(num_envs,)")
        with self._handle as c:
            check(lib.myr_learner_reward(c, _arrays.pointer(given, "float *"), *(_arrays.pointer(a, "uint8_t *") for a in ends)))

    def update(self, observation: Any = None) -> Report:
        """The gradient steps of an iteration. observation: after the last control step, where `act` was called; after `collect` None.
        StateError: control steps are missing, or the training has diverged: the weights are then those before the gradient step that would
        have spoilt them."""
        given = None if observation is None else self._given(observation, "observation", (self.num_envs, self.num_observations))
        r = ffi.new("myr_learn_report *")
        with self._handle as c:
            self._check(lib.myr_learner_update(c, _arrays.pointer(given, "float *"), r))
        n = r.episodes or float("nan")
        plain = {name: getattr(r, name) for name, _ in ffi.typeof("myr_learn_report").fields}
        plain.update(episode_return=r.episode_return / n, episode_length=r.episode_length / n, episode_terms=np.array(list(r.episode_terms)))
        return Report(**plain)

    def set_mirror(self, observation: Any, action: Any) -> None:
        """How the task looks in a mirror, as `LaneTask.mirror` has it: numbers from 1 with signs, (num_observations,) and (num_actions,)."""
        given = [np.ascontiguousarray(_arrays.adopt(a, name), np.int32) for a, name in ((observation, "observation"), (action, "action"))]
        for array, wide, name in zip(given, (self.num_observations, self.num_actions), ("observation", "action")):
            _arrays.want_shape(array, (wide,), name)
        with self._handle as c:
            check(lib.myr_learner_set_mirror(c, *(_arrays.pointer(a, "int *") for a in given)))

    def set_option(self, name: str, value: float) -> None:
        """Another value for an option that is a real number, from the next update on. ArgumentError: it cannot change, or is out of range."""
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(f"{name} must be a number within its range, got {value!r}") from None
        with self._handle as c:
            check(lib.myr_learner_set_option(c, encode(RENAMED.get(name, name), "name"), number))
        self.options[RENAMED.get(name, name)] = number

    @property
    def normalization(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Mean and variance of what is observed, (num_observations + critic_observations,) each, and of how many; settable."""
        wide = self.num_observations + self.num_critic_observations
        mean, variance, count = np.empty(wide), np.empty(wide), ffi.new("double *")
        with self._handle as c:
            check(lib.myr_learner_get_normalization(c, _arrays.pointer(mean, "double *"), _arrays.pointer(variance, "double *"), count))
        return mean, variance, float(count[0])

    @normalization.setter
    def normalization(self, value: tuple[Any, Any, float]) -> None:
        wide = self.num_observations + self.num_critic_observations
        given = [np.ascontiguousarray(_arrays.take(a, name), np.float64) for a, name in zip(value, ("mean", "variance"))]
        for array in given:
            _arrays.want_shape(array, (wide,), "normalization")
        with self._handle as c:
            check(lib.myr_learner_set_normalization(c, *(_arrays.pointer(a, "double *") for a in given), float(value[2])))

    # ---- what it knows -----------------------------------------------------------------------------------------------

    def mean(self, observation: Any, what: str = "weights") -> np.ndarray:
        """Mean actions (n, num_actions) of observations (n, num_observations), by the "weights" or their "average"."""
        return self._of_rows(lib.myr_learner_mean, observation, self.num_actions, self._known(what))

    def value(self, observation: Any) -> np.ndarray:
        """Values (n,) of observations (n, num_observations), and behind them what a critic alone observes."""
        return self._of_rows(lib.myr_learner_value, observation, 1, more=self.num_critic_observations)[:, 0]

    def get(self, what: str = "weights") -> np.ndarray:
        """(count,) float32 of `KNOWN`: layer by layer of the policy weights (out, in) and biases; standard deviations; the same of the value."""
        with self._handle as c:
            out = np.empty(int(lib.myr_learner_count(c)), np.float32)
            check(lib.myr_learner_get(c, self._known(what), _arrays.pointer(out, "float *")))
        return out

    def set(self, what: str, numbers: Any) -> None:
        """The same, in. ArgumentError: a number is not finite, or a standard deviation not above 0; nothing changes."""
        with self._handle as c:
            given = self._given(numbers, what, (int(lib.myr_learner_count(c)),))
            check(lib.myr_learner_set(c, self._known(what), _arrays.pointer(given, "float *")))

    def layers(self, what: str = "weights") -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
        """Weights (out, in) and biases (out,) of the policy's layers, and the standard deviations (num_actions,)."""
        numbers, at = self.get(what), 0
        widths = (self.num_observations, *self.hidden, self.num_actions)
        weights, biases = [], []
        for n_in, n_out in zip(widths, widths[1:]):
            weights.append(numbers[at : at + n_in * n_out].reshape(n_out, n_in).copy())
            biases.append(numbers[at + n_in * n_out : at + (n_in + 1) * n_out].copy())
            at += (n_in + 1) * n_out
        return weights, biases, numbers[at : at + self.num_actions].copy()

    def policy(self, what: str = "average", **told: Any) -> Policy:
        """The policy without its noise; of the running mean of the weights, or with "weights" of the last ones. told: what `origin` gives."""
        weights, biases, _ = self.layers(what)
        if self.options["obs_normalization"]:
            mean, variance, _ = self.normalization
            told.update(mean=mean[: self.num_observations], std=np.sqrt(variance[: self.num_observations]) + 0.01)
        return Policy(weights, biases, self.activation, **told)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """All that a checkpoint holds; settable. The task's own state is `Batch.save`'s."""
        p = ffi.new("myr_learn_progress *")
        with self._handle as c:
            lib.myr_learner_progress(c, p)
        mean, variance, count = self.normalization
        return {**{name: self.get(name) for name in KNOWN}, "iterations": np.array(p.iterations), "gradient_steps": np.array(p.gradient_steps),
                "rate": np.array(p.rate), "seen_mean": mean, "seen_variance": variance, "seen_count": np.array(count)}

    @state.setter
    def state(self, state: dict[str, np.ndarray]) -> None:
        missing = [name for name in (*KNOWN, "iterations", "gradient_steps", "rate") if name not in state]
        if missing:
            raise ArgumentError(f"the state has no `{missing[0]}`")
        p = ffi.new("myr_learn_progress *", {"iterations": _one(state, "iterations", "iu"), "gradient_steps": _one(state, "gradient_steps", "iu"),
                                             "rate": _one(state, "rate", "f")})
        for name in KNOWN:
            self.set(name, state[name])
        if "seen_mean" in state:  # older ones have none
            self.normalization = (state["seen_mean"], state["seen_variance"], _one(state, "seen_count", "f"))
        with self._handle as c:
            check(lib.myr_learner_resume(c, p))

    @property
    def exchanged(self) -> tuple[int, int, float]:
        """Of the exchange between processes so far: bytes of all their parts together, calls, and seconds."""
        total, calls, seconds = ffi.new("int64_t *"), ffi.new("int64_t *"), ffi.new("double *")
        with self._handle as c:
            lib.myr_learner_exchanged(c, total, calls, seconds)
        return int(total[0]), int(calls[0]), float(seconds[0])

    @property
    def bytes(self) -> int:
        """Memory of the learner."""
        with self._handle as c:
            return int(lib.myr_learner_bytes(c))

    # ---- the rest ----------------------------------------------------------------------------------------------------

    @staticmethod
    def _known(what: str) -> int:
        if what not in KNOWN:
            raise ArgumentError(f"unknown array {what!r}; choose from {', '.join(KNOWN)}")
        return int(KNOWN[what])

    @staticmethod
    def _given(value: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
        array = np.ascontiguousarray(_arrays.take(value, name), np.float32)
        _arrays.want_shape(array, shape, name)
        return array

    def _of_rows(self, call: Any, observation: Any, wide: int, *what: int, more: int = 0) -> np.ndarray:
        given = np.ascontiguousarray(_arrays.take(observation, "observation"), np.float32)
        if given.ndim != 2 or given.shape[1] != self.num_observations + more:
            raise ArgumentError(f"observation has shape {given.shape}, but must be (n, {self.num_observations + more})")
        out = np.empty((len(given), wide), np.float32)
        with self._handle as c:
            check(call(c, *what, len(given), _arrays.pointer(given, "float *"), _arrays.pointer(out, "float *")))
        return out

    def close(self) -> None:
        """Give the memory back; further calls raise StateError."""
        self._handle.close()

    def __enter__(self) -> Learner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _one(state: dict[str, Any], name: str, kind: str) -> Any:
    """The one number of an entry of `Learner.state`."""
    array = np.asarray(state[name])
    if array.shape != () or array.dtype.kind not in kind or (kind == "iu" and not 0 <= int(array) < 2**63):
        raise ArgumentError(f"`{name}` is {np.array2string(array, threshold=8)} (dtype {array.dtype}), but must be one {'whole ' if kind == 'iu' else ''}number"
                            f"{', 0 or more' if kind == 'iu' else ''}")
    return array.item()
