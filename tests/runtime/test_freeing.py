"""Pause and free the GPU at the desk: everything is paused, the next order wakes the engine, no word is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING, resume_order, whole

from writer.engine.base import Probe
from writer.errors import EngineError
from writer.runtime.events import BatchCommitted, EngineProgressed, GenerationPaused, GenerationStarted
from writer.runtime.freeing import Reading, told
from writer.runtime.orders import DraftOrder


def states(b: Bench) -> list[str]:
    return [event.status.state for event in b.of(EngineProgressed)]


async def test_what_is_written_is_paused_and_goes_on_with_the_same_words(tmp_path: Path) -> None:
    ids, _ = await whole(tmp_path / "whole")
    async with bench(tmp_path / "freed", batch=[1, 3], can_sleep=True) as b:
        writing = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        while len(b.of(BatchCommitted)) < 20:
            await asyncio.sleep(0)
        await b.desk.free_gpu()
        assert (await writing).paused
        assert b.of(GenerationPaused)
        assert states(b)[-1] == "asleep"
        assert "reads" in b.of(EngineProgressed)[-1].status.sentence
        await b.desk.resume(resume_order(b))
        assert states(b)[-2:] == ["starting", "ready"]
        assert b.ids == ids
        resumed = b.of(GenerationStarted)[-1]
        assert (resumed.resumed_from > 0, resumed.cached_tokens) == (True, 0)  # told as it is: it was read again


async def test_an_order_in_the_meantime_wakes_it_once(tmp_path: Path) -> None:
    async with bench(tmp_path, can_sleep=True) as b:
        await b.desk.warm_up()
        await b.desk.free_gpu()
        before = len(states(b))
        await asyncio.gather(b.desk.warm_up(), b.desk.warm_up())
        assert states(b)[before:] == ["starting", "ready"]


async def test_where_it_cannot_be_it_is_said_and_the_text_is_paused_anyway(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.warm_up()
        with pytest.raises(EngineError, match="holds no GPU"):
            await b.desk.free_gpu()
        assert "asleep" not in states(b)


def test_what_waking_will_cost_is_told_as_far_as_it_is_known() -> None:
    reading = Reading()
    assert told(0.21, reading) == "GPU free (0.2 s): writing wakes the engine"
    reading.seen(Probe(100, 0, 0.1))
    assert told(0.2, reading).endswith("which reads 100 tokens again")  # too short to tell a speed
    reading.seen(Probe(8000, 0, 2.0))
    assert told(0.2, reading).endswith("which reads 8,000 tokens again, about 2.0 s")
    reading.seen(Probe(12_000, 11_904, 0.05))
    assert told(0.2, reading).endswith("which reads 12,000 tokens again, about 3.0 s")
