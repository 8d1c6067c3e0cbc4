"""Trials in which an app, a keeper or an engine is killed. An AssertionError says what outlived its reason to live.

Every EngineCore and worker here ignores SIGTERM, like a wedged one, and a bystander with the same command line lives
in another session all the while: no process of others may be touched.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conditions import wait_until
from keeping import FAKE, attach_nothing, environ, folder, gone, note_of, prepare_fake, survivors, tree

from writer import locations
from writer.config import EngineSettings
from writer.engine import keepers, proc
from writer.engine.base import EngineStatus
from writer.engine.lease import KeptEngine

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@contextmanager
def bystanders() -> Iterator[list[proc.Process]]:
    """Another engine tree with the same command line, in a session of its own. It must live through the trials."""
    place = locations.runtime_dir() / "elsewhere"
    place.mkdir()
    command = [sys.executable, str(FAKE), "--served-model-name", "0a1b2c3d", "--uds", str(place / "s")]
    quiet = subprocess.DEVNULL
    other = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    wait_until(lambda: len(proc.members(other.pid)) == 3, what="the other tree")
    theirs = proc.members(other.pid)
    try:
        yield theirs
        assert len(survivors(theirs)) == 3, "a process of somebody else was ended"
    finally:
        proc.kill_session(other.pid, proc.boot_id(), theirs[0].ticks, grace=0)
        other.wait()


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


def app_killed(keep_warm: float, when: str, after: float = 0.0, keeper: str = keepers.KEEPER, **fake: str) -> float:
    """kill -9 of the app, `after` seconds after it has said `when`; all is gone once `keep_warm` is over.

    Returns the seconds from the kill until nothing was left.
    """
    window = Window(keep_warm, keeper, **fake)
    try:
        window.until(when)
        everyone = tree(note_of(), size=4 if when == "attached" else 1)
        end = time.perf_counter() + after
        while time.perf_counter() < end:
            time.sleep(0.001)  # until a moment that no condition can name
    finally:
        window.kill()
    killed = time.perf_counter()
    try:
        gone(everyone, 10.0 if keeper == keepers.KEEPER else 3.0)
        gone(proc.members(everyone[0].pid))
        ended = time.perf_counter() - killed
        wait_until(lambda: not folder().note_file.exists(), what="a folder without a note")
        return ended
    finally:
        proc.kill_session(everyone[0].pid, proc.boot_id(), everyone[0].ticks, grace=0)


async def started(keep_warm: float = 60) -> tuple[KeptEngine, list[proc.Process]]:
    """An engine with a lease that is held by this process; its tree."""
    settings = EngineSettings(keep_warm=keep_warm)
    env = environ(FAKE_DEAF="1")
    kept = KeptEngine(settings, environ=env, prepare=prepare_fake, attach=attach_nothing)
    await kept.acquire(ignore)
    return kept, await asyncio.to_thread(lambda: tree(note_of()))


async def keeper_killed(before: list[proc.Process]) -> list[proc.Process]:
    """kill -9 of the keeper; the next start leaves nothing of the old tree. Returns the new one."""
    os.kill(before[0].pid, signal.SIGKILL)
    await asyncio.to_thread(wait_until, lambda: not proc.look(before[0].pid))
    assert len(survivors(before)) == 3, "nothing survives a killed keeper, so this trial shows nothing"
    _, after = await started()
    try:
        left = survivors(before)
        assert not left, f"survivors of the killed keeper: {[p.pid for p in left]}"
    finally:
        proc.kill_session(before[0].pid, proc.boot_id(), before[0].ticks, grace=0)
    return after


def ignore(status: EngineStatus) -> None:
    """A report that nobody reads."""
