"""Freeing the GPU and taking it again, through the doors of `plugin/writer_doors.py`. Standard library only.

The engine itself knows whether it sleeps; nothing of it is remembered here.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from writer.engine.hardware import Hardware
from writer.errors import EngineBusy, EngineDied, EngineError
from writer.language import say

_PATIENCE = 60.0  # seconds: the weights of a large model take some to come and go
_GLANCE = 1.0  # seconds for a look that is only shown
_SPARE = 2 * 2**30  # bytes of main memory that stay free for others
ASLEEP = say("asleep: the GPU is free, and writing wakes the engine")
NO_GPU = say("The CPU writes here, so there is no GPU to free. Stop the engine to free its memory: writer engine stop.")
_WRITES = say("Another window is writing with this engine. Pause it there, then free the GPU.")
_UNKNOWN = say("The engine could not free the GPU. Stop it instead: writer engine stop.")


@dataclass(frozen=True, slots=True)
class Said:
    """What the engine answered. `seconds` is what it took."""

    asleep: bool
    busy: int  # requests that need the GPU
    seconds: float


async def sleep(socket: Path) -> Said:
    """Frees the GPU. Raises EngineBusy while anything is written, EngineDied if the engine does not answer."""
    return await _ask(socket, "POST", "sleep", _PATIENCE)


async def wake(socket: Path) -> Said:
    """Takes the GPU again. Raises EngineDied."""
    return await _ask(socket, "POST", "wake", _PATIENCE)


async def is_asleep(socket: Path) -> bool:
    """Whether it sleeps; False too if it does not tell."""
    try:
        return (await _ask(socket, "GET", "state", _GLANCE)).asleep
    except EngineError:
        return False


def require_memory(weights: int, machine: Hardware) -> None:
    """Raises EngineError unless main memory has room for the weights. `weights` in bytes, 0 if not known."""
    if weights and machine.free_ram_bytes and weights + _SPARE > machine.free_ram_bytes:
        raise EngineError(
            say(
                "To free the GPU, {weights:.1f} GiB of weights go to main memory, of which only "
                "{free_ram_bytes:.1f} GiB are free. Close some programs, or stop the engine instead: writer "
                "engine stop.",
                weights=weights / 2**30,
                free_ram_bytes=machine.free_ram_bytes / 2**30,
            )
        )


async def _ask(socket: Path, method: str, door: str, patience: float) -> Said:
    try:
        async with asyncio.timeout(patience):
            status, answer = await _request(socket, f"{method} /writer/{door} HTTP/1.1")
    except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError) as error:
        raise EngineDied(_UNKNOWN, detail=repr(error)) from None
    if status == 409:
        raise EngineBusy(_WRITES)
    if status != 200:
        raise EngineDied(_UNKNOWN, detail=f"HTTP {status} from /writer/{door}")
    try:
        return Said(bool(answer["asleep"]), int(answer["busy"]), float(answer["seconds"]))
    except (LookupError, TypeError, ValueError):
        raise EngineDied(_UNKNOWN, detail=f"not an answer from /writer/{door}") from None


async def _request(socket: Path, line: str) -> tuple[int, Any]:
    reader, writer = await asyncio.open_unix_connection(str(socket), limit=2**20)
    try:
        writer.write(f"{line}\r\nHost: engine\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split()[1])
        body = await reader.read(2**16) if status in (200, 409) else b"{}"
        return status, json.loads(body)
    finally:
        writer.close()
