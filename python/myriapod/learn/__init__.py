"""Learning: PPO in lanes (`ppo`), the trainer (`loop`) and the learners that it takes (`lanes`, `rsl_rl`), goals (`goal`), scores (`score`)."""
