"""Texts beside the chapter: durable, several at once over one prompt, never in the file until the author chooses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conditions import wait_until
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING

from writer.bootstrap import writing_thread
from writer.engine.scripted import ScriptedEngine
from writer.errors import EngineDied
from writer.generation.model import State
from writer.generation.prompt import ChapterPrompt, ChatMessage
from writer.generation.resume import clean_cut
from writer.manuscript.project import create
from writer.runtime.drafting import Outcome
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    DeskOpened,
    EngineAttached,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationPaused,
    GenerationStarted,
    TakeChosen,
    TakesListed,
)
from writer.runtime.orders import AsideOrder, DraftOrder, ResumeOrder, SaveOrder

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


async def test_what_is_chosen_is_marked_and_the_others_are_kept(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        others = await b.desk.aside(replace(FOUR, tag="other", instruction="a storm"))
        ids = [outcome.generation for outcome in await b.desk.aside(FOUR)]
        b.desk.choose(ids[2])
        assert b.of(TakeChosen) == [TakeChosen(ids[2], (ids[0], ids[1], ids[3]))]
        reasons = {g.id: g.finish_reason for g in store(b).all()}
        assert [reasons[each] for each in ids] == ["kept", "kept", "chosen", "kept"]
        assert {reasons[outcome.generation] for outcome in others} == {"length"}  # of another order
        b.desk.choose(ids[0])  # he has changed his mind
        reasons = {g.id: g.finish_reason for g in store(b).all()}
        assert [reasons[each] for each in ids] == ["chosen", "kept", "kept", "kept"]
        assert all(store(b).load(each).text == text_of(b, each) for each in ids)
    async with bench(tmp_path) as again:
        assert {offer.generation for offer in again.opened.asides} == {outcome.generation for outcome in others}
        again.desk.keep_all(CHAPTER)
    async with bench(tmp_path) as again:
        assert again.opened.asides == ()
        assert len(again.desk.takes(CHAPTER)) == 8


async def test_a_take_that_is_being_written_cannot_be_chosen(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        task = await in_flight(b, FOUR, 2)
        running = b.of(AsideBegun)[0].generation
        with pytest.raises(Exception, match="still being written"):
            b.desk.choose(running)
        b.desk.keep_all(CHAPTER)
        assert all(outcome.ended for outcome in await task)


async def test_continue_from_here_sends_exactly_the_parents_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        [first] = await b.desk.aside(ORDER)
        parent = store(b).generation(first.generation)
        saved = store(b).load(parent.id)
        monkeypatch.setattr(ScriptedEngine, "tokenize", None)  # nothing is tokenised
        for tokens in (0, 1, 7, 40, len(saved.token_ids), 10_000):
            kept = min(tokens, len(saved.token_ids))
            while not clean_cut(saved, kept):
                kept -= 1
            [outcome] = await b.desk.aside(replace(ORDER, parent=parent.id, parent_tokens=tokens))
            child = store(b).generation(outcome.generation)
            assert child.prompt_ids == parent.prompt_ids + saved.token_ids[:kept]
            assert (child.parent, child.parent_tokens) == (parent.id, kept)


async def test_a_child_with_its_parents_seed_goes_on_as_the_parent_did(tmp_path: Path) -> None:
    """Sampling is a function of seed and position."""
    async with bench(tmp_path, batch=[1, 3]) as b:
        [first] = await b.desk.aside(ORDER)
        saved = store(b).load(first.generation)
        [second] = await b.desk.aside(replace(ORDER, parent=first.generation, parent_tokens=40))
        child = store(b).generation(second.generation)
        assert store(b).load(child.id).token_ids[:20] == saved.token_ids[child.parent_tokens :][:20]


async def test_a_draft_can_go_on_from_inside_a_take(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        [first] = await b.desk.aside(ORDER)
        saved = store(b).load(first.generation)
        kept = next(n for n in range(30, 60) if clean_cut(saved, n))
        text = INTRO + saved.text[: saved.ends[kept - 1]]
        order = DraftOrder(CHAPTER, text, parent=first.generation, parent_tokens=kept)
        other = await b.desk.draft(replace(order, text=text + " The author."), SAMPLING)
        assert "does not end with that text" in other.sentence
        outcome = await b.desk.draft(order, replace(SAMPLING, seed=8))
        child = store(b).generation(outcome.generation)
        assert child.prompt_ids == store(b).generation(first.generation).prompt_ids + saved.token_ids[:kept]
        assert (child.role, child.parent, child.parent_tokens) == ("text", first.generation, kept)
    async with bench(tmp_path) as again:
        assert again.file() == text + text_of(b, child.id)


async def test_a_retry_keeps_the_former_text_as_a_take(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        first = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        retry = DraftOrder(CHAPTER, INTRO, instead=first.generation)
        second = await b.desk.draft(retry, replace(SAMPLING, seed=9))
        former, now = store(b).generation(first.generation), store(b).generation(second.generation)
        assert (former.role, former.finish_reason, former.place) == ("take", "discarded", (len(INTRO), len(INTRO)))
        assert (now.role, now.parent) == ("text", "")
        assert store(b).load(former.id).text == text_of(b, former.id)
        assert [take.generation for take in b.desk.takes(CHAPTER)] == [former.id, now.id]
        assert [take.inside for take in b.desk.takes(CHAPTER)] == [False, True]
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + text_of(b, now.id)
        assert again.opened.asides == ()


async def test_a_discarded_text_is_a_take_until_the_discard_is_taken_back(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        made = (await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)).generation
        b.desk.discard(made)
        assert store(b).generation(made).role == "take"
        b.desk.undiscard(made)
        assert (store(b).generation(made).role, store(b).generation(made).state) == ("text", State.PAUSED)


async def test_a_discarded_text_that_was_sealed_meanwhile_comes_back_as_ended(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        made = (await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)).generation
        b.desk.discard(made)
    async with bench(tmp_path) as again:
        assert store(again).is_sealed(made)
        again.desk.undiscard(made)
        assert (store(again).generation(made).role, store(again).generation(made).state) == ("text", State.FINISHED)


async def test_the_takes_of_a_chapter_are_a_tree(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        two = [outcome.generation for outcome in await b.desk.aside(replace(ORDER, count=2))]
        [child] = await b.desk.aside(replace(ORDER, parent=two[0], parent_tokens=9))
        [grandchild] = await b.desk.aside(replace(ORDER, parent=child.generation, parent_tokens=9))
        await b.desk.draft(DraftOrder("chapters/02-x.md", ""), SAMPLING)
        listed = b.desk.takes(CHAPTER)
        assert [(take.generation, take.depth) for take in listed] == [
            (two[0], 0),
            (child.generation, 1),
            (grandchild.generation, 2),
            (two[1], 0),
        ]
        assert b.of(TakesListed)[-1] == TakesListed(CHAPTER, listed)
        assert all(take.text == text_of(b, take.generation) for take in listed)


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


async def test_a_take_can_be_chosen_as_soon_as_its_end_is_told(tmp_path: Path) -> None:
    """The front end may be faster than the desk, which is still leaving the work."""
    async with bench(tmp_path, finish_at=20) as b:
        honest, wrong = b.desk._drafting._notify, []

        def told(event: Event) -> None:
            honest(event)
            if isinstance(event, GenerationFinished):
                try:
                    b.desk.choose(event.generation)
                except Exception as error:
                    wrong.append(error)

        b.desk._drafting._notify = told
        [outcome] = await b.desk.aside(replace(ORDER, sampling=replace(SAMPLING, ignore_eos=False)))
        assert wrong == []
        assert store(b).generation(outcome.generation).finish_reason == "chosen"
        assert store(b).load(outcome.generation).text == text_of(b, outcome.generation)


async def test_a_take_is_not_gone_on_with_in_the_chapter(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        [made] = await b.desk.aside(ORDER)
        before = b.file()
        outcome = await b.desk.resume(ResumeOrder(made.generation, CHAPTER, before, len(before), len(before)))
        assert outcome.state is None
        assert "beside the chapter" in outcome.sentence
        assert b.file() == before
