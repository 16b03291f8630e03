"""Weights & Biases: curves of a training, beside TensorBoard's. `python -m myriapod.train TASK --wandb PROJECT` makes it; of one's own trainer:

    trainer = Trainer(backend, directory)
    trainer.curves.append(Wandb("walking", directory, trainer.config))

W&B's variables act as usual: WANDB_MODE=offline keeps a run in DIRECTORY/wandb, for `wandb sync`; WANDB_ENTITY, WANDB_NAME, WANDB_API_KEY."""
from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._library import ArgumentError
from .._whole import whole


class Wandb:
    """A run of a project. directory: of the training; its `wandb.json` has the run's number, with which a training that is resumed goes on in the same run.
    config: what the run is shown with. Raises ModuleNotFoundError (wandb is not installed), ArgumentError (W&B refuses the run, such as without a key)."""

    def __init__(self, project: str, directory: Path, config: Mapping[str, Any], *, quiet: bool = True) -> None:
        import wandb

        if not hasattr(wandb, "init"):  # a folder wandb/ of earlier runs, where the package is not installed
            raise ModuleNotFoundError("No module named 'wandb'", name="wandb")
        card = directory / "wandb.json"
        try:
            of = str(json.loads(card.read_text())["id"]) if card.exists() else secrets.token_hex(4)
        except (ValueError, KeyError, TypeError) as error:
            raise ArgumentError(f"{card} is damaged ({type(error).__name__}: {error}): remove it to begin another run") from None
        try:
            self._run = wandb.init(project=project, id=of, resume="allow", dir=str(directory), name=os.environ.get("WANDB_NAME", directory.name),
                                   config=json.loads(json.dumps(config, default=str)), settings=wandb.Settings(silent=quiet, console="off"))
        except wandb.errors.Error as error:
            raise ArgumentError(f"W&B: {str(error).splitlines()[0]}; WANDB_MODE=offline keeps the run here") from None
        with whole(card) as partial:
            partial.write_text(json.dumps({"project": project, "id": of}) + "\n")

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """One point of each curve."""
        self._run.log({name: float(value) for name, value in values.items() if value == value}, step=step)

    def close(self) -> None:
        """Write or send what is left."""
        self._run.finish()
