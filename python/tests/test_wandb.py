"""`--wandb PROJECT`: an offline run of Weights & Biases holds the curves, and a training that is resumed goes on in it."""
import json
import struct
import sys

import pytest
from myriapod import ArgumentError
from myriapod.train import main

TRAIN = ["gym-inverted-pendulum", "--envs", "64", "--iterations", "3", "--threads", "1", "--quiet", "--wandb", "tried"]


def records(log):
    """Of a W&B file: 7 bytes of a header, then blocks of 32 KiB of pieces, each with a checksum (4 bytes), its length (2) and a kind (1): whole, first,
    middle, last."""
    whole, at = b"", 7
    while at + 7 <= len(log):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        _, length, kind = struct.unpack_from("<IHB", log, at)
        whole += log[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield whole
            whole = b""


def test_curves_are_in_an_offline_run(tmp_path, monkeypatch):
    pytest.importorskip("wandb", reason="may skip: an index without W&B has nothing to try it with")
    from wandb.proto.wandb_internal_pb2 import Record

    monkeypatch.setenv("WANDB_MODE", "offline")
    directory = tmp_path / "a"
    assert main([*TRAIN, "--log", str(directory)]) == 0
    number = json.loads((directory / "wandb.json").read_text())["id"]
    assert main([*TRAIN, "--resume", str(directory)]) == 0
    files = sorted((directory / "wandb").glob("offline-run-*/run-*.wandb"))
    assert [path.stem for path in files] == [f"run-{number}"] * 2
    rows, config = [], {}
    for path in files:
        for data in records(path.read_bytes()):
            record = Record.FromString(data)
            config.update({item.key: json.loads(item.value_json) for item in record.run.config.update})
            if record.HasField("history"):
                rows.append({item.key or item.nested_key[0]: json.loads(item.value_json) for item in record.history.item})
    assert [row["_step"] for row in rows] == [1, 2, 3, 4, 5, 6] and [row["Train/samples"] for row in rows] == [64 * 24 * k for k in range(1, 7)]
    assert all(row["Policy/mean_std"] > 0 for row in rows) and config["task"] == "gym-inverted-pendulum"


def test_what_is_missing_is_said_before_the_training(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.setattr("myriapod.train.find_spec", lambda name: None if name == "wandb" else True)
    assert main([*TRAIN, "--log", str(tmp_path / "a")]) == 2
    assert "pip install wandb" in capsys.readouterr().err and not (tmp_path / "a").exists()


def test_a_damaged_card_is_named(tmp_path):
    pytest.importorskip("wandb", reason="may skip: an index without W&B has nothing to try it with")
    from myriapod.frontends.wandb import Wandb

    (tmp_path / "wandb.json").write_text("{}")
    with pytest.raises(ArgumentError, match="wandb.json is damaged"):
        Wandb("tried", tmp_path, {})
