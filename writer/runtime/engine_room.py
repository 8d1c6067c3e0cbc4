"""The one engine of this process: attached when first needed, replaced when it has died, never in a restart storm."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from writer.engine.base import Engine, EngineSource, EngineStatus
from writer.errors import EngineDied, EngineError
from writer.runtime.events import EngineAttached, EngineProgressed
from writer.runtime.runner import Notify

T = TypeVar("T")
RESTARTS, WITHIN = 3, 600.0  # an engine that dies more often than this, in seconds, is not started again by itself


class EngineRoom:
    """The one engine of this process, attached when first needed, with a breaker against restart storms."""

    def __init__(self, source: EngineSource, notify: Notify) -> None:
        self._source = source
        self._notify = notify
        self._engine: Engine | None = None
        self._dead: Engine | None = None
        self._deaths: list[float] = []
        self._turn = asyncio.Lock()

    async def ready(self) -> Engine:
        """The engine, attached or started. Raises EngineStartFailed and its kinds."""
        async with self._turn:
            if self._engine is None:
                warm = (await self._source.status()).state == "ready"
                self._engine = await self._source.acquire(self._progress)
                self._notify(EngineAttached(self._engine.facts, warm))
            return self._engine

    def died(self) -> bool:
        """Notes a death; whether the engine may be started again by itself."""
        self._engine, self._dead = None, self._engine or self._dead
        now = time.monotonic()
        self._deaths = [t for t in self._deaths if now - t < WITHIN] + [now]
        return len(self._deaths) <= RESTARTS

    async def last_words(self) -> str:
        """Why the engine has ended, if that is known; "" otherwise."""
        return await self._source.last_words()

    async def restarted(self) -> Engine:
        """A fresh engine after a death."""
        async with self._turn:
            if self._dead is not None:
                with suppress(EngineError):
                    await self._dead.aclose()
                self._dead = None
            self._engine = await self._source.restart(self._progress)
            self._notify(EngineAttached(self._engine.facts, warm=False))
            return self._engine

    async def alive(self, work: Callable[[Engine], Awaitable[T]]) -> T:
        """What `work` gives; once more with a fresh engine if this one has died while nobody used it."""
        try:
            return await work(await self.ready())
        except EngineDied:
            if not self.died():
                raise
        return await work(await self.restarted())

    async def status(self) -> EngineStatus:
        """What is known without starting anything."""
        return await self._source.status()

    async def leave(self, *, stop: bool) -> None:
        """Closes our connection and gives the lease back."""
        if self._engine is not None:
            await self._engine.aclose()
            self._engine = None
        await self._source.release(stop=stop)

    def _progress(self, status: EngineStatus) -> None:
        self._notify(EngineProgressed(status))
