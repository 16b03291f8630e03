"""Tasks that run: in lanes (`lane_task`, `locomotion`), on NumPy arrays (`numpy_task`), by name (`tasks`, `any_task`), and as the environments of others
(`gym`, `rsl_rl`, `sb3`). `protocol` says what all of them offer; `trained` opens the task of a policy."""
