"""What is being written now. Any number of texts at once, but never two at one place."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any

from writer.errors import WriterError
from writer.language import say
from writer.runtime.drafting import Outcome
from writer.runtime.events import GenerationFailed, GenerationPaused
from writer.runtime.runner import Notify

_BUSY = say("Something is being written there already. Pause it first, or wait until it has ended.")


@dataclass(slots=True)
class _Work:
    """One order that is being carried out."""

    chapter: str
    place: str
    generation: str


class Works:
    """Runs orders as tasks, so that each can be paused. All in one loop."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._works: dict[asyncio.Task[Outcome], _Work] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    def run(
        self, work: Coroutine[Any, Any, Outcome], chapter: str, *, place: str, generation: str = "", tag: str = ""
    ) -> Coroutine[Any, Any, Outcome]:
        """Begins at once; await what is returned for how it ended. What kept it from beginning is told.

        `place` is where its text goes: one work at each. After a pause of what writes there, it waits until that has
        stopped.
        """
        if any(known.place == place and not task.cancelling() for task, known in self._works.items()):
            work.close()
            return self._refused(GenerationFailed(generation, 0, _BUSY, chapter, tag))
        task = asyncio.ensure_future(self._in_turn(work, place))
        self._works[task] = known = _Work(chapter, place, generation)
        task.add_done_callback(lambda task: self._done(task, work))
        return self._ended(task, known, GenerationFailed(generation, 0, "", chapter, tag))

    async def _refused(self, why: GenerationFailed) -> Outcome:
        self._notify(why)
        return Outcome(None, 0, why.sentence, generation=why.generation)

    async def _ended(self, task: asyncio.Task[Outcome], known: _Work, failed: GenerationFailed) -> Outcome:
        """Also of one that was stopped before anything was written; then a new generation has no name yet."""
        try:
            return await task
        except asyncio.CancelledError:
            self._notify(GenerationPaused(failed.generation, 0, failed.chapter))
            return Outcome(None, 0, "paused", paused=True, generation=known.generation)
        except WriterError as error:
            self._notify(replace(failed, sentence=error.sentence))
            return Outcome(None, 0, error.sentence, generation=known.generation)

    def begun(self, generation: str) -> None:
        """The work that is running writes this generation."""
        task = asyncio.current_task()
        for known, work in self._works.items():
            if known is task:
                work.generation = generation

    def writes(self, generation: str) -> bool:
        """Whether it is being written now."""
        return any(work.generation == generation for work in self._works.values())

    def in_chapter(self, chapter: str) -> bool:
        """Whether anything is being written in it or beside it."""
        return any(work.chapter == chapter for work in self._works.values())

    def pause(self, generation: str = "", chapter: str = "") -> None:
        """Stops one, those of a chapter, or all."""
        for task, work in self._works.items():
            if generation in ("", work.generation) and chapter in ("", work.chapter):
                task.cancel()

    async def rest(self) -> None:
        """Waits for all of them."""
        await asyncio.gather(*self._works, return_exceptions=True)

    async def _in_turn(self, work: Coroutine[Any, Any, Outcome], place: str) -> Outcome:
        """After what is being paused there has stopped, or its last words would come after our first."""
        async with self._turns.setdefault(place, asyncio.Lock()):
            return await work

    def _done(self, task: asyncio.Task[Outcome], work: Coroutine[Any, Any, Outcome]) -> None:
        place = self._works.pop(task).place
        work.close()  # if it was paused before its turn
        if not any(known.place == place for known in self._works.values()):
            self._turns.pop(place, None)
