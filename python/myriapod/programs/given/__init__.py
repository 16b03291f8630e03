"""Tasks of terms that ship: each a module of its own, which `myriapod.envs.tasks` names. They are read to write one's own, too."""
