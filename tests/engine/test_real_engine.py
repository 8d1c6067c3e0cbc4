"""The keeper with the real engine: what its processes expose, and that none of them outlives its death."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
from conditions import wait_until
from keeping import gone, survivors
from real_engine import processes_in

from writer import locations
from writer.config import EngineSettings
from writer.engine import keepers, proc
from writer.engine.base import EngineStatus, Request
from writer.engine.keeper_state import KeeperFolder, Note, read_note
from writer.engine.lease import KeptEngine
from writer.engine.running import running_engines
from writer.generation.model import Sampling

pytestmark = pytest.mark.engine


def ignore(status: EngineStatus) -> None:
    """A report that nobody reads."""


def engine_folder() -> KeeperFolder:
    (folder,) = [folder for folder in keepers.all_folders() if read_note(folder)]
    return folder


def engine_tree() -> tuple[Note, list[proc.Process]]:
    note = read_note(engine_folder())
    assert note is not None
    return note, [process for process in proc.members(note.pid) if process.pid != note.pid]


async def test_attaches_warm_and_in_time(real_engine: dict[str, str]) -> None:
    kept = KeptEngine(EngineSettings(), environ=os.environ)
    began = asyncio.get_running_loop().time()
    engine = await kept.acquire(ignore)
    assert asyncio.get_running_loop().time() - began < 2.5
    assert kept.attached_warm
    assert engine.facts.block_size == 32
    assert engine.facts.window == 8192
    assert engine.facts.fingerprint.engine.endswith("cpu float32 v1")
    assert (await engine.probe(await engine.tokenize("Once upon a time"))).prompt_tokens > 1
    (status,) = await running_engines()
    assert status.leases == 2
    assert status.memory_bytes is not None
    assert 5e8 < status.memory_bytes < 6e9
    await engine.aclose()
    await kept.release(stop=False)


async def test_a_long_prompt_is_read_in_steps_and_its_first_token_tells_the_cost(real_engine: dict[str, str]) -> None:
    """Two steps and a bit, with a seed, and nothing that asks before."""
    kept = KeptEngine(EngineSettings(), environ=os.environ)
    engine = await kept.acquire(ignore)
    prompt, sampling = tuple(range(1000, 2100)), Sampling(seed=5, temperature=0.8)
    for cached in (0, 1088):  # 34 blocks of 32
        first = [delta async for delta in engine.stream(Request(prompt, sampling, 3))][0]  # noqa: RUF015
        assert first.read is not None
        assert (first.read.prompt_tokens, first.read.cached_tokens) == (1100, cached)
    await engine.aclose()
    await kept.release(stop=False)


async def test_no_process_listens_on_a_network(real_engine: dict[str, str]) -> None:
    _, processes = engine_tree()
    assert len(processes) >= 3
    inodes = set()
    for process in processes:
        for link in Path(f"/proc/{process.pid}/fd").iterdir():
            try:
                inodes.add(os.readlink(link))
            except OSError:
                continue
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            address, state, inode = line.split()[1], line.split()[3], line.split()[9]
            if state == "0A" and f"socket:[{inode}]" in inodes:
                listening.append(address)
    beyond = [address for address in listening if not address.split(":")[0].endswith("0100007F")]
    assert not beyond, beyond


async def test_killed_keeper_then_killed_server_leave_nothing(real_engine: dict[str, str]) -> None:
    note, before = engine_tree()
    os.kill(note.pid, signal.SIGKILL)
    await asyncio.to_thread(wait_until, lambda: not proc.look(note.pid))
    assert len(survivors(before)) >= 3  # what a killed keeper leaves: else this shows nothing
    kept = KeptEngine(EngineSettings(keep_warm=0), environ=os.environ)
    engine = await kept.acquire(ignore)
    assert not survivors(before)
    await engine.aclose()
    again, after = engine_tree()
    os.kill(again.engine_pid, signal.SIGKILL)
    await asyncio.to_thread(gone, after)
    await asyncio.to_thread(wait_until, lambda: not processes_in(locations.runtime_dir()))
    await kept.release(stop=True)
