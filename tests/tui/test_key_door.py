"""What is typed in one burst with the key that opens something goes there, and never into the chapter."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual import events
from textual.widgets import Input

from writer.manuscript.project import add_chapter
from writer.runtime.events import ChaptersArranged
from writer.tui import key_door


def burst(desktop: Desktop, *keys: str, typed: str = "") -> None:
    """All of it at once, as a fast writer or a slow machine brings it."""
    for key in keys:
        character = key if len(key) == 1 else "\r" if key == "enter" else None
        desktop.app.post_message(events.Key(key, character))
    for character in typed:
        desktop.app.post_message(events.Key(character, character))


def values(desktop: Desktop, fields: str) -> list[str]:
    return [each.value for each in desktop.app.screen.query(fields).results(Input)]


OPENED = {
    "ctrl+f": "FindBar Input",  # first of all: it is not there yet
    "ctrl+r": "FindBar Input",
    "ctrl+n": "Ask Input",
    "ctrl+l": "Ask Input",
    "f2": "Ask Input",
    "f10": "SearchSheet Input",
    "ctrl+p": "Palette Input",
    "ctrl+o r": "Ask Input",  # the list has its rows, and its key opens a question
    "f12 i": "Ask Input",
}


async def test_a_burst_goes_into_what_its_first_key_opens(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        text = desktop.page.editor.text
        for keys, field in OPENED.items():
            burst(desktop, *keys.split(), typed="harbour")
            await desktop.until(lambda field=field: "harbour" in values(desktop, field))
            assert desktop.page.editor.text == text, keys
            for _ in range(2):  # from the question to its list, from there to the text
                await desktop.press("escape")
            await desktop.until(lambda: desktop.app.screen.focused is desktop.page.editor)


async def test_what_is_typed_behind_the_key_that_closes_goes_into_the_text(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        text = desktop.page.editor.text
        burst(desktop, "ctrl+f", "o", "escape", "ctrl+n", "T", "escape", typed="Fog. ")
        burst(desktop, "ctrl+home", typed="So ")
        await desktop.until(lambda: len(desktop.page.editor.text) == len(text) + len("Fog. So "))
        assert desktop.page.editor.text.startswith("So ")
        assert "Fog. " in desktop.page.editor.text
        assert values(desktop, "FindBar Input") == ["o", ""]


async def test_the_beginning_of_a_new_chapter_may_follow_its_title_at_once(tmp_path: Path) -> None:
    novel = make_novel(tmp_path)
    async with running(novel, desk := FakeDesk()) as desktop:
        text = desktop.page.editor.text
        burst(desktop, "ctrl+n", *"Fog", "enter", typed="It was dark. ")
        await desktop.until(lambda: desktop.screen.rearranged)
        event = ChaptersArranged("arrange 1", add_chapter(novel, "Fog"), ())
        desk.report(event)
        await desktop.until(lambda: desktop.page.chapter.title == "Fog" and "dark. " in desktop.page.editor.text)
        assert "It was dark. " in desktop.page.editor.text
        assert desktop.screen.pages[novel.chapters[0].path].editor.text == text


async def test_keys_come_through_where_what_is_awaited_does_not_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_door, "LONGEST", 0.1)
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        burst(desktop, "ctrl+n", *"Fog", "enter", typed="Fog ")  # no answer ever comes
        await desktop.until(lambda: "Fog " in desktop.page.editor.text)
        assert desktop.screen.rearranged
        monkeypatch.setattr(key_door, "LONGEST", 3600.0)
        burst(desktop, "ctrl+s", typed="Sea ")
        await desktop.until(lambda: "Sea " in desktop.page.editor.text)
