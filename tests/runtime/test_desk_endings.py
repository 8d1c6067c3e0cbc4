"""How generations end at the desk: superseded, kept, edited, refused; and what the next start makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING, paused_after, resume_order

from writer.engine.scripted_words import detokenize
from writer.errors import StateFull
from writer.generation.model import State
from writer.runtime.events import BatchCommitted, Event, GenerationFinished, GenerationPaused, GenerationStarted
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder, Span

ENDING = replace(SAMPLING, ignore_eos=False)


async def saved_in_steps(b: Bench) -> str:
    """Saves the text as autosaves would have: some of it, more of it, all of it. Returns the generation."""
    generation = b.of(GenerationStarted)[-1].generation
    for part in (len(b.text) // 4, len(b.text) // 2, len(b.text)):
        text = INTRO + b.text[:part]
        await b.desk.save(SaveOrder(CHAPTER, text, 1, (Span(generation, len(INTRO), len(text), part),)))
    return generation


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "chapters").iterdir())


async def test_a_text_cut_by_another_program_does_not_come_back(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 60)
        await saved_in_steps(b)
    cut = INTRO + b.text[: len(b.text) * 3 // 4]
    (tmp_path / CHAPTER).write_text(cut, encoding="utf-8")
    async with bench(tmp_path) as again:
        assert again.file() == cut


async def test_a_text_that_was_edited_and_gone_on_with_is_left_alone_at_the_next_start(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 60)
        generation = await saved_in_steps(b)
        edited = INTRO + b.text[: len(b.text) * 3 // 4] + " And the author went on."
        await b.desk.resume(resume_order(b, edited))
        assert b.desk._means.state.generations.is_sealed(generation)
    before = b.file()
    async with bench(tmp_path) as again:
        assert again.file().startswith(before)
        assert again.file().count(b.text[:40]) == 1
    assert files(tmp_path) == [Path(CHAPTER).name]


async def test_a_kept_text_is_the_authors_alone(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 60)
        b.desk.keep(await saved_in_steps(b))
        edited = INTRO + "He began anew. " + b.text[50:90]
        await b.desk.save(SaveOrder(CHAPTER, edited, 2))
    async with bench(tmp_path) as again:
        assert again.file() == edited
        assert again.opened.notes == ()
    assert files(tmp_path) == [Path(CHAPTER).name]


async def test_a_kept_text_that_its_file_lacks_still_reaches_it(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 10)
        b.desk.keep(b.of(GenerationStarted)[-1].generation)
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + b.text
        assert again.opened.offers == ()


async def test_a_draft_that_cannot_begin_leaves_the_paused_text_resumable(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1], window=400) as b:
        await paused_after(b, 10)
        generation = b.of(GenerationStarted)[-1].generation
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO + b.text + " word" * 500), SAMPLING)
        assert "window" in outcome.sentence
        assert b.desk._means.state.generations.generation(generation).state is State.PAUSED


async def test_ended_text_whose_chapter_is_away_waits_for_it(tmp_path: Path) -> None:
    async with bench(tmp_path, finish_at=20) as b:
        await b.desk.draft(DraftOrder(CHAPTER, INTRO), ENDING)
    file = tmp_path / CHAPTER
    file.rename(tmp_path / "away.md")
    async with bench(tmp_path) as without:
        assert without.opened.offers == ()
        assert "is not there any more" in without.opened.notes[0]
    (tmp_path / "away.md").rename(file)
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + b.text


async def test_text_without_a_place_goes_on_from_the_chapter_as_it_is(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 20)
        await saved_in_steps(b)
    theirs = "Another program wrote all of this anew."
    (tmp_path / CHAPTER).write_text(theirs, encoding="utf-8")
    async with bench(tmp_path) as again:
        offer = again.opened.offers[0]
        assert "kept beside it" in offer.note
        await again.desk.resume(ResumeOrder(offer.generation, CHAPTER, theirs, offer.start, offer.end))
        generation = again.of(GenerationStarted)[0].generation
        prompt = again.desk._means.state.generations.generation(generation).prompt_ids
        assert detokenize(prompt).endswith(theirs)


async def test_a_second_draft_is_refused_while_one_is_written(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        first = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        while len(b.of(BatchCommitted)) < 5:
            await asyncio.sleep(0)
        second = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert "already" in second.sentence
        assert (await first).tokens == len(b.ids) == SAMPLING.max_tokens
        assert len(b.desk._means.state.generations.all()) == 1


async def test_what_is_asked_during_a_pause_begins_after_it(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        first = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        while len(b.of(BatchCommitted)) < 5:
            await asyncio.sleep(0)
        b.desk.pause()
        assert (await b.desk.resume(resume_order(b))).ended
        assert (await first).paused
        kinds = [type(e) for e in b.events if isinstance(e, GenerationPaused | GenerationStarted | GenerationFinished)]
        assert kinds == [GenerationStarted, GenerationPaused, GenerationStarted, GenerationFinished]
        assert len(b.ids) == SAMPLING.max_tokens


async def test_a_damaged_batch_does_not_lock_the_author_out(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 10)
        b.desk._means.state.generations._db.execute("UPDATE batch SET crc=crc+1 WHERE ordinal=4")
    async with bench(tmp_path) as again:
        words = [batch.text for batch in b.of(BatchCommitted)]
        assert [offer.tokens for offer in again.opened.offers] == [4]
        assert again.file() == INTRO + "".join(words[:4])
        damaged, beside = again.opened.notes
        assert "damaged; 80 % of it could be read" in damaged
        assert "(recovered" in beside
        aside = next((tmp_path / CHAPTER).parent.glob("*recovered*"))
        assert aside.read_text() == "".join(words[6:])
        outcome = await again.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert outcome.ended


async def test_a_pause_on_a_full_disk_is_a_pause(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        store = b.desk._means.state.generations

        def full(*args: object, **kwargs: object) -> None:
            raise StateFull("The disk is full.")

        def notify_then_fill(event: Event) -> None:
            if isinstance(event, BatchCommitted) and len(b.of(BatchCommitted)) == 5:
                store.mark = full  # type: ignore[method-assign]
                b.desk.pause()

        hear(b, notify_then_fill)
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert outcome.paused
        assert outcome.tokens == len(b.ids)
        assert b.of(GenerationPaused)[-1].generation == b.of(GenerationStarted)[-1].generation
        del store.mark


def hear(b: Bench, also: Callable[[Event], None]) -> None:
    """Lets a function see each event of the runner too."""
    runner = b.desk._drafting._drafting._runner
    listen = runner._notify

    def both(event: Event) -> None:
        listen(event)
        also(event)

    runner._notify = both
