"""What the keeper's tests share: a fake engine's launch, its process tree, and who of it is left."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from conditions import wait_until

from writer import locations
from writer.config import EngineSettings
from writer.engine import proc
from writer.engine.base import Engine, EngineStatus
from writer.engine.keeper_state import KeeperFolder, Note, read_note
from writer.engine.launch import Launch
from writer.engine.lease import KeptEngine
from writer.engine.preparation import Prepared
from writer.generation.model import Fingerprint

Source = Callable[..., KeptEngine]
FAKE = Path(__file__).parent / "fake_vllm.py"
FINGERPRINT = "0a1b2c3d"
USUAL = (8192, 0.85)  # the window and the share of a GPU's memory that a fake engine has


def prepare_fake(settings: EngineSettings, environ: Mapping[str, str], say: Callable[[str], None]) -> Prepared:
    """A launch of the fake engine. `settings.model` names its fingerprint, `settings.dtype` its device."""
    say("preparing the model…")
    digest = settings.model or FINGERPRINT
    asked = settings.window or USUAL[0], settings.gpu_memory or USUAL[1]
    sizes = ("--max-model-len", str(asked[0]), "--gpu-memory-utilization", str(asked[1]))
    if asked != USUAL:  # another launch
        digest = hashlib.sha256(repr((digest, sizes)).encode()).hexdigest()[:8]
    socket = locations.runtime_dir() / digest / "s"
    argv = (sys.executable, str(FAKE), "--served-model-name", digest, *sizes, "--uds", str(socket))
    device = "gpu" if settings.dtype == "gpu" else "cpu"
    launch = Launch(argv, dict(environ), digest, digest, device, "float32", socket)
    return Prepared(launch, Path("/models/small"), Fingerprint(engine="float32 v1"), settings.model)


async def attach_nothing(prepared: Prepared) -> Engine:
    """For tests of the keeping alone."""
    return None  # type: ignore[return-value]


def folder(digest: str = FINGERPRINT) -> KeeperFolder:
    """Where the keeper of the fake engine is."""
    return KeeperFolder(locations.runtime_dir() / digest)


def note_of(digest: str = FINGERPRINT) -> Note:
    """The keeper's note, once it has started its engine."""

    def complete() -> Note | None:
        note = read_note(folder(digest))
        return note if note and note.engine_pid else None

    return wait_until(complete, what="a note")  # type: ignore[return-value]


def tree(note: Note, size: int = 4) -> list[proc.Process]:
    """Keeper, server, EngineCore and worker, once all of them are there."""

    def whole() -> list[proc.Process] | None:
        keeper = proc.look(note.pid)
        found = [keeper, *proc.descendants(note.pid)] if keeper else []
        return found if len(found) >= size else None

    return wait_until(whole, what="a whole tree")  # type: ignore[return-value]


def survivors(processes: list[proc.Process]) -> list[proc.Process]:
    """Those of them that still live."""
    return [p for p in processes if proc.start_ticks(p.pid) == p.ticks]


def gone(processes: list[proc.Process], seconds: float = 10.0) -> None:
    """Waits until none of them lives; AssertionError with those left otherwise."""
    try:
        wait_until(lambda: not survivors(processes), seconds)
    except AssertionError:
        raise AssertionError(f"survivors: {[(p.pid, _name(p.pid)) for p in survivors(processes)]}") from None


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "?"


def environ(**fake: str) -> dict[str, str]:
    """The environment, with FAKE_* variables for the fake engine."""
    return dict(os.environ) | fake


class Said(list[EngineStatus]):
    """A report that remembers."""

    def __call__(self, status: EngineStatus) -> None:
        self.append(status)


async def until(predicate: Callable[[], object], seconds: float = 10.0) -> None:
    """`wait_until` without blocking the loop."""
    await asyncio.to_thread(wait_until, predicate, seconds)
