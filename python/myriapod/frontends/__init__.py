"""Myriapod behind interfaces of others (docs/front-ends.md). None of them is needed by the package: each module imports its own when it is imported.

`unisim`: a `SimBackend` of UniSim. `wandb`: curves of a training in Weights & Biases.
Elsewhere: `myriapod.envs.gym`, `sb3`, `rsl_rl`; `myriapod.plan.judo`; `examples/envhub/env.py` for LeRobot, `examples/jax_step.py` for jax.ffi, `learn_sb3.py` and `learn_skrl.py`."""
