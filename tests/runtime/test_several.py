"""Several texts at once: each in its own chapter, one engine for all, a pause of one or of all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import Bench, bench
from test_desk import SAMPLING as SHORT

from writer.engine.scripted import ScriptedEngine
from writer.errors import EngineDied, EngineStartFailed
from writer.generation.model import State, StopCause
from writer.manuscript.project import add_chapter, create, open_manuscript
from writer.runtime.drafting import Outcome
from writer.runtime.events import (
    BatchCommitted,
    EngineAttached,
    GenerationFailed,
    GenerationInterrupted,
    GenerationPaused,
    GenerationStarted,
)
from writer.runtime.orders import DraftOrder, ResumeOrder

SAMPLING = replace(SHORT, max_tokens=400)
TOGETHER = {"batch": [1, 3], "first_delay": 0.2}  # all have begun before one has ended


def book(folder: Path, chapters: int = 4) -> list[str]:
    """A manuscript with so many chapters; their paths."""
    create(folder, title="Salt")
    for number in range(2, chapters + 1):
        add_chapter(open_manuscript(folder), f"Chapter {number}")
    return [chapter.path for chapter in open_manuscript(folder).chapters]


def intro(number: int) -> str:
    return f"# Chapter {number}\n\nIt was late on day {number}.\n\n"


def drafts(b: Bench, paths: list[str]) -> list[asyncio.Task[Outcome]]:
    """A draft in each chapter, each with a seed of its own."""
    return [
        asyncio.ensure_future(b.desk.draft(DraftOrder(path, intro(n)), replace(SAMPLING, seed=n)))
        for n, path in enumerate(paths)
    ]


def texts(b: Bench) -> dict[str, str]:
    """What was told, by chapter."""
    chapters = {event.generation: event.chapter for event in b.of(GenerationStarted)}
    told = dict.fromkeys(chapters.values(), "")
    for batch in b.of(BatchCommitted):
        told[chapters[batch.generation]] += batch.text
    return told


async def one_by_one(folder: Path, chapters: int = 4) -> dict[str, str]:
    """What each chapter gets if nothing else is written."""
    async with bench(folder, batch=[1, 3]) as b:
        for n, path in enumerate(book_of(folder, chapters)):
            await b.desk.draft(DraftOrder(path, intro(n)), replace(SAMPLING, seed=n))
        return texts(b)


def book_of(folder: Path, chapters: int) -> list[str]:
    for number in range(2, chapters + 1):
        add_chapter(open_manuscript(folder), f"Chapter {number}")
    return [chapter.path for chapter in open_manuscript(folder).chapters]


async def told(b: Bench, chapters: int, batches: int) -> None:
    """Waits until so many chapters have been told so many batches each."""
    while True:
        by = [event.generation for event in b.of(BatchCommitted)]
        if sum(by.count(generation) >= batches for generation in set(by)) >= chapters:
            return
        await asyncio.sleep(0)


async def in_flight(b: Bench, paths: list[str]) -> tuple[list[asyncio.Task[Outcome]], Callable[[], None]]:
    """Drafts of which each has told something, and what kills the engine under all of them."""
    engine, killed = await b.desk._room.ready(), asyncio.Event()
    assert isinstance(engine, ScriptedEngine)

    async def fail(given: int) -> None:
        if killed.is_set():
            engine.dead = True
            raise EngineDied("The engine stopped.")

    engine._fail_if_due = fail  # type: ignore[method-assign]
    tasks = drafts(b, paths)
    await told(b, 4, 5)
    return tasks, killed.set


async def test_each_chapter_gets_the_text_that_it_would_get_alone(tmp_path: Path) -> None:
    whole = await one_by_one(tmp_path / "whole")
    paths = book(tmp_path / "book")
    async with bench(tmp_path / "book", **TOGETHER) as b:
        outcomes = await asyncio.gather(*drafts(b, paths))
        assert texts(b) == whole
        order = [event.generation for event in b.of(BatchCommitted)]
        firsts = [order.index(each) for each in set(order)]
        lasts = [len(order) - order[::-1].index(each) for each in set(order)]
        assert max(firsts) < min(lasts)  # at once, not one after the other
    assert {outcome.state for outcome in outcomes} == {State.TRUNCATED}
    assert len({outcome.generation for outcome in outcomes}) == 4
    async with bench(tmp_path / "book"):
        for n, path in enumerate(paths):
            assert (tmp_path / "book" / path).read_text() == intro(n) + whole[path]


async def test_one_is_paused_and_the_others_go_on(tmp_path: Path) -> None:
    paths = book(tmp_path)
    async with bench(tmp_path, **TOGETHER) as b:
        tasks = drafts(b, paths)
        await told(b, 4, 3)
        chapters = {event.chapter: event.generation for event in b.of(GenerationStarted)}
        b.desk.pause(chapters[paths[1]])
        b.desk.pause(chapter=paths[2])
        outcomes = await asyncio.gather(*tasks)
        assert [outcome.paused for outcome in outcomes] == [False, True, True, False]
        assert {event.generation for event in b.of(GenerationPaused)} == {chapters[paths[1]], chapters[paths[2]]}


async def test_a_pause_of_all_is_one(tmp_path: Path) -> None:
    paths = book(tmp_path)
    async with bench(tmp_path, **TOGETHER) as b:
        tasks = drafts(b, paths)
        await told(b, 3, 2)
        b.desk.pause()
        assert all(outcome.paused for outcome in await asyncio.gather(*tasks))


async def test_two_texts_never_go_to_one_place(tmp_path: Path) -> None:
    paths = book(tmp_path, 2)
    async with bench(tmp_path, **TOGETHER) as b:
        tasks = drafts(b, paths)
        await told(b, 2, 2)
        second = await b.desk.draft(DraftOrder(paths[0], intro(0)), SAMPLING)
        assert "being written there already" in second.sentence
        assert b.of(GenerationFailed)[-1].chapter == paths[0]
        assert all(outcome.ended for outcome in await asyncio.gather(*tasks))


async def test_an_engine_that_dies_under_four_texts_is_restarted_once_and_each_goes_on(tmp_path: Path) -> None:
    whole = await one_by_one(tmp_path / "whole")
    paths = book(tmp_path / "book")
    async with bench(tmp_path / "book", **TOGETHER, die_at=30, die_once=True) as b:
        outcomes = await asyncio.gather(*drafts(b, paths))
        assert texts(b) == whole
        assert all(outcome.ended for outcome in outcomes)
        assert len(b.of(EngineAttached)) == 2
        assert len(b.desk._room._deaths) == 1
        assert {event.generation for event in b.of(GenerationInterrupted)} <= {o.generation for o in outcomes}


async def test_an_engine_that_is_killed_with_four_in_flight_counts_as_one_death(tmp_path: Path) -> None:
    """All four streams break at the same moment."""
    whole = await one_by_one(tmp_path / "whole")
    paths = book(tmp_path / "book")
    async with bench(tmp_path / "book", **TOGETHER) as b:
        tasks, kill = await in_flight(b, paths)
        kill()
        assert all(outcome.ended for outcome in await asyncio.gather(*tasks))
        assert texts(b) == whole
        assert len(b.of(GenerationInterrupted)) == 4
        assert len(b.of(EngineAttached)) == 2
        assert len(b.desk._room._deaths) == 1


async def test_an_engine_that_does_not_come_back_is_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = book(tmp_path)
    tries: list[int] = []

    async def refuse(report: object) -> object:
        tries.append(1)
        while len(b.of(GenerationInterrupted)) < 4:
            await asyncio.sleep(0)
        raise EngineStartFailed("It does not start. Run writer doctor.")

    async with bench(tmp_path, **TOGETHER) as b:
        monkeypatch.setattr(b.desk._means.source, "restart", refuse)
        tasks, kill = await in_flight(b, paths)
        kill()
        outcomes = await asyncio.gather(*tasks)
        assert {outcome.state for outcome in outcomes} == {State.INTERRUPTED}
        assert {outcome.sentence for outcome in outcomes} == {"It does not start. Run writer doctor."}
        assert len(tries) == 1


async def test_the_last_who_waits_for_a_start_gives_it_up_and_another_may_begin_anew(tmp_path: Path) -> None:
    paths = book(tmp_path, 2)
    async with bench(tmp_path, start_delay=0.2) as b:
        tasks = drafts(b, paths)
        while b.desk._room._coming is None:
            await asyncio.sleep(0.01)
        b.desk.pause()
        again = asyncio.ensure_future(b.desk.draft(DraftOrder(paths[0], intro(0)), SAMPLING))
        assert all(outcome.paused for outcome in await asyncio.gather(*tasks))
        assert (await again).ended


async def test_a_sleep_leaves_no_seam_in_any_of_them(tmp_path: Path) -> None:
    whole = await one_by_one(tmp_path / "whole")
    paths = book(tmp_path / "book")
    async with bench(tmp_path / "book", **TOGETHER) as b:
        tasks = drafts(b, paths)
        await told(b, 4, 4)
        await b.desk._drafting.sleep()
        stored = b.desk._means.state.generations.all()
        assert {(g.state, g.stopped_by) for g in stored} == {(State.PAUSED, StopCause.SLEEP)}
        before = len(b.events)
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(b.events) == before
        await b.desk._drafting.wake()
        assert all(outcome.ended for outcome in await asyncio.gather(*tasks))
        assert texts(b) == whole
        assert not b.of(GenerationPaused)


async def test_each_can_be_gone_on_with_after_a_pause_of_all(tmp_path: Path) -> None:
    whole = await one_by_one(tmp_path / "whole")
    paths = book(tmp_path / "book")
    async with bench(tmp_path / "book", **TOGETHER) as b:
        tasks = drafts(b, paths)
        await told(b, 4, 4)
        b.desk.pause()
        await asyncio.gather(*tasks)
    async with bench(tmp_path / "book", **TOGETHER) as again:
        assert len(again.opened.offers) == 4
        resumes = []
        for offer in again.opened.offers:
            text = (tmp_path / "book" / offer.chapter).read_text()
            resumes.append(
                again.desk.resume(ResumeOrder(offer.generation, offer.chapter, text, offer.start, offer.end))
            )
        assert all(outcome.ended for outcome in await asyncio.gather(*resumes))
    async with bench(tmp_path / "book"):
        for n, path in enumerate(paths):
            assert (tmp_path / "book" / path).read_text() == intro(n) + whole[path]
