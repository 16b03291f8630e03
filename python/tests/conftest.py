"""Fixtures: the shipped robot and small batches of it."""
import myriapod
import pytest


@pytest.fixture(scope="session")
def robot():
    return myriapod.Model("anymal")


@pytest.fixture
def batch(robot):
    with myriapod.Batch(robot, 20, threads=1, sense=("acceleration", "bodies", "contacts")) as made:
        yield made
