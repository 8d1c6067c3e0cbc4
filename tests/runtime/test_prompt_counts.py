"""The words of each day are counted as chapters are saved, and follow their chapters."""

from __future__ import annotations

from pathlib import Path

from desk_fixture import CHAPTER, bench

from writer.manuscript import chapter_plans as plans
from writer.manuscript.project import add_chapter, create, open_manuscript
from writer.manuscript.word_history import WordHistory, today
from writer.runtime.orders import ArrangeOrder, SaveOrder


async def test_saved_words_count_as_todays_and_what_was_there_before_does_not(tmp_path: Path) -> None:
    create(tmp_path / "n")
    (tmp_path / "n" / CHAPTER).write_text("Ten words were here before the day of counting began.")
    async with bench(tmp_path / "n") as b:
        await b.desk.save(SaveOrder(CHAPTER, "Ten words were here before the day of counting began. Two more.", 1))
        (count,) = WordHistory(b.desk._means.state_dir).counts()
        assert (count.day, count.chapter, count.base, count.written) == (today(), CHAPTER, 10, 2)


async def test_a_file_that_is_too_large_to_be_counted_at_once_waits_for_the_next_start(tmp_path: Path) -> None:
    async with bench(tmp_path / "n") as b:
        state_dir = b.desk._means.state_dir
        await b.desk.save(SaveOrder(CHAPTER, "word " * 100_000, 1))
        assert sum(count.words for count in WordHistory(state_dir).counts()) == 0
    async with bench(tmp_path / "n"):
        assert sum(count.written for count in WordHistory(state_dir).counts()) == 100_000


async def test_a_split_and_a_merge_write_nothing(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        state_dir = b.desk._means.state_dir
        await b.desk.save(SaveOrder(CHAPTER, "# Salt\n\nOne two three.\n\nFour five.\n", 1))
        written = WordHistory(state_dir).days()[today()]
        assert written == 6
        at = len("# Salt\n\nOne two three.\n\n")
        await b.desk.arranging.arrange(ArrangeOrder("s", lambda book: plans.split(book, 1, at, "Salt")))
        assert [(count.words, count.base) for count in WordHistory(state_dir).counts()] == [(4, 0), (3, 0)]
        await b.desk.arranging.arrange(ArrangeOrder("m", lambda book: plans.merged(book, 1, 2)))
        assert WordHistory(state_dir).days() == {today(): 7}  # a heading is a word more
        await b.desk.arranging.arrange(ArrangeOrder("r", lambda book: plans.renamed(book, 1, "Water")))
        assert [count.chapter for count in WordHistory(state_dir).counts()] == ["chapters/01-water.md"]


async def test_words_of_a_note_are_not_the_books(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        (tmp_path / "notes" / "mara.md").write_text("One.")
        await b.desk.save(SaveOrder("notes/mara.md", "One two three four.", 1))
        assert [count.chapter for count in WordHistory(b.desk._means.state_dir).counts()] == [CHAPTER]


async def test_all_words_of_a_chapter_that_was_added_are_new(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        added = add_chapter(open_manuscript(tmp_path), "Salt").chapters[-1].path
        await b.desk.save(SaveOrder(added, "# Salt\n\nOne two three.", 1))
        assert WordHistory(b.desk._means.state_dir).days() == {today(): 4}
