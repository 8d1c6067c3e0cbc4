"""Signs of life of an engine: only tokens count, since a health check answers while the engine hangs.

Silence is measured on the monotonic clock, which stands still while the machine sleeps, and only in steps in which we
were awake ourselves: who was stopped for an hour has not listened for an hour.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from writer.engine.base import Engine, Request
from writer.errors import EngineDied, EngineError, EngineSilent
from writer.generation.model import Delta
from writer.language import say

T = TypeVar("T")

SILENCE = 30.0  # seconds between tokens after which the engine counts as hung
FIRST_SILENCE = 60.0  # the same before the first token,
PER_SECOND = 200  # plus a second for so many tokens of the prompt
SETTLING = 5.0  # seconds that an engine has to drop the request that was given up
PROBE = 15.0  # seconds in which a living engine gives the one token that it is asked for
_STEP = 1.0


def first_limit(prompt_tokens: int, leeway: float = 1.0) -> float:
    """Seconds that the first token may take."""
    return (FIRST_SILENCE + prompt_tokens / PER_SECOND) * leeway


async def within(work: Coroutine[Any, Any, T], limit: float) -> T:
    """What `work` gives; EngineSilent after `limit` seconds of listening. `work` has ended in any case."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    try:
        while not task.done():
            if limit <= 0:
                raise EngineSilent(say("No text has come for a while. Your text is saved."))
            before = loop.time()
            await asyncio.wait({task}, timeout=min(_STEP, limit))
            limit -= min(loop.time() - before, 2 * _STEP)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


async def watched(engine: Engine, request: Request, leeway: float = 1.0) -> AsyncGenerator[Delta, None]:
    """The engine's stream, ended by EngineSilent when nothing comes for too long."""
    limit = first_limit(len(request.prompt_ids), leeway)
    async with aclosing(engine.stream(request)) as stream:
        while (delta := await within(_next(stream), limit)) is not None:
            yield delta
            limit = SILENCE


async def _next(stream: AsyncGenerator[Delta, None]) -> Delta | None:
    return await anext(stream, None)


async def answers(engine: Engine) -> bool:
    """Whether the engine gives one token soon: after a silence, and after the machine has slept."""

    async def ask() -> None:
        await engine.probe(await engine.tokenize("The"))

    try:
        await within(ask(), PROBE)
    except (EngineDied, EngineError):
        return False
    return True
