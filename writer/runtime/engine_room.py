"""The one engine of this process: attached when first needed, replaced when it has died, never in a restart storm."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from writer.engine.base import Engine, EngineSource, EngineStatus
from writer.errors import EngineDied, EngineError
from writer.language import say
from writer.runtime.events import EngineAttached, EngineProgressed, Noted
from writer.runtime.freeing import Reading, Sleeper
from writer.runtime.kept_on_disk import KeptOnDisk
from writer.runtime.runner import Notify

T = TypeVar("T")
BY_TEXT = say(
    "This server takes no token ids: writing goes on from the text there, and may word it differently after a pause. "
    "top_k, min_p and repetition_penalty are not sent to it."
)
RESTARTS, WITHIN = 3, 600.0  # an engine that dies more often than this, in seconds, is not started again by itself


class EngineRoom:
    """The one engine of this process, attached when first needed, with a breaker against restart storms.

    Several texts use it at once. A death is noted once and mended once, however many of them notice it.
    """

    def __init__(self, source: EngineSource, notify: Notify, *, keeps_on_disk: bool = False) -> None:
        self._source = source
        self._notify = notify
        self._engine: Engine | None = None
        self._dead: Engine | None = None
        self._deaths: list[float] = []
        self._owed = False  # the engine has died, and may be started again
        self._coming: asyncio.Task[Engine] | None = None
        self._waiting = 0
        self.reading = Reading()
        self._kept = KeptOnDisk(wanted=keeps_on_disk)
        self._sleeper = Sleeper(source, self._progress)
        self.cold_at = 0.0
        """When the engine had read nothing yet: its start, in UTC seconds; 0.0 if it ran before we came."""

    @property
    def attached(self) -> Engine | None:
        """The engine, if it is there already."""
        return self._engine

    async def ready(self) -> Engine:
        """The engine, attached or started, and awake. Raises EngineStartFailed and its kinds."""
        await self._sleeper.awake(self._engine)
        return self._engine or await self._shared()

    async def sleep(self) -> None:
        """Frees the GPU; the next order takes it again. Raises EngineBusy or EngineError, each with what to do."""
        await self._kept.rest()
        await self._sleeper.sleep(self.reading)
        self.cold_at = time.time()  # it has read nothing now

    def died(self, engine: Engine | None = None) -> bool:
        """Notes a death, if `engine` is the one in use (as it is if not given); whether it may be started again."""
        if engine is None or engine is self._engine:
            self._engine, self._dead = None, self._engine or self._dead
            now = time.monotonic()
            self._deaths = [t for t in self._deaths if now - t < WITHIN] + [now]
            self._owed = len(self._deaths) <= RESTARTS
        return self._engine is not None or len(self._deaths) <= RESTARTS

    async def last_words(self) -> str:
        """Why the engine has ended, if that is known; "" otherwise."""
        return await self._source.last_words()

    async def restarted(self) -> Engine:
        """A fresh engine after a death; the one that another text has asked for, if there is one."""
        self._owed = self._engine is None
        return self._engine or await self._shared()

    async def alive(self, work: Callable[[Engine], Awaitable[T]]) -> T:
        """What `work` gives; once more with a fresh engine if this one has died while nobody used it."""
        engine = await self.ready()
        try:
            return await work(engine)
        except EngineDied:
            if not self.died(engine):
                raise
        return await work(await self.restarted())

    async def _shared(self) -> Engine:
        """The engine that is coming. Who is cancelled stops waiting; only with the last one the start is given up."""
        while self._coming is not None and self._coming.cancelling() and not self._coming.done():
            await asyncio.wait({self._coming})  # a start that is being given up
        if self._coming is None or self._coming.done():
            self._coming, self._waiting = asyncio.ensure_future(self._come()), 0
        coming = self._coming
        self._waiting += 1
        try:
            return await asyncio.shield(coming)
        finally:
            self._waiting -= 1
            if not self._waiting and not coming.done():
                coming.cancel()
                await asyncio.wait({coming})

    async def _come(self) -> Engine:
        again = self._owed
        if self._owed:
            self._owed = False
            if self._dead is not None:
                with suppress(EngineError):
                    await self._dead.aclose()
                self._dead = None
            self._sleeper.asleep = False
            engine, warm = await self._source.restart(self._progress), False
        else:
            warm = (await self._source.status()).state == "ready"
            engine = await self._source.acquire(self._progress)
        self._engine, self.cold_at = engine, 0.0 if warm else time.time()
        self._notify(EngineAttached(engine.facts, warm))
        if engine.facts.by_text and not again:
            self._notify(Noted(BY_TEXT))
        return engine

    def keep(self, ids: tuple[int, ...]) -> None:
        """These were written and paused: kept on disk by the engine, if the settings ask for that. Returns at once."""
        self._kept.begin(self._engine, ids)

    async def status(self) -> EngineStatus:
        """What is known without starting anything."""
        return await self._source.status()

    async def leave(self, *, stop: bool) -> None:
        """Closes our connection and gives the lease back."""
        await self._kept.rest()
        if self._engine is not None:
            await self._engine.aclose()
            self._engine = None
        await self._source.release(stop=stop)

    def _progress(self, status: EngineStatus) -> None:
        self._notify(EngineProgressed(status))
