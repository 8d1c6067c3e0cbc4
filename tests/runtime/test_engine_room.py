"""The engine between orders: it may die while nobody uses it, and nobody waits for it on leaving."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from conditions import wait_until
from desk_fixture import CHAPTER, bench
from test_desk import INTRO, SAMPLING, paused_after, resume_order

from writer.bootstrap import writing_thread
from writer.generation.model import State
from writer.manuscript.project import create
from writer.runtime.events import DeskOpened, EngineProgressed, Event, GenerationFailed, GenerationStarted
from writer.runtime.orders import DraftOrder


async def test_an_engine_that_died_between_two_drafts_is_replaced(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), replace(SAMPLING, max_tokens=10))
        first = b.desk._room._engine
        first.dead = True  # type: ignore[union-attr]
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO + b.text), replace(SAMPLING, max_tokens=10))
        assert outcome.state is State.TRUNCATED
        assert not b.of(GenerationFailed)
        assert b.desk._room._engine is not first


async def test_an_engine_that_died_during_a_pause_is_replaced(tmp_path: Path) -> None:
    for number, edit in enumerate(("", " The author's own words.")):
        async with bench(tmp_path / str(number), batch=[1, 1]) as b:
            await paused_after(b, 10)
            b.desk._room._engine.dead = True  # type: ignore[union-attr]
            outcome = await b.desk.resume(resume_order(b, INTRO + b.text + edit))
            assert outcome.ended
            assert len(b.of(GenerationStarted)) == 2


async def test_an_engine_that_cannot_live_is_given_up(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        for _ in range(5):
            if b.desk._room._engine is not None:
                b.desk._room._engine.dead = True  # type: ignore[attr-defined]
            outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), replace(SAMPLING, max_tokens=5))
        assert not outcome.ended
        assert "stopped" in outcome.sentence


def test_leaving_waits_for_no_engine(tmp_path: Path) -> None:
    create(tmp_path / "novel", title="Salt")
    script = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": '{"start_delay": 3600}'}
    _, _, thread = writing_thread(tmp_path / "novel", script)
    events: list[Event] = []
    thread.start(events.append)
    wait_until(lambda: any(isinstance(e, DeskOpened) for e in events))
    thread.warm_up()
    wait_until(lambda: any(isinstance(e, EngineProgressed) for e in events))
    thread.close().result(timeout=30)


async def test_a_pause_ends_the_wait_for_an_engine_that_starts(tmp_path: Path) -> None:
    async with bench(tmp_path, start_delay=3600) as b:
        task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        while not b.of(EngineProgressed):
            await asyncio.sleep(0)
        b.desk.pause()
        assert (await task).paused
        assert b.file() == INTRO
