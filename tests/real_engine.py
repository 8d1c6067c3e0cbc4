"""The real engine for tests that need one: started once, shared by all of them, gone at the end.

The prepared model and the engine's caches are kept in .testing/ between runs. Use the fixture `real_engine`; its
value is the environment for child processes.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from conditions import wait_until

from writer.config import EngineSettings
from writer.engine import proc
from writer.engine.base import EngineStatus
from writer.engine.lease import KeptEngine
from writer.engine.running import stop_all

KEPT = Path(__file__).parents[1] / ".testing"
START = 600  # seconds that a start may take on a crowded machine, the first with the model's preparation
T = TypeVar("T")


class Holder:
    """Holds a lease on the engine in a thread of its own. If pytest is killed, the engine ends a minute later."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._source = KeptEngine(EngineSettings(keep_warm=60), environ=os.environ | environ)
        self._statuses: list[EngineStatus] = []

    def hold(self) -> None:
        """The engine is ready afterwards, whatever the test before did to it."""

        async def acquire() -> None:
            await (await self._source.acquire(self._statuses.append)).aclose()

        self._run(acquire)

    def end(self) -> None:
        """Ends every engine in this home, and checks that no process of them is left."""
        self._run(stop_all)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        runtime = Path(self.environ["XDG_RUNTIME_DIR"])
        # A killed process of 2 GB needs its time to go on a crowded machine.
        wait_until(lambda: not processes_in(runtime), 30, what=f"the end of {processes_in(runtime)}")

    def _run(self, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environ.items():
                patch.setenv(name, value)
            return asyncio.run_coroutine_threadsafe(begin(), self._loop).result(START)


def processes_in(folder: Path) -> list[tuple[int, str]]:
    """Living processes that work in this folder: an engine's all do."""
    found = []
    for process in proc.everyone():
        try:
            if Path(os.readlink(f"/proc/{process.pid}/cwd")).is_relative_to(folder):
                found.append((process.pid, Path(f"/proc/{process.pid}/comm").read_text().strip()))
        except OSError:
            continue
    return found


@pytest.fixture(scope="session")
def _held_engine() -> Iterator[Holder]:
    root = Path(tempfile.mkdtemp(prefix="w-"))
    places = {
        "XDG_RUNTIME_DIR": root / "r",
        "XDG_STATE_HOME": root / "s",
        "XDG_CONFIG_HOME": root / "c",
        "XDG_DATA_HOME": KEPT / "data",
        "XDG_CACHE_HOME": KEPT / "cache",
    }
    for folder in places.values():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    holder = Holder({name: str(folder) for name, folder in places.items()})
    try:
        holder.hold()
        yield holder
    finally:
        holder.end()
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def real_engine_home(_held_engine: Holder) -> dict[str, str]:
    """XDG_RUNTIME_DIR, XDG_DATA_HOME, XDG_CACHE_HOME of the shared engine. Add an XDG_STATE_HOME of the test's own."""
    shared = ("XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    return {name: _held_engine.environ[name] for name in shared}


@pytest.fixture
def real_engine(
    _held_engine: Holder, real_engine_home: dict[str, str], home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The environment (here and for children) with the shared engine ready; state and settings are the test's."""
    _held_engine.hold()
    for name, value in real_engine_home.items():
        monkeypatch.setenv(name, value)
    return home | real_engine_home
