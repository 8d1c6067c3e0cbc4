"""Texts beside the chapter: durable, several at once over one prompt, never in the file until the author chooses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from aside_bench import FOUR, ORDER, in_flight, store, text_of
from conditions import wait_until
from desk_fixture import CHAPTER, bench
from test_desk import INTRO, SAMPLING

from writer.bootstrap import writing_thread
from writer.engine.scripted import ScriptedEngine
from writer.errors import EngineDied
from writer.generation.model import State
from writer.generation.prompt import ChapterPrompt, ChatMessage
from writer.manuscript.project import create
from writer.runtime.events import (
    AsideBegun,
    DeskOpened,
    EngineAttached,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationPaused,
    GenerationStarted,
    TakesListed,
)
from writer.runtime.orders import DraftOrder, SaveOrder


async def test_four_takes_are_four_texts_over_one_prompt_and_the_chapter_has_none_of_them(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        before = b.file()
        outcomes = await b.desk.aside(FOUR)
        assert [outcome.state for outcome in outcomes] == [State.TRUNCATED] * 4
        begun = b.of(AsideBegun)
        assert [(e.tag, e.chapter, e.role, e.number, e.count) for e in begun] == [
            ("t", CHAPTER, "take", number, 4) for number in (1, 2, 3, 4)
        ]
        assert [outcome.generation for outcome in outcomes] == [event.generation for event in begun]
        found = [store(b).generation(event.generation) for event in begun]
        assert len({g.prompt_ids for g in found}) == 1
        assert len({g.sampling.seed for g in found}) == 4
        assert found[0].sampling.seed == SAMPLING.seed
        assert len({text_of(b, g.id) for g in found}) == 4
        assert [(e.start, e.end) for e in b.of(GenerationStarted)] == [(0, 0)] * 4
        for g in found:
            assert store(b).load(g.id).text == text_of(b, g.id)
            assert (g.role, g.place, g.chapter) == ("take", (len(INTRO), len(INTRO)), CHAPTER)
        assert b.file() == before


async def test_the_first_take_is_what_a_draft_would_have_written(tmp_path: Path) -> None:
    async with bench(tmp_path / "draft", batch=[1, 3]) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        text = b.text
    async with bench(tmp_path / "takes", batch=[1, 3]) as b:
        await b.desk.save(SaveOrder(CHAPTER, INTRO, 1))  # the prompt names the chapter by its heading
        outcomes = await b.desk.aside(FOUR)
        assert text_of(b, outcomes[0].generation) == text


async def test_the_prompt_is_read_once(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.aside(replace(FOUR, text=INTRO + "A long day. " * 80, start=len(INTRO) + 960))
        started = b.of(GenerationStarted)
        assert len(started) == 4
        for event in started:
            assert event.cached_tokens >= event.prompt_tokens - 32


async def test_takes_are_written_while_the_chapter_is(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], first_delay=0.2) as b:
        drafting = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        outcomes = await b.desk.aside(FOUR)
        assert (await drafting).ended
        assert all(outcome.ended for outcome in outcomes)
        inside = (await drafting).generation
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + text_of(b, inside)


async def test_an_aside_does_not_end_what_is_paused_in_the_chapter(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        await b.desk.aside(FOUR)
        await b.desk.draft(DraftOrder("chapters/02-x.md", ""), SAMPLING)
        states = [(g.role, g.state) for g in store(b).all() if g.chapter == CHAPTER]
        assert states == [("text", State.TRUNCATED)] + [("take", State.TRUNCATED)] * 4
        await b.desk.draft(DraftOrder(CHAPTER, INTRO + b.text), SAMPLING)  # this ends the first, and no take
        assert [g.state for g in store(b).all() if g.role == "take"] == [State.TRUNCATED] * 4


async def test_an_interrupted_take_is_offered_again_and_never_goes_into_the_chapter(tmp_path: Path) -> None:
    async with bench(tmp_path / "whole", batch=[1, 3]) as b:
        whole = [text_of(b, outcome.generation) for outcome in await b.desk.aside(FOUR)]
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        task = await in_flight(b, FOUR, 3)
        b.desk.pause()
        assert all(outcome.paused for outcome in await task)
        assert len(b.of(GenerationPaused)) == 4
        begun = [event.generation for event in b.of(AsideBegun)]
        before = b.file()
    for _ in range(2):  # offered as often as the manuscript is opened
        async with bench(tmp_path / "cut", batch=[1, 3]) as again:
            assert again.file() == before
            assert again.opened.offers == ()
            offers = {offer.generation: offer for offer in again.opened.asides}
            assert set(offers) == set(begun)
            assert {(o.role, o.start, o.end, o.intact) for o in offers.values()} == {
                ("take", len(INTRO), len(INTRO), True)
            }
    async with bench(tmp_path / "cut", batch=[1, 3]) as again:
        outcomes = await asyncio.gather(*(again.desk.go_on(generation) for generation in begun))
        assert all(outcome.ended for outcome in outcomes)
        assert [store(again).load(generation).text for generation in begun] == whole
        assert again.file() == before


async def test_one_take_is_paused_alone(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], first_delay=0.1) as b:
        task = await in_flight(b, replace(FOUR, sampling=replace(SAMPLING, max_tokens=300)), 3)
        b.desk.pause(b.of(AsideBegun)[2].generation)
        assert [outcome.paused for outcome in await task] == [False, False, True, False]


async def test_a_pause_before_anything_is_written_leaves_nothing_running(tmp_path: Path) -> None:
    """At each step of the loop, from the order to the first words."""
    for steps in range(1, 60, 3):
        async with bench(tmp_path / str(steps), batch=[1, 3], first_delay=0.05) as b:
            await b.desk._room.ready()
            task = asyncio.ensure_future(b.desk.aside(FOUR))
            for _ in range(steps):
                await asyncio.sleep(0)
            b.desk.pause()
            assert all(outcome.paused for outcome in await asyncio.wait_for(task, 20)), steps
            assert all(g.state is State.PAUSED for g in store(b).all())


async def test_an_engine_that_dies_under_four_takes_is_restarted_once(tmp_path: Path) -> None:
    async with bench(tmp_path / "whole", batch=[1, 3]) as b:
        whole = [text_of(b, outcome.generation) for outcome in await b.desk.aside(FOUR)]
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        engine, killed = await b.desk._room.ready(), asyncio.Event()
        assert isinstance(engine, ScriptedEngine)
        engine._fail_if_due = _until(killed)  # type: ignore[method-assign]
        task = await in_flight(b, FOUR, 3)
        engine.dead = True
        killed.set()
        assert [text_of(b, outcome.generation) for outcome in await task] == whole
        assert len(b.of(EngineAttached)) == 2
        assert len(b.desk._room._deaths) == 1


def _until(killed: asyncio.Event) -> Callable[[int], object]:
    async def fail(given: int) -> None:
        if killed.is_set():
            raise EngineDied("The engine stopped.")

    return fail


async def test_a_sleep_under_four_takes_leaves_no_seam(tmp_path: Path) -> None:
    async with bench(tmp_path / "whole", batch=[1, 3]) as b:
        whole = [text_of(b, outcome.generation) for outcome in await b.desk.aside(FOUR)]
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        task = await in_flight(b, FOUR, 3)
        await b.desk._drafting.sleep()
        await b.desk._drafting.wake()
        assert [text_of(b, outcome.generation) for outcome in await task] == whole


async def test_a_take_that_has_ended_is_sealed(tmp_path: Path) -> None:
    async with bench(tmp_path, finish_at=20) as b:
        outcomes = await b.desk.aside(replace(FOUR, sampling=replace(SAMPLING, ignore_eos=False)))
        assert [outcome.state for outcome in outcomes] == [State.FINISHED] * 4
        assert all(store(b).is_sealed(outcome.generation) for outcome in outcomes)
    async with bench(tmp_path) as again:
        assert again.opened.asides == ()


async def test_any_prompt_can_be_asked(tmp_path: Path) -> None:
    parts = ChapterPrompt((ChatMessage("user", "Say it shorter."),), "Once", "plain")
    async with bench(tmp_path) as b:
        engine = await b.desk._room.ready()
        rendered = await engine.render(parts.messages)
        assert rendered is not None
        [by_parts] = await b.desk.aside(replace(ORDER, role="rewrite", start=2, end=6, prompt=parts))
        found = store(b).generation(by_parts.generation)
        assert found.prompt_ids == rendered + await engine.tokenize("Once")
        assert (found.role, found.place) == ("rewrite", (2, 6))
        [by_ids] = await b.desk.aside(replace(ORDER, role="insert", prompt_ids=(1, 2, 3)))
        assert store(b).generation(by_ids.generation).prompt_ids == (1, 2, 3)
    async with bench(tmp_path / "plain", template=False) as b:
        engine = await b.desk._room.ready()
        [outcome] = await b.desk.aside(replace(ORDER, prompt=parts))
        assert store(b).generation(outcome.generation).prompt_ids == await engine.tokenize("plain", special=True)


async def test_an_order_that_cannot_be_begun_is_told_by_its_tag(tmp_path: Path) -> None:
    async with bench(tmp_path, window=60) as b:
        [outcome] = await b.desk.aside(replace(FOUR, text=INTRO + "word " * 100, start=len(INTRO) + 500))
        assert outcome.state is None
        assert [(e.tag, e.chapter, e.generation) for e in b.of(GenerationFailed)] == [("t", CHAPTER, "")]
        assert "window" in outcome.sentence
        assert store(b).all() == []


async def test_what_has_ended_does_not_go_on(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        ids = [outcome.generation for outcome in await b.desk.aside(FOUR)]
        b.desk.keep_all(CHAPTER)
        outcome = await b.desk.go_on(ids[0])
        assert outcome.state is None
        assert b.of(GenerationFailed)[-1].generation == ids[0]


def test_the_writing_thread_takes_all_orders(tmp_path: Path) -> None:
    create(tmp_path / "novel", title="Salt")
    _, _, thread = writing_thread(tmp_path / "novel", {"WRITER_ENGINE": "scripted"})
    events: list[Event] = []

    def count(kind: type[Event]) -> int:
        return sum(isinstance(event, kind) for event in events)

    thread.start(events.append)
    wait_until(lambda: count(DeskOpened) == 1)
    thread.aside(FOUR)
    wait_until(lambda: count(GenerationFinished) == 4)
    first = next(event.generation for event in events if isinstance(event, AsideBegun))
    thread.go_on(first)
    wait_until(lambda: count(GenerationFinished) == 5)
    thread.pause("another")
    thread.choose(first)
    thread.keep_all(CHAPTER)
    thread.takes(CHAPTER)
    wait_until(lambda: count(TakesListed) == 1)
    thread.close().result(timeout=30)
    [listed] = [event for event in events if isinstance(event, TakesListed)]
    assert [take.reason for take in listed.takes] == ["chosen", "kept", "kept", "kept"]
    assert count(GenerationFailed) == 0
