"""THE write path: what the engine says is committed, and only then told. Nothing else appends to the journal.

delta ──▶ replay (drops what is saved) ──▶ stop strings, loop watch ──▶ batch ──▶ store.append … COMMIT ──▶ notify
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Protocol

from writer.engine.base import Engine, Request
from writer.errors import EngineDied, ModelRepeats, StateFull
from writer.generation.loops import LoopWatch
from writer.generation.model import Generation, Probe, Saved, State, TokenBatch
from writer.generation.resume import Replay, ResumePlan
from writer.generation.sampling import drawn_in_thought
from writer.generation.stops import StopWatch
from writer.generation.thinking import ThoughtWatch
from writer.runtime import pulse
from writer.runtime.events import BatchCommitted, CommitDelayed, CommitRecovered, Event

Notify = Callable[[Event], None]

_REPEATS = (
    "The model has begun to repeat itself, so it was stopped; what it wrote is saved. "
    "Delete what you do not want, then continue, or raise writing.repetition_penalty in the settings."
)
_RETRIES = (0.5, 1.0, 2.0, 4.0)  # seconds between tries of a refused commit; the last one repeats


class Journal(Protocol):
    """The part of the store that the write path uses."""

    def append(self, batch: TokenBatch, *, state: State = State.RUNNING, reason: str | None = None) -> None: ...

    def hold_up(self, generation: str) -> None:
        """The disk refuses its next batch: that goes on record, if it can, until one is appended. Never raises."""
        ...


class Runner:
    """Runs one segment at a time for each generation. `patience` bounds the tries of a refused commit."""

    def __init__(self, journal: Journal, notify: Notify, *, patience: int | None = None) -> None:
        self._journal = journal
        self._notify = notify
        self._patience = patience

    async def write(
        self,
        engine: Engine,
        generation: Generation,
        saved: Saved,
        plan: ResumePlan,
        leeway: float = 1.0,
        thought: ThoughtWatch | None = None,
        begun: Callable[[Probe | None], None] | None = None,
    ) -> str:
        """Writes until a finish reason, which is returned. Cancel to pause: every told batch is saved.

        With `thought` it writes inside a thought, until that is over, and returns "". `leeway` stretches the time that
        the first token may take. `begun` is called when the first delta has come, before anything of it is saved, with
        what the engine says of the reading. Raises EngineDied, ModelRepeats, Diverged, or StateFull once the tries of
        a commit are spent.
        """
        drawn = drawn_in_thought(generation.sampling) if thought else generation.sampling
        request = Request(plan.prompt_ids, drawn, plan.max_tokens, plan.kept, plan.whole)
        replay, loops, ordinal, start = Replay(plan), LoopWatch(), saved.batches, plan.start
        stops = StopWatch(generation.sampling.stop, saved.text)
        async with aclosing(pulse.watched(engine, request, leeway)) as deltas:
            async for delta in deltas:
                if begun:
                    begun(delta.read)
                    begun = None
                new = replay.feed(thought.feed(delta) if thought else delta)
                new = new and stops.feed(new)
                if new is not None and (new.token_ids or new.finish_reason):
                    new = loops.clip(new)
                    batch = TokenBatch(generation.id, ordinal, start, new.token_ids, new.text, new.ends)
                    await self._commit(batch, new.finish_reason)
                    ordinal, start = ordinal + 1, start + len(new.token_ids)
                    self._notify(_committed(batch, thought))
                if thought and thought.over:
                    return ""
                if new is None:
                    continue
                if new.finish_reason:
                    return new.finish_reason
                if loops.looping:
                    raise ModelRepeats(_REPEATS)
        raise EngineDied("The engine stopped in the middle of a sentence. Your text is saved.")

    async def lead_back(self, generation: str, saved: Saved, ids: tuple[int, ...]) -> None:
        """Saves what stands behind a thought that is over: no model has drawn it, and it shows nothing in the text."""
        batch = TokenBatch(generation, saved.batches, len(saved.token_ids), ids, "", (0,) * len(ids))
        await self._commit(batch, None)
        self._notify(_committed(batch, None))

    async def _commit(self, batch: TokenBatch, finish_reason: str | None) -> None:
        state = State.RUNNING
        if finish_reason:
            state = State.TRUNCATED if finish_reason == "length" else State.FINISHED
        tries = 0
        while True:
            try:
                self._journal.append(batch, state=state, reason=finish_reason)
                break
            except StateFull as error:
                tries += 1
                self._journal.hold_up(batch.generation)
                if self._patience is not None and tries > self._patience:
                    raise
                self._notify(CommitDelayed(batch.generation, error.sentence))
                await asyncio.sleep(_RETRIES[min(tries, len(_RETRIES)) - 1])
        if tries:
            self._notify(CommitRecovered(batch.generation))


def _committed(batch: TokenBatch, thought: ThoughtWatch | None) -> BatchCommitted:
    tokens = batch.start + len(batch.token_ids)
    if thought:
        thought.taken(batch.start)  # what the engine had to say again is not told again
    said = thought.taken(tokens) if thought else ""
    return BatchCommitted(
        batch.generation, batch.ordinal, batch.token_ids, batch.text, tokens, thought is not None, said
    )
