"""Where the benches with an engine work: settings, state and sockets of their own; models and compiled kernels shared.

The engine is the one that the user's settings name, changed by `--set`. It is held by this process, so that it stays
warm while apps come and go, and it ends with the bench.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import tomlkit

from benchmarks.targets import Plan
from writer import locations
from writer.bootstrap import engine_source, settings_for
from writer.config import Settings, read_toml
from writer.engine.base import Engine
from writer.engine.running import stop_all
from writer.manuscript.model import Manuscript
from writer.manuscript.project import create, open_manuscript

T = TypeVar("T")
_KEEP_WARM = 30.0
"""Seconds that an engine outlives a bench that was killed."""
_PATIENCE = 3600.0
"""Seconds that one thing asked of an engine may take: a first start with all its compiling, a matrix on a slow CPU."""


def setting(text: str) -> tuple[str, Any]:
    """One "key=value": the value as TOML reads it, or else the text itself. Raises SystemExit."""
    key, sign, value = text.partition("=")
    if not (sign and key):
        raise SystemExit(f'"{text}" is not a setting. Write KEY=VALUE, as in gpu_memory=0.4.')
    try:
        return key.strip(), tomlkit.parse(f"it = {value}").unwrap()["it"]
    except tomlkit.exceptions.ParseError:
        return key.strip(), value


class Held:
    """The engine, held in a loop and a thread of its own."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.settings = settings_for(None, environ)
        self._source = engine_source(self.settings, environ)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The engine; to be used within `run`."""
        assert self._engine is not None, "hold it first"
        return self._engine

    def run(self, work: Callable[[Engine], Coroutine[Any, Any, T]]) -> T:
        """What comes of this work with the engine. Raises what it raises."""
        return self._wait(work(self.engine))

    def hold(self) -> float:
        """The engine is ready afterwards; the seconds that it took until it had given a token."""
        begun = time.perf_counter()

        before, self._engine = self._engine, None

        async def acquire() -> Engine:
            if before is not None:
                await before.aclose()
            engine = await self._source.acquire(lambda status: None)
            await engine.probe(await engine.tokenize("The lamp"))
            return engine

        self._engine = self._wait(acquire())
        return time.perf_counter() - begun

    def stop(self) -> None:
        """No engine of this bench runs afterwards."""
        engine, self._engine = self._engine, None

        async def end() -> None:
            if engine is not None:
                await engine.aclose()
            await self._source.release(stop=True)
            await stop_all()

        self._wait(end())

    def server(self) -> int | None:
        """The process id of the engine's server, if it has one."""
        return self._wait(self._source.status()).pid

    def renew(self) -> float:
        """Another engine in the place of a dead one; the seconds until it has given a token."""
        begun = time.perf_counter()

        async def restart() -> Engine:
            await self.engine.aclose()
            engine = await self._source.restart(lambda status: None)
            await engine.probe(await engine.tokenize("The lamp"))
            return engine

        self._engine = self._wait(restart())
        return time.perf_counter() - begun

    def sleep(self) -> float:
        """Frees the GPU; the seconds that the engine says."""
        return self._wait(self._source.sleep())

    def wake(self) -> float:
        """Takes it again; the seconds that the engine says."""
        return self._wait(self._source.wake())

    def close(self) -> None:
        """Ends the engine and the thread."""
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)


@dataclass(frozen=True, slots=True)
class Ground:
    """A folder for manuscripts, and the engine."""

    folder: Path
    held: Held

    @property
    def settings(self) -> Settings:
        """In force without a manuscript's own."""
        return self.held.settings

    @property
    def scripted(self) -> bool:
        """Whether the engine is the scripted one: then there is nothing to compare it with but itself."""
        return self.settings.engine.kind == "scripted"

    def manuscript(self, name: str, text: str = "", **writing: object) -> Manuscript:
        """A new manuscript whose first chapter has this text."""
        made = create(self.folder / name, title="The lamp")
        with made.settings_file.open("a", encoding="utf-8") as file:
            file.write("\n" + tomlkit.dumps({"settings": {"writing": writing}}))
        if text:
            (made.folder / made.chapters[0].path).write_text(text, encoding="utf-8")
        return open_manuscript(made.folder)


_SHARED: list[Ground] = []


@contextmanager
def shared(plan: Plan) -> Iterator[None]:
    """All grounds within this one are the same, with the same engine."""
    with ground(plan) as place:
        _SHARED.append(place)
        try:
            yield
        finally:
            _SHARED.clear()


@contextmanager
def ground(plan: Plan) -> Iterator[Ground]:
    """Everything is in place, the engine is held; all is gone afterwards, and the environment is as it was."""
    if _SHARED:
        (place,) = _SHARED
        place.held.hold()
        with tempfile.TemporaryDirectory(prefix="wb-") as folder:
            yield Ground(Path(folder), place.held)
        return
    before = dict(os.environ)
    root = Path(tempfile.mkdtemp(prefix="wb-"))
    config = read_toml(locations.config_file()) | {}
    config["engine"] = {"keep_warm": _KEEP_WARM} | dict(config.get("engine", {})) | dict(map(setting, plan.settings))
    for name, short in (("CONFIG_HOME", "c"), ("STATE_HOME", "s"), ("RUNTIME_DIR", "r")):
        (root / short).mkdir(mode=0o700)
        os.environ[f"XDG_{name}"] = str(root / short)
    try:
        locations.config_file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        locations.config_file().write_text(tomlkit.dumps(config), encoding="utf-8")
        held = Held(os.environ)
        try:
            held.hold()
            yield Ground(root, held)
        finally:
            held.close()
    finally:
        os.environ.clear()
        os.environ.update(before)
        shutil.rmtree(root, ignore_errors=True)
