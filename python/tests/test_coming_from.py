"""docs/coming-from.md says today's names: each in its column `here` is looked up."""
import importlib
import re
from pathlib import Path

import myriapod
import pytest
from myriapod.batch import _NUMBERS

PAGE = Path(__file__).parents[2] / "docs" / "coming-from.md"
ROWS = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
CELLS = [(row[0], row[1]) for row in ROWS if row[1] not in ("here", "---", "")]


def found(name):
    """Does the package have what a page calls `Batch.q`, `evaluate`, `myriapod.terms.mjlab.posture`?"""
    parts = name.removeprefix("myriapod.").split(".")
    thing = myriapod
    for number, part in enumerate(parts):
        if part in getattr(thing, "__dataclass_fields__", ()):
            return True
        if not hasattr(thing, part):
            try:
                importlib.import_module(".".join(["myriapod", *parts[: number + 1]]))
            except ModuleNotFoundError as error:
                if (error.name or "").split(".")[0] != "myriapod":
                    return True  # it is there, and wants what is not installed
                return thing is myriapod.Batch and part in _NUMBERS
        thing = getattr(thing, part)
    return True


def test_a_name_that_is_not_there_is_seen():
    assert not found("Batch.qpos") and not found("myriapod.terms.mjlab.no_such_term") and not found("nothing")
    assert found("Batch.q") and found("myriapod.terms.mjlab.posture")


@pytest.mark.parametrize(("theirs", "here"), CELLS, ids=[theirs for theirs, _ in CELLS])
def test_names_of_the_page_exist(theirs, here):
    names = re.findall(r"`([^`]+)`", here)
    assert names
    settings, inputs = myriapod.Settings(), (PAGE.parent / "tables.md").read_text(encoding="utf-8")
    for name in names:
        if here.startswith("setting") or (", setting" in here and name not in ("ModelBuilder.pair_friction",)):
            settings[name]
        elif here.startswith("input"):
            assert f"\n| `{name}` |" in inputs
        else:
            assert found(name), f"{name} is not in the package"
