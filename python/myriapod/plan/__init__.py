"""Plans by sampling: `myriapod.Planner`."""
