"""Myriapod behind interfaces of others (docs/front-ends.md). None of them is needed by the package: each module imports its own when it is imported.

`unisim`: a `SimBackend` of UniSim. `wandb`: curves of a training in Weights & Biases. `jax`: a control step as a call of jax.ffi.
Elsewhere: `myriapod.envs.gym`, `sb3`, `rsl_rl`; `myriapod.plan.judo`; `examples/envhub/env.py` for LeRobot."""
