"""Chapters are renamed, cut and joined at an open desk: the state follows, and no text is lost or written twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING, paused_after, whole

from writer.bootstrap import writing_thread
from writer.manuscript import atomic
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arrangement import dumped
from writer.manuscript.arranging import RECORD
from writer.manuscript.book import read_book
from writer.manuscript.edits import applied
from writer.manuscript.project import add_chapter, open_manuscript
from writer.runtime.events import ArrangeRefused, BatchCommitted, ChapterMerged, ChaptersArranged, GenerationStarted
from writer.runtime.orders import ArrangeOrder, DraftOrder, ResumeOrder, SaveOrder, Span

NEW = "chapters/01-salt-and-water.md"


def rename(number: int = 1, title: str = "Salt and water") -> ArrangeOrder:
    return ArrangeOrder("r", lambda book: plans.renamed(book, number, title))


def texts(b: Bench) -> list[str]:
    return [(b.folder / path).read_text("utf-8") for path in read_book(b.folder).paths]


async def paused_and_saved(b: Bench, behind: str = "") -> str:
    """A text that was interrupted, as a window leaves it: all of it is in the chapter's file."""
    await paused_after(b, 30)
    span = Span(b.of(GenerationStarted)[-1].generation, len(INTRO), len(INTRO) + len(b.text), len(b.text))
    assert await b.desk.save(SaveOrder(CHAPTER, INTRO + b.text + behind, 1, (span,)))
    return b.text


async def test_a_renamed_chapter_goes_on_without_a_seam_after_the_next_start(tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        await paused_after(b, 9)
        begun = b.ids
        manuscript = await b.desk.arranging.arrange(rename())
        assert manuscript is not None
        assert [chapter.path for chapter in manuscript.chapters] == [NEW]
        assert b.of(ChaptersArranged)[0].tag == "r"
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        (offer,) = b.opened.offers
        now = (b.folder / NEW).read_text("utf-8")
        assert (offer.chapter, offer.intact, offer.note) == (NEW, True, "")
        assert now.startswith("# Salt and water\n\nIt was late.\n\n")
        await b.desk.resume(ResumeOrder(offer.generation, NEW, now, offer.start, offer.end))
        assert begun + b.ids == ids
        assert text.startswith(now[offer.start :])


async def test_a_rename_that_was_cut_short_is_finished_before_anything_is_looked_for(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        await paused_after(b, 9)
        state_dir, written = b.desk._means.state_dir, b.text
    plan = plans.renamed(read_book(tmp_path), 1, "Salt and water")
    atomic.write_new(state_dir / RECORD, dumped(plan))
    async with bench(tmp_path, batch=[1, 3]) as b:
        (offer,) = b.opened.offers
        assert (offer.chapter, offer.intact) == (NEW, True)
        assert texts(b) == [f"# Salt and water\n\nIt was late.\n\n{written}"]
        assert not (state_dir / RECORD).exists()
        assert b.opened.notes == ()


def test_the_app_is_built_from_chapters_that_are_whole(tmp_path: Path) -> None:
    from writer.manuscript.project import create

    made = create(tmp_path / "novel")
    from writer import locations

    plan = plans.added(read_book(made.folder), "The storm")
    atomic.write_new(locations.state_dir(made.id) / RECORD, dumped(plan))
    manuscript, _, _ = writing_thread(made.folder, {"WRITER_ENGINE": "scripted"})
    assert [chapter.title for chapter in manuscript.chapters] == ["Chapter 1", "The storm"]


@pytest.mark.parametrize("where", ["in front of it", "inside of it", "behind it"])
async def test_a_split_keeps_every_word_of_an_interrupted_text_once(tmp_path: Path, where: str) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        written = await paused_and_saved(b, "\n\nThe end of it.\n")
        offset = {"in front of it": len("# Salt\n\n"), "inside of it": len(INTRO) + len(b.text) // 2}
        at = offset.get(where, len(INTRO) + len(b.text) + 2)
        assert await b.desk.arranging.arrange(ArrangeOrder("s", lambda book: plans.split(book, 1, at, "Later")))
        found = texts(b)
    async with bench(tmp_path, batch=[1, 3]) as b:
        assert texts(b) == found
        assert len(found) == 2
        signs = "".join("".join(found).replace("# Later", "").split())
        assert signs == "".join((INTRO + written + "The end of it.").split())
        assert not list(tmp_path.glob("chapters/*(*"))


@pytest.mark.parametrize("title", ["Later", ""])
async def test_an_interrupted_text_goes_on_without_a_seam_in_the_chapter_that_a_split_made(
    tmp_path: Path, title: str
) -> None:
    ids, _ = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        written, begun = await paused_and_saved(b), b.ids
        at = len("# Salt\n\n")
        assert await b.desk.arranging.arrange(ArrangeOrder("s", lambda book: plans.split(book, 1, at, title)))
        assert [(each.old, each.new) for each in b.of(ChaptersArranged)[0].carried] == [(CHAPTER, CHAPTER)]
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        (offer,) = b.opened.offers
        now = texts(b)[1]
        assert (offer.chapter, offer.intact) == (read_book(b.folder).paths[1], True)
        assert now[offer.start : offer.end] == written
        await b.desk.resume(ResumeOrder(offer.generation, offer.chapter, now, offer.start, offer.end))
        assert begun + b.ids == ids


async def test_an_interrupted_text_in_the_first_part_stays_there_at_a_split(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        written = await paused_and_saved(b, "\n\nThe end of it.\n")
        at = len(INTRO) + len(written) + 2
        assert await b.desk.arranging.arrange(ArrangeOrder("s", lambda book: plans.split(book, 1, at, "Later")))
    async with bench(tmp_path, batch=[1, 3]) as b:
        (offer,) = b.opened.offers
        assert (offer.chapter, offer.intact) == (CHAPTER, True)
        assert texts(b)[0][offer.start : offer.end] == written


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
async def test_a_merge_keeps_an_interrupted_text_once_and_its_place(tmp_path: Path, order: tuple[int, int]) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        add_chapter(open_manuscript(tmp_path), "Water")
        written = await paused_and_saved(b)
        assert await b.desk.arranging.arrange(ArrangeOrder("m", lambda book: plans.merged(book, *order)))
        (found,) = texts(b)
    async with bench(tmp_path, batch=[1, 3]) as b:
        (offer,) = b.opened.offers
        assert texts(b) == [found]
        assert found.count(written) == 1
        assert found[offer.start : offer.end] == written
        assert offer.intact


async def test_a_chapter_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        while not b.of(BatchCommitted):
            await asyncio.sleep(0)
        assert await b.desk.arranging.arrange(rename()) is None
        assert "is being written" in b.of(ArrangeRefused)[0].sentence
        b.desk.pause()
        await task
        assert await b.desk.arranging.arrange(rename()) is not None


async def test_a_plan_that_cannot_be_is_refused_in_its_own_words(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        assert await b.desk.arranging.arrange(rename(number=7)) is None
        assert "no chapter 7" in b.of(ArrangeRefused)[0].sentence


async def test_what_a_window_saves_under_the_old_name_goes_to_the_new_one(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, INTRO + "One.", 1))
        await b.desk.arranging.arrange(rename())
        assert await b.desk.save(SaveOrder(CHAPTER, INTRO + "One. Two.", 2))
        assert texts(b) == ["# Salt and water\n\nIt was late.\n\nOne. Two."]


async def test_a_window_with_a_chapter_open_is_told_what_a_split_took_out(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, INTRO + "One.\n\nTwo.\n", 1))
        at = len(INTRO) + len("One.\n\n")
        await b.desk.arranging.arrange(ArrangeOrder("s", lambda book: plans.split(book, 1, at, "Later")))
        (merged,) = b.of(ChapterMerged)
        assert applied(merged.base, merged.changes) == merged.text == INTRO + "One.\n"
        assert await b.desk.save(SaveOrder(CHAPTER, INTRO + "One. More.\n", 2, merged=merged.number))
        assert texts(b) == [INTRO + "One. More.\n", "# Later\n\nTwo.\n"]


async def test_a_window_with_a_chapter_that_is_no_more_does_not_bring_it_back(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        path = add_chapter(open_manuscript(tmp_path), "Water").chapters[-1].path
        await b.desk.save(SaveOrder(path, "# Water\n\nWet.\n", 1))
        await b.desk.arranging.arrange(ArrangeOrder("m", lambda book: plans.merged(book, 1, 2)))
        assert not await b.desk.save(SaveOrder(path, "# Water\n\nWet. And cold.\n", 2))
        assert len(texts(b)) == 1
        assert "Wet." in texts(b)[0]


async def test_a_new_chapter_may_be_called_as_a_renamed_one_was(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.chapters.read(CHAPTER)
        await b.desk.arranging.arrange(rename())
        (tmp_path / CHAPTER).write_text("Another one.", "utf-8")
        await b.desk.chapters.read(CHAPTER)
        await b.desk.save(SaveOrder(CHAPTER, "Another one. More.", 1))
        assert (tmp_path / CHAPTER).read_text("utf-8") == "Another one. More."
        assert b.of(GenerationStarted) == []


async def test_an_outline_that_is_open_follows_a_rename_with_all_that_was_typed(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        (tmp_path / "outline.md").write_text("## Salt\nIt is late.\n")
        (tmp_path / CHAPTER).write_text("# Salt\n\nLate.\n")
        await b.desk.chapters.read("outline.md")
        assert await b.desk.save(SaveOrder("outline.md", "## Salt\nIt is late. More.\n", 1))
        await b.desk.arranging.arrange(rename())
        (merged,) = b.of(ChapterMerged)
        assert merged.chapter == "outline.md"
        assert applied(merged.base, merged.changes) == merged.text == "## Salt and water\nIt is late. More.\n"
        assert await b.desk.save(SaveOrder("outline.md", merged.text + "End.\n", 2, merged=merged.number))
        assert (tmp_path / "outline.md").read_text() == "## Salt and water\nIt is late. More.\nEnd.\n"
