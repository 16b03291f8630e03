"""The commands of the package: each name starts what it names, and who names nothing is told what there is."""
import os
import subprocess
import sys
from pathlib import Path

import myriapod
import pytest


def run(*words, status=0, **environment):
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("command, option", [("train", "--until"), ("score", "--episodes"), ("play", "--mp4"), ("view", "--shown"), ("where", "--menagerie")])
def test_a_command_starts_what_it_names(command, option):
    if command in ("play", "view"):
        pytest.importorskip("numpy")
    said = run("myriapod", command, "--help")
    assert option in said and f"myriapod.{command}" in said
    assert said == run(f"myriapod.{command}", "--help")
    assert "(default: None)" not in said and "(default: [])" not in said and said.count("(default: 1000)") == {"train": 1, "score": 2}.get(command, 0)


def test_play_takes_a_task_and_a_policy():
    said = run("myriapod.play", "--help")
    assert "TASK POLICY" in said and "--policy" not in said and "--command" in said
    assert "required: TASK, POLICY" in run("myriapod.play", status=2)
    assert "no-such-policy.npz: No such file" in run("myriapod.play", "anymal-flat", "no-such-policy.npz", "--png", "x.png", status=1)


def test_train_without_a_task_lists_the_tasks():
    for words in (("myriapod", "train"), ("myriapod.train", "--envs", "32")):
        said = run(*words, status=2)
        assert "a task is missing" in said and all(task.about in said for task in myriapod.TASKS.values()) and "MODULE:NAME" in said


def test_without_a_command_it_lists_them():
    said = run("myriapod", status=2)
    assert all(f"\n  {word} " in said for word in ("train", "score", "play", "view", "where"))
    assert "no command 'trian'" in run("myriapod", "trian", status=2)
    assert run("myriapod", "--help").startswith("usage: myriapod COMMAND") and myriapod.__version__ in run("myriapod", "--version")


def test_commands_of_the_program_are_the_programs(tmp_path):
    """It is looked for on the path, where a script such as the package's own may stand first."""
    assert "`make build`" in run("myriapod", "run", "cube", status=2, PATH=str(tmp_path))
    script, program = tmp_path / "script" / "myriapod", tmp_path / "program" / "myriapod"
    for path in (script, program):
        path.parent.mkdir()
    script.write_text("#!/bin/sh\necho wrong\n")
    program.write_bytes(Path("/bin/echo").read_bytes())  # any program
    for path in (script, program):
        path.chmod(0o755)
    assert run("myriapod", "run", "cube", PATH=f"{script.parent}{os.pathsep}{program.parent}") == "run cube\n"
