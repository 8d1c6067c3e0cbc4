"""The keeper at its edges: cancelled halfway, its folder taken away, a disk that refuses, a keeper that hangs."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from keeping import Said, Source, folder, gone, note_of, survivors, tree, until

from writer import locations
from writer.config import EngineSettings
from writer.engine import keepers
from writer.engine.control import Control
from writer.engine.keeper_state import KeeperFolder, Order
from writer.engine.lease import KeptEngine
from writer.engine.preparation import Prepared
from writer.engine.running import running_engines
from writer.errors import EngineStartFailed, ModelUnusable

ROOT = Path(__file__).resolve().parents[2]


async def test_a_question_that_is_cancelled_leaves_no_lease(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    first = source()
    await first.acquire(Said())
    sent = asyncio.Event()

    async def unanswered(_: Control) -> None:
        sent.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as patched:
        patched.setattr(Control, "next", unanswered)
        asking = asyncio.create_task(Control.open(folder(), {"op": "lease"}))
        await sent.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    async with asyncio.timeout(5):
        while (await first.status()).leases != 1:
            await asyncio.sleep(0.01)


async def test_a_start_that_is_cancelled_midway_still_ends_alone(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes next must not find the lock free while a keeper is on its way."""
    begun, go_on, real = threading.Event(), threading.Event(), keepers.start

    def slow(place: KeeperFolder, order: Order) -> None:
        begun.set()
        go_on.wait(10)
        real(place, order)

    monkeypatch.setattr(keepers, "start", slow)
    task = asyncio.create_task(source().acquire(Said()))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    for _ in range(10):
        await asyncio.sleep(0)  # the cancel has been heard
    descriptor = os.open(locations.runtime_dir() / "lock", os.O_RDWR)
    assert not keepers._try_lock(descriptor)
    os.close(descriptor)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    kept = source()
    await kept.acquire(Said())
    assert len(await running_engines()) == 1
    assert (await kept.status()).leases == 1


async def test_a_keeper_whose_folder_was_taken_away_spares_its_successor(source: Source) -> None:
    first, second = source(), source()
    await first.acquire(Said())
    old = tree(note_of())
    await asyncio.to_thread(shutil.rmtree, locations.runtime_dir())  # as systemd does at the last logout
    await second.acquire(Said())
    os.kill(old[0].pid, signal.SIGTERM)
    await asyncio.to_thread(gone, old)
    assert (await second.status()).state == "ready"
    assert folder().control_socket.exists()
    assert folder().engine_socket.exists()


async def test_restart_ends_an_engine_whose_folder_was_taken_away(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    old = tree(note_of())
    await asyncio.to_thread(shutil.rmtree, locations.runtime_dir())
    await kept.restart(Said())
    assert not survivors(old)
    assert (await kept.status()).state == "ready"


async def test_a_folder_that_refuses_is_one_sentence(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keepers, "write_order", full)
    with pytest.raises(EngineStartFailed, match="No space left on device"):
        await source().acquire(Said())


async def test_a_keeper_that_could_not_start_leaves_no_environment_behind(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keepers, "KEEPER", "writer.engine.no_such_module")
    with pytest.raises(EngineStartFailed, match="keeper"):
        await source().acquire(Said())
    assert not folder().launch_file.exists()


async def test_goodbye_to_a_keeper_that_hangs_is_short(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    os.kill(note_of().pid, signal.SIGSTOP)
    began = time.monotonic()
    await asyncio.wait_for(kept.release(stop=False), 8)
    assert time.monotonic() - began < 5
    os.kill(note_of().pid, signal.SIGCONT)
    await until(lambda: note_of().alive())


_PREPARING = """
import asyncio, threading, time
from writer.config import EngineSettings
from writer.engine.lease import KeptEngine
begun = threading.Event()
def prepare(settings, environ, say):
    begun.set()
    time.sleep(60)
kept = KeptEngine(EngineSettings(), environ={}, prepare=prepare)
threading.Thread(target=lambda: asyncio.run(kept.acquire(print)), daemon=True).start()
begun.wait(10)
"""


async def test_preparing_a_model_keeps_no_process_from_ending(home: dict[str, str]) -> None:
    """It takes 20 s the first time; who quits meanwhile must not wait for it."""
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", _PREPARING, cwd=ROOT, env=home)
    try:
        assert await asyncio.wait_for(child.wait(), 10) == 0
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


async def test_what_a_preparation_raises_comes_through(source: Source) -> None:
    def refuse(*_: object) -> Prepared:
        raise ModelUnusable("The model is incomplete. Download it again.")

    kept = KeptEngine(EngineSettings(), prepare=refuse)
    with pytest.raises(ModelUnusable, match="incomplete"):
        await kept.acquire(Said())
