"""All local engines of this user, whoever started them: seen, asked, ended; what killed ones left is cleaned up."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

from writer.engine import hardware, keepers, proc
from writer.engine.base import EngineStatus
from writer.engine.control import Control, status_of
from writer.engine.keeper_state import KeeperFolder, read_note
from writer.errors import EngineBusy

QUICK = 2.0  # seconds for a question whose answer is only shown


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
    return replace(status_of(control.facts), memory_bytes=memory)


def _memory(session: int, device: str) -> int:
    pids = {process.pid for process in proc.members(session)}
    on_gpu = hardware.gpu_bytes(pids, os.environ) if device == "gpu" else None
    return on_gpu or proc.resident_bytes(pids)


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
                    f"Another window is using the GPU with the model {note.model}. "
                    "Close that window or choose the same model, then try again."
                )
        await keepers.stop(folder)
