"""No process of an engine outlives its reason to live, and no process of others is touched: 54 trials.

Every EngineCore and worker here ignores SIGTERM, like a wedged one, and a bystander with the same command line
lives in another session all the while.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conditions import wait_until
from keeping import FAKE, attach_nothing, environ, folder, gone, note_of, prepare_fake, survivors, tree

from writer import locations
from writer.config import EngineSettings
from writer.engine import keepers, proc
from writer.engine.base import EngineStatus
from writer.engine.lease import KeptEngine
from writer.engine.running import stop_all

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture
def bystanders(home: dict[str, str]) -> Iterator[list[proc.Process]]:
    """Another engine tree with the same command line, in a session of its own. It must live through the test."""
    place = locations.runtime_dir() / "elsewhere"
    place.mkdir()
    command = [sys.executable, str(FAKE), "--served-model-name", "0a1b2c3d", "--uds", str(place / "s")]
    quiet = subprocess.DEVNULL
    other = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    wait_until(lambda: len(proc.members(other.pid)) == 3, what="the other tree")
    theirs = proc.members(other.pid)
    yield theirs
    alive = survivors(theirs)
    proc.kill_session(other.pid, proc.boot_id(), theirs[0].ticks, grace=0)
    other.wait()
    assert len(alive) == 3, "a process of somebody else was ended"


class Window:
    """An app in a process of its own, to be killed."""

    def __init__(self, keep_warm: float, keeper: str = keepers.KEEPER, **fake: str) -> None:
        search = os.pathsep.join(map(str, (HERE, HERE.parent, ROOT)))
        env = environ(FAKE_DEAF="1", PYTHONPATH=search, **fake)
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "fake_app.py"), str(keep_warm), keeper],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
        )

    def until(self, pattern: str) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            if re.match(pattern, line):
                return
            assert line != "attached\n", f'the app never said "{pattern}"'
        raise AssertionError(f'the app ended before it said "{pattern}"')

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def trial_app_killed(keep_warm: float, when: str, **fake: str) -> None:
    window = Window(keep_warm, **fake)
    window.until(when)
    everyone = tree(note_of(), size=4 if when == "attached" else 1)
    window.kill()
    gone(everyone)
    gone(proc.members(everyone[0].pid))
    wait_until(lambda: not folder().note_file.exists())


@pytest.mark.parametrize("block", range(4))
def test_killed_app(bystanders: list[proc.Process], block: int) -> None:
    """5 x 4 trials: kill -9 of the app after it attached; all is gone after keep_warm."""
    for _ in range(5):
        trial_app_killed(0.2, "attached")


def test_killed_app_while_the_engine_starts(bystanders: list[proc.Process]) -> None:
    """4 trials."""
    for _ in range(4):
        trial_app_killed(0.2, "starting (?!preparing)", FAKE_DELAY="30")


async def start() -> list[proc.Process]:
    """An engine with a lease that is held by this process; its tree."""
    settings = EngineSettings(keep_warm=60)
    env = environ(FAKE_DEAF="1")
    kept = KeptEngine(settings, environ=env, prepare=prepare_fake, attach=attach_nothing)
    await kept.acquire(ignore)
    return await asyncio.to_thread(lambda: tree(note_of()))


def ignore(status: EngineStatus) -> None:
    """A report that nobody reads."""


async def test_stop(bystanders: list[proc.Process]) -> None:
    """15 trials: `engine stop` returns when all is gone, leases or not."""
    for _ in range(15):
        everyone = await start()
        assert await stop_all() == 1
        assert not survivors(everyone)


async def test_killed_keeper(bystanders: list[proc.Process]) -> None:
    """15 trials: kill -9 of the keeper; the next start leaves nothing of the old tree."""
    before = await start()
    for _ in range(15):
        os.kill(before[0].pid, signal.SIGKILL)
        wait_until(lambda pid=before[0].pid: not proc.look(pid))  # type: ignore[misc]
        assert len(survivors(before)) == 3  # what a killed keeper leaves: else this trial shows nothing
        after = await start()
        assert not survivors(before)
        before = after
    await stop_all()
    assert not survivors(before)


def test_the_check_notices_a_keeper_that_ends_the_server_only(bystanders: list[proc.Process]) -> None:
    window = Window(0.2, "mutant_keeper")
    window.until("attached")
    everyone = tree(note_of())
    window.kill()
    with pytest.raises(AssertionError, match=r"EngineCor.*Worker"):
        gone(everyone, 3.0)
    proc.kill_session(everyone[0].pid, proc.boot_id(), everyone[0].ticks, grace=0)
    assert not survivors(everyone)
