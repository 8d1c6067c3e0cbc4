"""Which engine is started: the one that the settings name when it is first wanted, not when the window was opened.

So a model that is chosen before the first word writes it, and a setting that kept an engine from starting can be
corrected without leaving. Once an engine has come, it stays the one of this window.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from writer.config import EngineSettings
from writer.engine.base import Engine, EngineSource, EngineStatus, Report
from writer.errors import ConfigError, EngineError
from writer.runtime.file_marks import marks_of
from writer.runtime.rereading import SettingsSource


class LateSource:
    """`settings` are those that the engine is made from."""

    def __init__(
        self,
        settings: EngineSettings,
        files: SettingsSource,
        make: Callable[[EngineSettings], EngineSource],
    ) -> None:
        """`files` are read again when they have changed since they were `seen`. `make` starts nothing."""
        self.settings = settings
        self._files, self._seen, self._make = files, files.seen, make
        self._source = make(settings)
        self._has_come = False

    async def acquire(self, report: Report) -> Engine:
        """By the settings of this moment, unless an engine had come before."""
        await self._look_again()
        engine = await self._source.acquire(report)
        self._has_come = True
        return engine

    async def restart(self, report: Report) -> Engine:
        """Another one of the same kind."""
        return await self._source.restart(report)

    async def last_words(self) -> str:
        """Why it has ended."""
        return await self._source.last_words()

    async def sleep(self) -> float:
        """Free the GPU."""
        return await self._source.sleep()

    async def wake(self) -> float:
        """Take it again."""
        return await self._source.wake()

    async def release(self, *, stop: bool) -> None:
        """Say goodbye."""
        await self._source.release(stop=stop)

    async def status(self) -> EngineStatus:
        """Of the engine that would come now."""
        await self._look_again()
        return await self._source.status()

    async def _look_again(self) -> None:
        if self._has_come:
            return
        marks = await asyncio.to_thread(marks_of, self._files.files)
        if marks == self._seen:
            return
        self._seen = marks
        try:
            now = (await asyncio.to_thread(self._files.read)).engine
        except ConfigError:  # the author is told elsewhere; until then what was read before holds
            return
        if now != self.settings:
            before, self.settings, self._source = self._source, now, self._make(now)
            with suppress(EngineError):
                await before.release(stop=False)
