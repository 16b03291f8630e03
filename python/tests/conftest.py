"""Fixtures: the shipped robot and small batches of it. And: where CI is set, a skip is a failure unless its reason begins with `may skip: `."""
import os

import myriapod
import pytest


@pytest.fixture(scope="session")
def robot():
    return myriapod.Model("anymal")


@pytest.fixture
def batch(robot):
    with myriapod.Batch(robot, 20, threads=1, sense=("acceleration", "bodies", "contacts")) as made:
        yield made


def _refuse_skip(report):
    """Turns the report of a skip that gives no reason into one of a failure: in CI, a test that does not run guards nothing."""
    if not (os.environ.get("CI") and report.skipped) or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith("may skip: "):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, and the test does not name why it may: {reason}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    _refuse_skip((yield).get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():
    _refuse_skip((yield).get_result())
