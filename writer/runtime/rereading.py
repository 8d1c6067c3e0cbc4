"""The settings files while a desk is open: what changes in them holds at once, and what is wrong in them is told.

They are looked at, not watched: hints get lost on network folders, and nobody types settings twice a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from writer.config import Settings
from writer.errors import ConfigError
from writer.language import say
from writer.runtime.events import Event, SettingsChanged, SettingsRefused
from writer.runtime.file_marks import Mark, marks_of

LOOK = 1.0  # seconds between looks at the files


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """The files that settings come from, and how they are read. `read` raises ConfigError."""

    files: tuple[Path, ...]
    read: Callable[[], Settings]
    seen: tuple[Mark, ...] = ()  # their marks from before the desk's settings were read; () if nobody looked


class Rereading:
    """Reads the settings again when a file has changed, from `start` to `stop`, in the running loop."""

    def __init__(self, source: SettingsSource | None, took: Callable[[Settings], None]) -> None:
        """`took` is given what holds now, if it is not what held before."""
        self._source = source
        self._took = took
        self._task: asyncio.Task[None] | None = None

    def start(self, settings: Callable[[], Settings], notify: Callable[[Event], None]) -> None:
        """Begin. `settings` tells what holds."""
        if self._source is not None:
            self._task = asyncio.ensure_future(self._look_often(self._source, settings, notify))

    def stop(self) -> None:
        """Nothing is read any more. May be called twice."""
        if self._task is not None:
            self._task.cancel()

    async def _look_often(
        self, source: SettingsSource, settings: Callable[[], Settings], notify: Callable[[Event], None]
    ) -> None:
        seen = source.seen
        while True:
            await asyncio.sleep(LOOK)
            marks = await asyncio.to_thread(marks_of, source.files)
            if marks == seen:
                continue
            seen, before = marks, settings()
            try:
                now = await asyncio.to_thread(source.read)
            except ConfigError as error:
                notify(
                    SettingsRefused(
                        say("{sentence} Until then the settings stay as they were.", sentence=error.sentence)
                    )
                )
                continue
            if now != before:
                self._took(now)
                notify(SettingsChanged(now, engine_too=now.engine != before.engine))
