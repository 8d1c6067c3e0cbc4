"""No process of an engine outlives its reason to live, and no process of others is touched.

The stage `orphans` of the fault injection kills a hundred times each; here are a few of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from keeping import survivors
from orphans import app_killed, bystanders, keeper_killed, started

from writer.engine import proc
from writer.engine.running import stop_all


@pytest.fixture
def neighbours(home: dict[str, str]) -> Iterator[list[proc.Process]]:
    """Another engine tree with the same command line. It must live through the test."""
    with bystanders() as theirs:
        yield theirs


def test_killed_app(neighbours: list[proc.Process]) -> None:
    for _ in range(4):
        app_killed(0.2, "attached")


def test_killed_app_while_the_engine_starts(neighbours: list[proc.Process]) -> None:
    for _ in range(2):
        app_killed(0.2, "starting (?!preparing)", FAKE_DELAY="30")


async def test_stop(neighbours: list[proc.Process]) -> None:
    """`engine stop` returns when all is gone, leases or not."""
    for _ in range(3):
        _, everyone = await started()
        assert await stop_all() == 1
        assert not survivors(everyone)


async def test_killed_keeper(neighbours: list[proc.Process]) -> None:
    _, before = await started()
    for _ in range(3):
        before = await keeper_killed(before)
    await stop_all()
    assert not survivors(before)


def test_the_check_notices_a_keeper_that_ends_the_server_only(neighbours: list[proc.Process]) -> None:
    with pytest.raises(AssertionError, match=r"EngineCor.*Worker"):
        app_killed(0.2, "attached", keeper="mutant_keeper")
