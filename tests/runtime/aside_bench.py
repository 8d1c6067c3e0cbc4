"""Orders for texts beside the chapter, for tests, and what came of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from desk_fixture import CHAPTER, Bench
from test_desk import INTRO, SAMPLING

from writer.runtime.drafting import Outcome
from writer.runtime.events import (
    BatchCommitted,
)
from writer.runtime.orders import AsideOrder

ORDER = AsideOrder("t", CHAPTER, INTRO, len(INTRO), len(INTRO), "take", sampling=SAMPLING)
FOUR = replace(ORDER, count=4)


def store(b: Bench):  # type: ignore[no-untyped-def]
    return b.desk._means.state.generations


def text_of(b: Bench, generation: str) -> str:
    return "".join(batch.text for batch in b.of(BatchCommitted) if batch.generation == generation)


async def in_flight(b: Bench, order: AsideOrder, batches: int) -> asyncio.Task[tuple[Outcome, ...]]:
    """The order, once each of its texts has told so many batches."""
    task = asyncio.ensure_future(b.desk.aside(order))
    while True:
        by = [event.generation for event in b.of(BatchCommitted)]
        if sum(by.count(each) >= batches for each in set(by)) >= order.count:
            return task
        await asyncio.sleep(0)
