"""An open desk notices other programs and other windows by itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench

from writer.errors import ManuscriptLocked
from writer.manuscript import file_system
from writer.manuscript.lock import ManuscriptLock, take_over
from writer.runtime import outside
from writer.runtime.events import ChapterMerged, LeaveAsked
from writer.runtime.orders import SaveOrder

BASE = "# One\n\nThe old man slept.\n"


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)  # the poll's interval


async def changed(b: Bench, text: str) -> None:
    """Another program writes until that is noticed: the watch may begin some time after the desk opened."""

    def noticed() -> bool:
        path = b.folder / CHAPTER
        if not b.of(ChapterMerged):
            (b.folder / "other.tmp").write_text(text, encoding="utf-8")
            os.replace(b.folder / "other.tmp", path)
        return bool(b.of(ChapterMerged))

    await until(noticed)


async def test_a_change_is_noticed_by_the_systems_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "POLL", 1000.0)
    async with bench(tmp_path, watched=True) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        await changed(b, BASE.replace("slept", "woke"))
        assert b.of(ChapterMerged)[0].text == BASE.replace("slept", "woke")


@pytest.mark.parametrize("far", [False, True])
async def test_a_change_is_noticed_without_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, far: bool) -> None:
    async def silent(folder: Path, stop: asyncio.Event) -> object:
        assert not far, "far disks give no hints, so none are waited for"
        await stop.wait()
        yield set()

    monkeypatch.setattr("writer.manuscript.watcher.changes", silent)
    monkeypatch.setattr(file_system, "magic", lambda folder: 0x6969 if far else 0xEF53)
    monkeypatch.setattr(outside, "POLL", 0.02)
    async with bench(tmp_path, watched=True) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        await changed(b, BASE.replace("slept", "woke"))


async def test_our_own_saves_are_not_taken_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(outside, "POLL", 0.01)
    async with bench(tmp_path, watched=True) as b:
        look = b.desk.chapters.look

        async def counted(chapter: str) -> None:
            await look(chapter)
            looks.append(chapter)

        monkeypatch.setattr(b.desk.chapters, "look", counted)
        for serial in range(1, 20):
            await b.desk.save(SaveOrder(CHAPTER, BASE + "More. " * serial, serial))
            seen = len(looks)
            await until(lambda seen=seen: len(looks) > seen)
        assert b.of(ChapterMerged) == []


async def test_looking_again_needs_no_hint_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "POLL", 1000.0)
    monkeypatch.setattr(file_system, "magic", lambda folder: 0x6969)
    async with bench(tmp_path, watched=True) as b:
        await b.desk.save(SaveOrder(CHAPTER, BASE, 1))
        (tmp_path / CHAPTER).write_text(BASE + "\nTheirs.\n")
        await b.desk.outside.look()
        assert len(b.of(ChapterMerged)) == 1


async def test_a_far_folder_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_system, "magic", lambda folder: 0xFF534D42)
    async with bench(tmp_path, watched=True) as b:
        assert [note for note in b.opened.notes if "CIFS" in note]
    async with bench(tmp_path, watched=True) as again:
        assert again.opened.notes == ()


async def test_a_second_window_asks_and_gets_the_manuscript(tmp_path: Path) -> None:
    async with bench(tmp_path, watched=True) as b:
        state_dir = b.desk._means.state_dir
        asking = asyncio.ensure_future(asyncio.to_thread(take_over, state_dir, 20))
        await until(lambda: b.of(LeaveAsked))
        assert b.of(LeaveAsked)[0].process == os.getpid()
        with pytest.raises(ManuscriptLocked):
            ManuscriptLock.take(state_dir)
        await b.desk.close()
        await asking
        ManuscriptLock.take(state_dir).release()
