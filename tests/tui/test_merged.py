"""Another program changes a chapter that is open: the change comes into the text, the author's place stays his."""

from __future__ import annotations

from pathlib import Path

from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk

from writer.runtime.events import ChapterMerged
from writer.runtime.orders import SaveOrder


def told(desktop: Desktop, number: int, onto: int, base: str, change: tuple[int, int, str]) -> ChapterMerged:
    at, removed, inserted = change
    text = base[:at] + inserted + base[at + removed :]
    chapter = desktop.page.chapter.path
    return ChapterMerged(chapter, number, onto, base, text, (change,), "Another program changed this chapter.")


async def test_a_change_comes_in_around_what_the_author_types(tmp_path: Path) -> None:
    desk = FakeDesk()
    async with running(make_novel(tmp_path), desk) as desktop:
        editor = desktop.page.editor
        base = editor.text
        editor.move_to(len(base))
        await desktop.press(*" Mine.")
        desk.report(told(desktop, 1, 0, base, (7, 10, "It poured.")))
        await desktop.until(lambda: "poured" in editor.text)
        assert editor.text == base[:7] + "It poured." + base[17:] + " Mine."
        assert editor.cursor == editor.length
        await desktop.press("ctrl+s")
        await desktop.until(lambda: desk.given(SaveOrder)[-1].merged == 1)
        await desktop.press("ctrl+z")
        assert editor.text == base + " Mine."


async def test_a_change_where_the_author_is_typing_waits_and_an_old_one_is_passed_over(tmp_path: Path) -> None:
    desk = FakeDesk()
    async with running(make_novel(tmp_path), desk) as desktop:
        editor = desktop.page.editor
        base = editor.text
        editor.move_to(9)
        await desktop.press("X")
        mine = editor.text
        desk.report(told(desktop, 1, 0, base, (7, 10, "It poured.")))
        desk.report(told(desktop, 3, 2, mine, (0, 0, "Old. ")))
        desk.report(told(desktop, 4, 0, mine, (0, 0, "New. ")))
        await desktop.until(lambda: editor.text == "New. " + mine)
        assert desktop.page.merged == 4
