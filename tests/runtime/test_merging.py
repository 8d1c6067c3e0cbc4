"""Other programs' changes of chapters: merged where that is clean, kept where not, told, and taken over later."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING

from writer.errors import SaveFailed
from writer.manuscript.edits import applied
from writer.manuscript.versions import Versions
from writer.runtime.events import BatchCommitted, ChapterMerged, GenerationPaused, GenerationStarted, Noted, SaveRefused
from writer.runtime.orders import DraftOrder, SaveOrder, Span

BASE = "# One\n\nThe old man slept.\n\nRain fell.\n"


def theirs(b: Bench, text: str) -> None:
    (b.folder / CHAPTER).write_text(text, encoding="utf-8")


def versions(b: Bench) -> list[str]:
    kept = b.desk._means.versions
    return [kept.read(version).decode() for version in kept.listing(CHAPTER)]


async def test_both_sides_changes_are_in_the_file_and_the_author_is_told_once_taken_over(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        theirs(b, BASE.replace("Rain", "Snow"))
        mine = BASE.replace("slept", "woke")
        assert await b.desk.save(SaveOrder(CHAPTER, mine, 2))
        both = mine.replace("Rain", "Snow")
        assert b.file() == both
        assert b.of(SaveRefused) == []
        (merged,) = b.of(ChapterMerged)
        assert (merged.onto, merged.number, merged.base, merged.text) == (0, 1, mine, both)
        assert applied(mine, merged.changes) == both
        assert "Another program changed 01-chapter-1.md" in merged.sentence
        await b.desk.save(SaveOrder(CHAPTER, both, 3, merged=1))
        assert len(b.of(ChapterMerged)) == 1


async def test_what_is_not_taken_over_is_merged_and_told_again(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        theirs(b, BASE.replace("Rain", "Snow"))
        await b.desk.save(SaveOrder(CHAPTER, BASE + "\nA.\n", 2))
        await b.desk.save(SaveOrder(CHAPTER, BASE + "\nA. B.\n", 3))
        assert b.file() == BASE.replace("Rain", "Snow") + "\nA. B.\n"
        first, again = b.of(ChapterMerged)
        assert (again.number, again.onto, again.base) == (first.number, 0, BASE + "\nA. B.\n")
        theirs(b, b.file().replace("old", "young"))  # and another one, while the first is not taken over yet
        await b.desk.save(SaveOrder(CHAPTER, BASE + "\nA. B. C.\n", 4))
        await b.desk.save(SaveOrder(CHAPTER, BASE.replace("Rain", "Snow") + "\nA. B. C.\n", 5, merged=1))
        assert b.file() == BASE.replace("Rain", "Snow").replace("old", "young") + "\nA. B. C.\n"
        assert (b.of(ChapterMerged)[-1].onto, b.of(ChapterMerged)[-1].number) == (1, 2)


async def test_an_overlap_keeps_ours_in_the_chapter_and_theirs_beside(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        theirs(b, BASE.replace("slept", "died"))
        assert await b.desk.save(SaveOrder(CHAPTER, BASE.replace("slept", "woke"), 2))
        assert b.file() == BASE.replace("slept", "woke")
        (refused,) = b.of(SaveRefused)
        assert "(conflict " in refused.kept_as
        assert (tmp_path / "chapters" / refused.kept_as).read_text() == BASE.replace("slept", "died")


async def test_a_program_that_did_not_look_takes_nothing_out(tmp_path: Path) -> None:
    """It writes back what it had loaded at the beginning, with a change of its own."""
    async with bench(tmp_path) as b:
        theirs(b, BASE)
        await b.desk.chapters.read(CHAPTER)
        written = BASE + "\nMuch was written since.\n"
        await b.desk.save(SaveOrder(CHAPTER, written, 1))
        theirs(b, BASE.replace("Rain", "Snow"))
        await b.desk.save(SaveOrder(CHAPTER, written + "\nAnd more.\n", 2))
        assert b.file() == written.replace("Rain", "Snow") + "\nAnd more.\n"


async def test_what_a_merge_takes_out_is_among_the_versions(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        theirs(b, BASE)
        await b.desk.chapters.read(CHAPTER)
        theirs(b, BASE.replace("The old man slept.\n\n", ""))
        mine = BASE + "\nMore.\n"
        await b.desk.save(SaveOrder(CHAPTER, mine, 1))
        assert b.file() == BASE.replace("The old man slept.\n\n", "") + "\nMore.\n"
        assert mine in versions(b)
        assert b.of(SaveRefused) == []


async def test_where_no_version_can_be_kept_both_texts_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: object) -> None:
        raise SaveFailed("No earlier version could be kept.")

    async with bench(tmp_path) as b:
        theirs(b, BASE)
        await b.desk.chapters.read(CHAPTER)
        monkeypatch.setattr(Versions, "keep", refuse)
        theirs(b, BASE.replace("The old man slept.\n\n", ""))
        await b.desk.save(SaveOrder(CHAPTER, BASE + "\nMore.\n", 1))
        assert b.file() == BASE + "\nMore.\n"
        assert b.of(SaveRefused)[0].kept_as


async def test_an_emptied_file_takes_nothing_with_it(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        theirs(b, BASE)
        await b.desk.chapters.read(CHAPTER)
        theirs(b, "")
        await b.desk.chapters.look(CHAPTER)
        assert b.file() == BASE
        assert [e.kept_as for e in b.of(SaveRefused)] == [""]
        assert "emptied" in b.of(SaveRefused)[0].sentence


async def test_an_older_text_takes_nothing_with_it(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        theirs(b, BASE)
        await b.desk.chapters.read(CHAPTER)
        for number in range(1, 40):
            await b.desk.save(SaveOrder(CHAPTER, BASE + f"\nLine {number}.\n" * number, number))
        written = b.file()
        theirs(b, BASE)
        await b.desk.chapters.look(CHAPTER)
        assert b.file() == written
        assert "older text" in b.of(Noted)[0].sentence
        assert b.of(ChapterMerged) == b.of(SaveRefused) == []


async def test_a_file_that_is_still_being_written_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        theirs(b, BASE[:20])
        rest = iter([BASE[:30], BASE.replace("Rain", "Snow")])
        wait = asyncio.sleep

        async def meanwhile(seconds: float) -> None:
            if seconds == b.desk.chapters._quiet and (text := next(rest, None)):
                theirs(b, text)
            await wait(0)

        monkeypatch.setattr(asyncio, "sleep", meanwhile)
        await b.desk.save(SaveOrder(CHAPTER, BASE + "\nMore.\n", 2))
        assert b.file() == BASE.replace("Rain", "Snow") + "\nMore.\n"


async def test_looking_takes_up_what_changed_while_the_author_does_nothing(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        await b.desk.chapters.look(CHAPTER)
        await b.desk.chapters.look("chapters/never-opened.md")
        assert b.of(ChapterMerged) == []
        changed = BASE.replace("Rain", "Snow")
        theirs(b, changed)
        await b.desk.chapters.look(CHAPTER)
        await b.desk.chapters.look(CHAPTER)
        (merged,) = b.of(ChapterMerged)
        assert (merged.base, merged.text, b.file()) == (BASE, changed, changed)


async def test_a_file_that_is_taken_away_is_not_written_unasked_and_kept_among_the_versions(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        (tmp_path / CHAPTER).unlink()
        await b.desk.chapters.look(CHAPTER)
        assert not (tmp_path / CHAPTER).exists()
        assert versions(b)[0] == BASE
        await b.desk.save(SaveOrder(CHAPTER, BASE, 2))
        assert b.file() == BASE


async def test_line_ends_that_another_program_mixed_are_no_change(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        (tmp_path / CHAPTER).write_bytes(BASE.replace("\n", "\r\n").encode())
        await b.desk.chapters.read(CHAPTER)
        (tmp_path / CHAPTER).write_bytes(BASE.replace("\n", "\r\n").encode() + b"Theirs.\n")
        await b.desk.save(SaveOrder(CHAPTER, BASE.replace("slept", "woke"), 1))
        expected = BASE.replace("slept", "woke") + "Theirs.\n"
        assert (tmp_path / CHAPTER).read_bytes() == expected.replace("\n", "\r\n").encode()


# --- while a text streams in


async def streaming(b: Bench, batches: int) -> asyncio.Task[object]:
    order = DraftOrder(CHAPTER, INTRO)
    task = asyncio.ensure_future(b.desk.draft(order, replace(SAMPLING, max_tokens=5000)))
    while len(b.of(BatchCommitted)) < batches:
        await asyncio.sleep(0)
    return task


def order_now(b: Bench, serial: int) -> SaveOrder:
    text = INTRO + b.text
    span = Span(b.of(GenerationStarted)[0].generation, len(INTRO), len(text), len(b.text))
    return SaveOrder(CHAPTER, text, serial, (span,))


async def test_a_change_before_the_stream_leaves_it_running_and_its_place_known(tmp_path: Path) -> None:
    async with bench(tmp_path, tokens_per_second=300) as b:
        task = await streaming(b, 3)
        await b.desk.save(order_now(b, 1))
        theirs(b, "A motto.\n\n" + b.file())
        await b.desk.save(order_now(b, 2))
        assert b.file().startswith("A motto.\n\n" + INTRO)
        assert not task.done()
        b.desk.pause()
        await task
        shown = b.text
    async with bench(tmp_path) as again:  # the rest of what was shown is at its place
        assert again.file() == "A motto.\n\n" + INTRO + shown
        offer = again.opened.offers[0]
        assert offer.intact
        assert again.file()[offer.start : offer.end] == shown


async def test_a_change_inside_the_stream_pauses_it(tmp_path: Path) -> None:
    async with bench(tmp_path, tokens_per_second=300) as b:
        task = await streaming(b, 12)
        await b.desk.save(order_now(b, 1))
        word = b.text.split()[1]
        theirs(b, b.file().replace(f" {word} ", " THEIRS ", 1))
        await b.desk.chapters.look(CHAPTER)
        await task
        assert b.of(GenerationPaused)
        assert "THEIRS" in b.file()
        assert "paused" in b.of(ChapterMerged)[-1].sentence


async def test_a_place_that_was_ordered_long_ago_does_not_bring_the_old_text_back(tmp_path: Path) -> None:
    """The engine may take a minute to start; meanwhile the author types on, and that is saved."""
    async with bench(tmp_path, batch=[1, 1]) as b:
        ready, go_on = b.desk._room.ready, asyncio.Event()

        async def slow() -> object:
            await go_on.wait()
            return await ready()

        b.desk._room.ready = slow  # type: ignore[method-assign, assignment]
        task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        while b.file() != INTRO:
            await asyncio.sleep(0)
        newer = "A title.\n\n" + INTRO
        await b.desk.save(SaveOrder(CHAPTER, newer, 1))
        go_on.set()
        await task
        assert b.file() == newer
        shown = b.text
    async with bench(tmp_path) as again:
        assert again.file() == newer + shown
