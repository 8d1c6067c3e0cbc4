"""Saves that are cut short by a pause, and files that another program wrote in another style."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, bench
from test_desk import INTRO, paused_after

from writer.errors import SaveFailed
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.versions import Versions
from writer.runtime.events import GenerationStarted, SaveRefused
from writer.runtime.orders import DraftOrder, SaveOrder, Span


async def test_a_pause_in_the_middle_of_a_save_is_no_other_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saving, go_on = threading.Event(), threading.Event()
    save = ChapterFile.save

    def slow(*words: object) -> object:
        saving.set()
        assert go_on.wait(10)
        return save(*words)  # type: ignore[arg-type]

    async with bench(tmp_path) as b:
        monkeypatch.setattr(ChapterFile, "save", slow)
        task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, "First. ")))
        await asyncio.to_thread(saving.wait, 10)
        b.desk.pause()
        assert (await task).paused
        later = asyncio.ensure_future(b.desk.save(SaveOrder(CHAPTER, "First. Second.", 1)))
        await asyncio.sleep(0)
        go_on.set()
        assert await later
        assert b.of(SaveRefused) == []
        assert b.file() == "First. Second."


async def test_a_close_waits_for_the_save_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saving, go_on = threading.Event(), threading.Event()
    save = ChapterFile.save

    def slow(*words: object) -> object:
        saving.set()
        assert go_on.wait(10)
        return save(*words)  # type: ignore[arg-type]

    async with bench(tmp_path) as b:
        monkeypatch.setattr(ChapterFile, "save", slow)
        task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, "First. ")))
        await asyncio.to_thread(saving.wait, 10)
        closing = asyncio.ensure_future(b.desk.close())
        assert (await task).paused
        for _ in range(50):  # it would be done by now
            await asyncio.sleep(0)
        assert not closing.done()
        go_on.set()
        await closing
        assert b.file() == "First. "


async def test_the_place_is_known_in_a_file_of_another_style(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.desk.save(SaveOrder(CHAPTER, "ours", 1))
        store = b.desk._means.state
        generation = store.generations.begin(
            chapter=CHAPTER,
            prompt_ids=(1,),
            sampling=b.desk.sampling(),
            fingerprint=(await b.desk._room.ready()).facts.fingerprint,
        ).id
        (tmp_path / CHAPTER).write_bytes(b"theirs\r\nin lines\r\n")
        await b.desk.save(SaveOrder(CHAPTER, "ours\ntoo", 2, (Span(generation, 4, 4, 0),)))
        written = (tmp_path / CHAPTER).read_bytes()
        assert written == b"ours\r\ntoo"
        assert store.spans.of(generation)[0].file_sha256 == hashlib.sha256(written).hexdigest()


async def test_refused_saves_do_not_make_it_forget_what_the_file_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: object) -> None:
        raise SaveFailed("The disk is full.")

    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 60)
        generation = b.of(GenerationStarted)[-1].generation

        def order(characters: int) -> SaveOrder:
            text = INTRO + b.text[:characters] + "\n\nThe author's end."
            return SaveOrder(CHAPTER, text, 1, (Span(generation, len(INTRO), len(INTRO) + characters, characters),))

        assert await b.desk.save(order(20))
        with monkeypatch.context() as patch:
            patch.setattr(ChapterFile, "save", refuse)
            for characters in range(40, 100, 10):
                assert not await b.desk.save(order(characters))
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + b.text + "\n\nThe author's end."
        assert again.opened.offers[0].intact


async def test_a_version_that_cannot_be_kept_leaves_no_words_unsaved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: object) -> None:
        raise SaveFailed("No earlier version could be kept.")

    async with bench(tmp_path) as b:
        assert await b.desk.save(SaveOrder(CHAPTER, "one", 1))
        monkeypatch.setattr(Versions, "keep", refuse)
        assert await b.desk.save(SaveOrder(CHAPTER, "two", 2))
        assert b.file() == "two"
