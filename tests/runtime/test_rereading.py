"""A settings file that is changed while the desk is open holds at once; what is wrong in it is told, no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from desk_fixture import bench

from writer import bootstrap
from writer.manuscript.project import create
from writer.runtime import rereading
from writer.runtime.events import Event, SettingsChanged, SettingsRefused


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(rereading, "LOOK", 0.02)
    create(tmp_path, title="Salt")
    return tmp_path


def say(book: Path, table: str) -> None:
    file = book / "writer.toml"
    file.write_text(file.read_text(encoding="utf-8").split("\n[settings", 1)[0] + "\n" + table, encoding="utf-8")


async def test_what_is_changed_holds_for_the_next_text(book: Path) -> None:
    async with bench(book) as b:
        assert b.desk.sampling().top_k == 0
        say(book, "[settings.writing]\ntop_k = 7\n[settings.editor]\nwidth = 60\n")
        await until(lambda: b.of(SettingsChanged))
        (changed,) = b.of(SettingsChanged)
        assert (b.desk.sampling().top_k, changed.settings.editor.width, changed.engine_too) == (7, 60, False)


async def test_an_engine_goes_on_as_it_was_begun_and_that_is_told(book: Path) -> None:
    async with bench(book) as b:
        say(book, "[settings.engine]\nwindow = 2048\n")
        await until(lambda: b.of(SettingsChanged))
        assert b.of(SettingsChanged)[0].engine_too


async def test_what_is_wrong_is_told_once_and_what_held_goes_on_to_hold(book: Path) -> None:
    async with bench(book) as b:
        say(book, "[settings.writing]\ntop_k = 7\n")
        await until(lambda: b.of(SettingsChanged))
        say(book, "[settings.writing]\ntop_k = 8\ntop_kk = 9\n")
        await until(lambda: b.of(SettingsRefused))
        assert '"top_kk"' in b.of(SettingsRefused)[0].sentence
        assert b.desk.sampling().top_k == 7
        say(book, "[settings.writing]\ntop_k = 9\n")
        await until(lambda: b.desk.sampling().top_k == 9)
        assert len(b.of(SettingsRefused)) == 1


async def test_what_is_not_changed_is_read_once(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, looked = [], []
    settings_for, marks_of = bootstrap.settings_for, rereading.marks_of
    monkeypatch.setattr(bootstrap, "settings_for", lambda *of: (read.append(of), settings_for(*of))[1])
    monkeypatch.setattr(rereading, "marks_of", lambda files: (looked.append(files), marks_of(files))[1])
    async with bench(book):
        await until(lambda: len(looked) > 2)
    assert len(read) == 1


async def test_what_is_changed_after_the_screen_has_read_it_is_told(book: Path) -> None:
    events: list[Event] = []
    environ = {"WRITER_ENGINE": "scripted"}
    _, settings, thread = bootstrap.writing_thread(book, environ)
    assert settings.editor.width != 60
    say(book, "[settings.editor]\nwidth = 60\n")  # before the desk is built
    thread.start(events.append)
    try:
        await until(lambda: any(isinstance(event, SettingsChanged) for event in events))
    finally:
        await asyncio.wrap_future(thread.close())
