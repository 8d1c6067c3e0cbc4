"""All local engines of this user, whoever started them: seen, asked, ended; what killed ones left is cleaned up."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace

from writer.engine import hardware, keepers, proc, sleeping
from writer.engine.base import EngineStatus
from writer.engine.control import Control, Facts, status_of
from writer.engine.keeper_state import KeeperFolder, read_note
from writer.errors import EngineBusy, EngineError
from writer.language import say

QUICK = 2.0  # seconds for a question whose answer is only shown

_LETTING_GO = 3.0  # seconds in which an engine lets go of a text that was paused


async def running_engines() -> list[EngineStatus]:
    """All engines of this user that run or start; what killed ones left behind is cleaned up. Raises EngineBusy."""
    found = []
    for folder in keepers.all_folders():
        note = read_note(folder)
        if note and note.alive():
            if status := await ask(folder):
                found.append(status)
        else:
            async with keepers.lock():
                if not ((again := read_note(folder)) and again.alive()):
                    await keepers.to_its_end(keepers.clean, folder)
    return found


async def stop_all() -> int:
    """End all engines of this user; how many there were. Raises EngineBusy if one survives."""
    async with keepers.lock():
        return sum([await keepers.stop(folder) for folder in keepers.all_folders()])


async def ask(folder: KeeperFolder) -> EngineStatus | None:
    """What the keeper of this folder says, with the memory that its engine holds; None if there is none."""
    control = await Control.open(folder, {"op": "status"}, patience=QUICK)
    if control is None:
        return None
    await control.close()
    memory = await asyncio.to_thread(_memory, int(control.facts["keeper"]), str(control.facts["device"]))
    status = replace(status_of(control.facts), memory_bytes=memory)
    if status.state == "ready" and status.can_sleep and await sleeping.is_asleep(folder.engine_socket):
        return replace(status, state="asleep", sentence=sleeping.ASLEEP)
    return status


def _memory(session: int, device: str) -> int:
    pids = {process.pid for process in proc.members(session)}
    on_gpu = hardware.gpu_bytes(pids, os.environ) if device == "gpu" else None
    return on_gpu or proc.resident_bytes(pids)


async def put_to_sleep(facts: Facts, folder: KeeperFolder, environ: Mapping[str, str]) -> float:
    """Frees the GPU of this keeper's engine; seconds. Raises EngineBusy or EngineError, each with what to do."""
    if facts["device"] != "gpu":
        raise EngineError(sleeping.NO_GPU)
    if not await sleeping.is_asleep(folder.engine_socket):
        sleeping.require_memory(int(facts.get("weights", 0)), hardware.detect(environ))
    deadline = asyncio.get_running_loop().time() + _LETTING_GO
    while True:
        try:
            return (await sleeping.sleep(folder.engine_socket)).seconds
        except EngineBusy:
            if asyncio.get_running_loop().time() > deadline:
                raise
            await asyncio.sleep(0.05)


async def sleep_all() -> list[float]:
    """Frees the GPU of every engine of this user that is ready; the seconds of each. Raises as `put_to_sleep`."""
    return [await put_to_sleep(facts, folder, os.environ) for facts, folder in await _ready()]


async def wake_all() -> list[float]:
    """Wakes every engine of this user that is ready or asleep; the seconds of each. Raises EngineError."""
    found = await _ready()
    if any(facts["device"] != "gpu" for facts, _ in found):
        raise EngineError(sleeping.NO_GPU)
    return [(await sleeping.wake(folder.engine_socket)).seconds for _, folder in found]


async def keeping_on_disk() -> bool:
    """Whether an engine that is alive keeps what it has read on disk."""
    for folder in keepers.all_folders():
        if control := await Control.open(folder, {"op": "status"}, patience=QUICK):
            await control.close()
            if control.facts.get("kv_folder"):
                return True
    return False


async def _ready() -> list[tuple[Facts, KeeperFolder]]:
    found = []
    for folder in keepers.all_folders():
        if control := await Control.open(folder, {"op": "status"}, patience=QUICK):
            await control.close()
            if control.facts["state"] == "ready":
                found.append((control.facts, folder))
    return found


async def free_the_gpu(ours: KeeperFolder) -> None:
    """One engine fills a GPU: end another that nobody uses. Hold the lock. Raises EngineBusy if a window uses it."""
    for folder in keepers.all_folders():
        note = read_note(folder)
        if folder == ours or note is None or note.device != "gpu":
            continue
        control = await Control.open(folder, {"op": "status"}) if note.alive() else None
        if control:
            await control.close()
            if control.facts["leases"]:
                raise EngineBusy(
                    say(
                        "Another window is using the GPU with the model {model}. Close that window or choose the "
                        "same model, then try again.",
                        model=note.model,
                    )
                )
        await keepers.stop(folder)
