"""What streams when the machine goes to sleep is given up before, and goes on after, at its very next token."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING, whole

from writer.engine.base import Probe
from writer.engine.scripted import ScriptedEngine
from writer.generation.model import State, StopCause
from writer.runtime import pulse, suspending
from writer.runtime.drafting import Outcome
from writer.runtime.events import (
    BatchCommitted,
    GenerationFailed,
    GenerationInterrupted,
    GenerationPaused,
)
from writer.runtime.orders import DraftOrder, ResumeOrder
from writer.runtime.suspending import AFTER, BEFORE, LOST


async def drafting(b: Bench, batches: int) -> asyncio.Task[Outcome]:
    """A draft that has told so many batches."""
    task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
    while len(b.of(BatchCommitted)) < batches:
        await asyncio.sleep(0)
    return task


def cause(b: Bench) -> StopCause | None:
    return b.desk._means.state.generations.all()[0].stopped_by


def said(b: Bench) -> list[str]:
    return [event.sentence for event in b.of(GenerationInterrupted)]


async def still(b: Bench) -> None:
    """Nothing is told, however long the loop runs."""
    told = len(b.events)
    for _ in range(200):
        await asyncio.sleep(0)
    assert len(b.events) == told


async def test_a_sleep_leaves_no_seam_and_whoever_waits_for_the_text_waits_on(tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        task = await drafting(b, 9)
        await b.desk._drafting.sleep()
        assert 0 < len(b.ids) < len(ids)
        assert cause(b) is StopCause.SLEEP
        assert b.desk._means.state.generations.all()[0].state is State.PAUSED
        await still(b)
        await b.desk._drafting.wake()
        assert (await task).ended
        assert (b.ids, b.text) == (ids, text)
        assert said(b) == [BEFORE]
        assert not b.of(GenerationPaused)


async def test_what_was_told_is_in_the_database_itself_before_the_sleep(tmp_path: Path) -> None:
    """A battery that runs out in the sleep takes no write-ahead log along."""
    async with bench(tmp_path, batch=[1, 3]) as b:
        await drafting(b, 9)
        await b.desk._drafting.sleep()
        [log] = b.desk._means.state_dir.glob("state.db-wal")
        assert log.stat().st_size == 0


@pytest.mark.parametrize("batches", [0, 1, 20])
async def test_many_sleeps_in_one_draft(batches: int, tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        task = await drafting(b, batches)
        while not task.done():
            await b.desk._drafting.sleep()
            await b.desk._drafting.wake()
            told = len(b.ids)
            while len(b.ids) < told + 10 and not task.done():
                await asyncio.sleep(0)
        assert (b.ids, b.text) == (ids, text)


async def test_a_sleep_that_nobody_told_of_interrupts_as_well(tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        task = await drafting(b, 9)
        await b.desk._drafting.wake()
        await task
        assert (b.ids, b.text) == (ids, text)
        assert said(b) == [AFTER]


async def test_the_author_can_pause_while_the_machine_sleeps_or_wakes(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        task = await drafting(b, 9)
        await b.desk._drafting.sleep()
        b.desk.pause()
        assert (await task).paused
        assert len(b.of(GenerationPaused)) == 1
        assert cause(b) is StopCause.PAUSED
        await b.desk._drafting.wake()
        await still(b)
        generation = b.of(GenerationPaused)[0].generation
        written = INTRO + b.text
        await b.desk.resume(ResumeOrder(generation, CHAPTER, written, len(INTRO), len(written)))
        assert (b.ids, b.text) == await whole(tmp_path / "whole")


async def test_a_pause_at_the_same_moment_as_the_sleep_is_a_pause(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        task = await drafting(b, 9)
        sleeping = asyncio.ensure_future(b.desk._drafting.sleep())
        await asyncio.sleep(0)
        b.desk.pause()
        assert (await task).paused
        await sleeping
        assert len(b.of(GenerationPaused)) == 1


async def test_a_draft_that_is_ordered_in_the_sleep_begins_after_it(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        await b.desk._drafting.sleep()
        task = await drafting(b, 0)
        while not b.desk._means.state.generations.all():
            await asyncio.sleep(0.01)
        for _ in range(200):  # the save before the draft may be told, but no text
            await asyncio.sleep(0)
            assert not b.ids
        await b.desk._drafting.wake()
        assert (await task).ended


async def test_a_sleep_without_a_draft_changes_nothing(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        await b.desk._drafting.sleep()
        await b.desk._drafting.wake()
        assert (await (await drafting(b, 0))).ended
        await b.desk._drafting.sleep()
        await b.desk._drafting.wake()
        assert said(b) == []


async def test_the_author_may_want_to_continue_himself(tmp_path: Path, home: dict[str, str]) -> None:
    config = Path(home["XDG_CONFIG_HOME"]) / "writer/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[engine]\nafter_sleep = "wait"\n')
    async with bench(tmp_path, batch=[1, 3]) as b:
        task = await drafting(b, 9)
        await b.desk._drafting.sleep()
        assert (await task).paused
        assert len(b.of(GenerationPaused)) == 1
        await b.desk._drafting.wake()
        await still(b)
    async with bench(tmp_path) as again:
        assert again.opened.offers[0].cause is StopCause.SLEEP


async def _hang(prompt_ids: object) -> Probe:
    await asyncio.Event().wait()
    raise AssertionError("not reached")


@pytest.mark.parametrize("hangs", [False, True])
@pytest.mark.parametrize("told", [False, True])
async def test_an_engine_that_did_not_survive_is_replaced(
    hangs: bool, told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "PROBE", 0.1)
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        task = await drafting(b, 9)
        if told:
            await b.desk._drafting.sleep()
        engine = b.desk._room._engine
        assert isinstance(engine, ScriptedEngine)
        if hangs:
            engine.probe = _hang  # type: ignore[method-assign, assignment]
        else:
            engine.dead = True
        await b.desk._drafting.wake()
        assert (await task).ended
        assert (b.ids, b.text) == (ids, text)
        assert said(b) == [BEFORE if told else AFTER, LOST]
        assert b.desk._room._engine is not engine


async def test_an_engine_that_was_lost_while_nobody_wrote_is_noticed_at_the_next_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "PROBE", 0.1)
    async with bench(tmp_path, batch=[1, 3]) as b:
        await b.desk.warm_up()
        engine = b.desk._room._engine
        assert isinstance(engine, ScriptedEngine)
        engine.probe = _hang  # type: ignore[method-assign, assignment]
        await b.desk._drafting.sleep()
        await b.desk._drafting.wake()
        assert (await (await drafting(b, 0))).ended
        assert said(b) == [LOST]


async def test_a_server_elsewhere_may_be_out_of_reach_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspending, "_NETWORK", 0.01)
    async with bench(tmp_path, batch=[1, 3]) as b:
        task = await drafting(b, 9)
        await b.desk._drafting.sleep()
        engine = b.desk._room._engine
        assert isinstance(engine, ScriptedEngine)
        facts = replace(engine.facts, device="remote")
        monkeypatch.setattr(ScriptedEngine, "facts", property(lambda self: facts))
        engine.dead = True
        await b.desk._drafting.wake()
        asyncio.get_running_loop().call_later(0.1, setattr, engine, "dead", False)
        assert (await task).ended
        assert said(b) == [BEFORE]
        assert b.desk._room._engine is engine


async def test_an_engine_that_cannot_live_after_the_sleep_is_given_up_in_plain_words(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        task = await drafting(b, 9)
        await b.desk._drafting.sleep()
        engine = b.desk._room._engine
        assert isinstance(engine, ScriptedEngine)
        engine.dead = True
        b.desk._means.source._source._script = replace(engine._script, die_at=0)  # type: ignore[attr-defined]
        for _ in range(3):
            b.desk._room.died()
        b.desk._room._engine = engine
        await b.desk._drafting.wake()
        outcome = await task
        assert outcome.state is State.INTERRUPTED
        assert "writer doctor" in outcome.sentence
        assert len(b.of(GenerationFailed)) == 1
        assert cause(b) is StopCause.ENGINE
