"""Orders at the desk: draft, pause, resume, an engine that dies, a changed text, another model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench

from writer.engine.scripted_words import detokenize
from writer.errors import ManuscriptLocked
from writer.generation.model import Sampling, State, StopCause
from writer.manuscript.project import add_chapter, open_manuscript
from writer.runtime.events import (
    BatchCommitted,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationInterrupted,
    GenerationPaused,
    GenerationStarted,
    SaveRefused,
)
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder, Span

SAMPLING = Sampling(seed=3, max_tokens=80, ignore_eos=True)
INTRO = "# Salt\n\nIt was late.\n\n"


async def whole(folder: Path) -> tuple[list[int], str]:
    """Ids and text of a run that nobody disturbs."""
    async with bench(folder, batch=[1, 3]) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        return b.ids, b.text


async def paused_after(b: Bench, batches: int) -> None:
    """Starts a draft and pauses it once that many batches were told."""
    task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
    while len(b.of(BatchCommitted)) < batches:
        await asyncio.sleep(0)
    b.desk.pause()
    await task


def resume_order(b: Bench, text: str | None = None) -> ResumeOrder:
    written = text if text is not None else INTRO + b.text
    generation = b.of(GenerationStarted)[-1].generation
    return ResumeOrder(generation, CHAPTER, written, len(INTRO), len(written))


async def test_a_pause_and_a_resume_leave_no_seam(tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        await paused_after(b, 9)
        assert b.of(GenerationPaused)[-1].tokens == len(b.ids)
        assert 0 < len(b.ids) < len(ids)
        await b.desk.resume(resume_order(b))
        assert (b.ids, b.text) == (ids, text)
        ordinals = [batch.ordinal for batch in b.of(BatchCommitted)]
        assert ordinals == list(range(len(ordinals)))
        assert b.of(GenerationFinished)[-1].reason == "length"


async def test_a_resume_reports_whole_cached_blocks(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 50)
        await b.desk.resume(resume_order(b))
        started = b.of(GenerationStarted)[-1]
        assert started.resumed_from >= 50
        assert started.cached_tokens == started.prompt_tokens - 1
        assert started.cached_tokens % 32 == 0


async def test_a_dead_engine_is_restarted_and_the_text_goes_on(tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3], die_at=30, die_once=True) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert (b.ids, b.text) == (ids, text)
        assert outcome.state is State.TRUNCATED
        assert [e.retrying for e in b.of(GenerationInterrupted)] == [True]


async def test_an_engine_that_keeps_dying_is_left_alone_and_the_text_stays(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1], die_at=3) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert outcome.state is State.INTERRUPTED
        assert len(b.of(GenerationInterrupted)) == 3
        assert b.of(GenerationFailed)[-1].tokens == len(b.ids) > 0
        stored = b.desk._means.state.generations
        assert stored.load(stored.all()[0].id).text == b.text
        assert stored.all()[0].stopped_by is StopCause.ENGINE


async def test_an_end_without_a_finish_reason_is_no_finish(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1], eof_at=5) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert not b.of(GenerationFinished)


async def test_a_changed_text_goes_on_from_the_change(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 20)
        first = b.of(GenerationStarted)[-1].generation
        edited = INTRO + b.text[:40] + " and the author wrote this."
        await b.desk.resume(resume_order(b, edited))
        second = b.of(GenerationStarted)[-1]
        assert second.generation != first
        assert second.start == len(edited)
        stored = b.desk._means.state.generations
        prompt = stored.generation(second.generation).prompt_ids
        old = stored.generation(first)
        kept = len(prompt) - len(old.prompt_ids)
        assert prompt[: len(old.prompt_ids)] == old.prompt_ids
        assert kept > 0
        assert stored.generation(first).state is State.FINISHED


async def test_another_tokenizer_is_asked_about_and_never_fed_the_ids(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 20)
        order = resume_order(b)
        b.alter("tokenizer_fp", "another")
        await b.desk.resume(order)
        assert "another model" in b.of(GenerationFailed)[-1].sentence
        await b.desk.resume(order)
        started = b.of(GenerationStarted)[-1]
        assert started.generation != order.generation
        assert started.resumed_from == 0


async def test_a_prompt_beyond_the_window_is_one_sentence(tmp_path: Path) -> None:
    async with bench(tmp_path, window=64) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, "word " * 200), SAMPLING)
        assert outcome.state is None
        assert "window" in outcome.sentence
        assert b.file() == "word " * 200


async def test_a_second_desk_is_refused(tmp_path: Path) -> None:
    async with bench(tmp_path):
        with pytest.raises(ManuscriptLocked):
            async with bench(tmp_path):
                pass


async def test_quitting_while_it_writes_pauses(tmp_path: Path) -> None:
    async with bench(tmp_path, tokens_per_second=200) as b:
        task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), replace(SAMPLING, max_tokens=5000)))
        while len(b.of(BatchCommitted)) < 3:
            await asyncio.sleep(0)
        await b.desk.close()
        assert (await task).paused
        shown, generation = b.text, b.of(GenerationStarted)[0].generation
    async with bench(tmp_path) as again:
        offer = again.opened.offers[0]
        assert (offer.generation, offer.cause) == (generation, StopCause.PAUSED)
        assert again.file() == INTRO + shown  # never saved by us: recovery put it there
        assert again.file()[offer.start : offer.end] == shown
        assert offer.intact


async def test_keep_and_discard_are_not_offered_again(tmp_path: Path) -> None:
    for index, (act, *where) in enumerate((("keep",), ("discard", INTRO, (len(INTRO), len(INTRO))))):
        folder = tmp_path / str(index)
        async with bench(folder, batch=[1, 1]) as b:
            await paused_after(b, 10)
            generation = b.of(GenerationStarted)[-1].generation
            getattr(b.desk, act)(generation, *where)
        async with bench(folder) as again:
            assert again.opened.offers == ()
            assert (b.text in again.file()) is (act == "keep")
            assert again.desk._means.state.generations.load(generation).text == b.text


async def test_another_programs_change_is_kept_beside_ours(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, "ours", 1))
        (tmp_path / CHAPTER).write_text("theirs", encoding="utf-8")
        assert await b.desk.save(SaveOrder(CHAPTER, "ours too", 2))
        kept = b.of(SaveRefused)[-1].kept_as
        assert b.file() == "ours too"
        assert (tmp_path / "chapters" / kept).read_text(encoding="utf-8") == "theirs"


async def test_finished_text_reaches_its_file_even_after_a_crash(tmp_path: Path) -> None:
    async with bench(tmp_path, finish_at=20) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), replace(SAMPLING, ignore_eos=False))
        assert b.of(GenerationFinished)[-1].reason == "stop"
        shown = b.text  # and the process dies before the chapter is saved
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + shown
        assert again.opened.offers == ()


async def test_a_save_of_all_the_text_seals_what_has_ended(tmp_path: Path) -> None:
    async with bench(tmp_path, finish_at=20) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), replace(SAMPLING, ignore_eos=False))
        store, generation = b.desk._means.state.generations, b.of(GenerationStarted)[0].generation
        assert not store.is_sealed(generation)
        text = INTRO + b.text
        await b.desk.save(SaveOrder(CHAPTER, text, 1, (Span(generation, len(INTRO), len(text), len(b.text)),)))
        assert store.is_sealed(generation)
        assert store.load(generation).text == b.text


def order_of(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


async def test_nothing_is_told_of_a_stream_before_it_has_begun(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        names = order_of(b.events)
        assert names.index("GenerationStarted") < names.index("BatchCommitted")
        assert names[-1] == "GenerationFinished"


async def test_a_removed_chapter_is_written_again(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, "ours", 1))
        (tmp_path / CHAPTER).unlink()
        assert await b.desk.save(SaveOrder(CHAPTER, "ours too", 2))
        assert b.file() == "ours too"
        assert "removed" in b.of(SaveRefused)[-1].sentence


async def test_copies_kept_aside_are_no_chapters(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, "ours", 1))
        (tmp_path / CHAPTER).write_text("theirs", encoding="utf-8")
        await b.desk.save(SaveOrder(CHAPTER, "ours too", 2))
    assert [c.path for c in open_manuscript(tmp_path).chapters] == [CHAPTER]


async def test_a_chapter_added_since_the_desk_opened_can_be_drafted(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        added = add_chapter(open_manuscript(tmp_path), "The Storm").chapters[-1]
        outcome = await b.desk.draft(DraftOrder(added.path, "# The Storm\n\n"), SAMPLING)
        assert outcome.ended
        prompt = b.desk._means.state.generations.generation(b.of(GenerationStarted)[0].generation).prompt_ids
        assert "The Storm" in detokenize(prompt)
