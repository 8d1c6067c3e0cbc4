"""Every screen over the text: in a small window nothing of it is out of reach, and the mouse does what keys do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from all_sheets import SHEETS, rows, show
from desktop import NEVER, Desktop, make_novel
from fake_desk import FakeDesk
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Input

from writer.config import EditorSettings
from writer.tui.app import WriterApp
from writer.tui.editor.find_bar import Toggle
from writer.tui.prompt.key_line import clicks

SMALL = (60, 18)
ANSWERED = {"choice", "convert", "resume"}
"""Left by their buttons."""


def seen(widget: Widget, size: tuple[int, int]) -> bool:
    region = widget.region
    return region.area > 0 and region.right <= size[0] and region.bottom <= size[1]


def place(desktop: Desktop, text: str) -> tuple[int, int]:
    """The first cell of this text on the terminal."""
    for y, row in enumerate(rows(desktop)):
        if text in row:
            return row.index(text), y
    raise AssertionError(f"{text} is not to be seen:\n" + "\n".join(rows(desktop)))


def fields(screen: Screen[Any]) -> list[Widget]:
    kinds = (Input, Toggle)
    return [each for each in screen.query("*") if isinstance(each, kinds) and each.display and each.region.area]


async def click(desktop: Desktop, x: int, y: int) -> None:
    await desktop.pilot.click(offset=(x, y))


async def left(desktop: Desktop, name: str, screen: Screen[Any]) -> None:
    """Leave it by mouse."""
    if name in ANSWERED:
        button = list(screen.query(Button))[-1]
        await click(desktop, button.region.x + 1, button.region.y)
    elif name == "palette":
        await click(desktop, 0, 0)
    else:
        await click(desktop, *place(desktop, "Esc"))
    await desktop.until(lambda: desktop.app.screen is not screen)


async def test_in_a_small_window_all_can_be_reached_by_mouse(tmp_path: Path) -> None:
    app = WriterApp(make_novel(tmp_path), FakeDesk(), EditorSettings(autosave=NEVER))
    async with app.run_test(size=SMALL) as pilot:
        desktop = Desktop(app, app.desk, pilot)  # type: ignore[arg-type]
        await desktop.until(lambda: app.main.page is not None)
        await desktop.until(lambda: "Help" in rows(desktop)[-1])
        for name in SHEETS:
            screen = await show(desktop, name)
            cut = [str(each) for each in screen.query(Button) if each.display and not seen(each, SMALL)]
            assert not cut, (name, cut, rows(desktop))
            for field in fields(screen):
                await click(desktop, field.region.x + 1, field.region.y + (field.region.height > 1))
                assert screen is app.screen, name
                await desktop.until(lambda field=field: field.has_focus)  # type: ignore[misc]
            await left(desktop, name, screen)
            while app.screen is not app.main:
                await app.pop_screen()


async def test_a_row_that_is_clicked_is_taken(tmp_path: Path) -> None:
    app = WriterApp(make_novel(tmp_path), FakeDesk(), EditorSettings(autosave=NEVER))
    async with app.run_test(size=SMALL) as pilot:
        desktop = Desktop(app, app.desk, pilot)  # type: ignore[arg-type]
        await desktop.until(lambda: app.main.page is not None)
        await show(desktop, "chapters")
        assert app.cursor_position.y == place(desktop, "One")[1], "the terminal's cursor is at the row that is chosen"
        await desktop.press("down")
        assert app.cursor_position.y == place(desktop, "The Lighthouse")[1]
        await click(desktop, *place(desktop, "The Lighthouse"))
        await desktop.until(lambda: desktop.page.chapter.title == "The Lighthouse")
        await show(desktop, "chapters")
        await click(desktop, *place(desktop, "notes · f search"))
        await desktop.until(lambda: any("Notes and other texts" in row for row in rows(desktop)))
        await click(desktop, *place(desktop, "c new character"))
        await desktop.until(lambda: any("Name of the new" in row for row in rows(desktop)))
        await click(desktop, *place(desktop, "Escape"))
        await desktop.until(lambda: any("Notes and other texts" in row for row in rows(desktop)))


async def test_a_window_that_is_too_small_says_so(tmp_path: Path) -> None:
    app = WriterApp(make_novel(tmp_path), FakeDesk(), EditorSettings(autosave=NEVER))
    async with app.run_test(size=(34, 9)) as pilot:
        desktop = Desktop(app, app.desk, pilot)  # type: ignore[arg-type]
        await desktop.until(lambda: app.main.page is not None)
        await desktop.until(lambda: "40 × 15" in desktop.status)
        await desktop.press(*"and so")
        assert "and so" in desktop.page.editor.text


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("Enter open · s status · Esc back", ["enter", "s", "escape"]),
        ("left right word · PgUp PgDn paragraph · Esc back", ["left", "right", "pageup", "pagedown", "escape"]),
        ("Enter, 1–9 choose · Space yes", ["enter", "space"]),
        ("Enter writes on; Escape goes back.", ["enter", "escape"]),
        ("A folder, or a file; Escape goes back.", ["escape"]),
    ],
)
def test_a_line_of_keys_is_that_of_buttons(line: str, keys: list[str]) -> None:
    found = clicks(line)
    assert [key for _, _, key in found] == keys
    assert all(line[start:end].strip() for start, end, _ in found)
