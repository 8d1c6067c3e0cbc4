"""After a pause: lets the engine keep on disk what it has just written, where the settings ask for it.

vLLM keeps prompts only (with generated text it dies, see docs/engine.md), so a request for one token is made whose
prompt is prompt and text. All of it is cached then, so it costs a few hundredths of a second, and nobody waits for it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from writer.engine.base import Engine
from writer.errors import EngineError

_PATIENCE = 5.0  # seconds that leaving waits for what is under way


class KeptOnDisk:
    """Requests that are under way. All in one loop."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted
        self._works: set[asyncio.Task[None]] = set()

    def begin(self, engine: Engine | None, ids: tuple[int, ...]) -> None:
        """Begins, if it is wanted and the engine is there; returns at once."""
        if self._wanted and engine is not None and ids:
            task = asyncio.ensure_future(_read(engine, ids))
            self._works.add(task)
            task.add_done_callback(self._works.discard)

    async def rest(self) -> None:
        """Waits a moment for what is under way, then gives it up: it only saves time later."""
        if not self._works:
            return
        _, late = await asyncio.wait(set(self._works), timeout=_PATIENCE)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)


async def _read(engine: Engine, ids: tuple[int, ...]) -> None:
    with suppress(EngineError):  # the next order tells what is wrong with it
        await engine.probe(ids)
