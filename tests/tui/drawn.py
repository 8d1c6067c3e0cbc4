"""The editor alone in an app, drawn on a terminal as the driver would draw it: every update is played into pyte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pyte
from pyte.screens import Char
from rich.console import RenderableType
from rich.control import Control
from textual import events
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.geometry import Offset, Size
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from writer.config import EditorSettings
from writer.editing import cells
from writer.tui.editor.painting import Painter
from writer.tui.editor.widget import Editor

JOINER = "\u200d"  # alone it has no cell, so that a screen may leave it out


class Drawn(App[None]):
    """An app with nothing but the editor. Notes its messages and all that is sent to the terminal."""

    CSS = "Editor { height: 1fr; scrollbar-size-vertical: 1; }"

    def __init__(self, text: str, settings: EditorSettings) -> None:
        super().__init__()
        self.start, self.settings = text, settings
        self.told: list[str] = []
        self.sent: list[str] = []
        self.terminal = pyte.Screen(80, 24)
        self._stream = pyte.Stream(self.terminal)

    def compose(self) -> ComposeResult:
        yield Editor(self.start, self.settings)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if isinstance(renderable, CompositorUpdate) and not self._batch_count:
            columns, rows = max(1, screen.size.width), max(1, screen.size.height)
            if (self.terminal.columns, self.terminal.lines) != (columns, rows):
                self.terminal.resize(rows, columns)
                self.terminal.reset()
            at = screen.outer_size.clamp_offset(self.cursor_position)
            sequence = renderable.render_segments(self.console) + Control.move_to(*at).segment.text
            self.sent.append(sequence)
            self._stream.feed(sequence)

    def on_editor_generation_removed(self, event: Editor.GenerationRemoved) -> None:
        self.told.append(f"removed {event.generation}")

    def on_editor_generation_restored(self, event: Editor.GenerationRestored) -> None:
        self.told.append(f"restored {event.generation}")

    def on_editor_generation_touched(self, event: Editor.GenerationTouched) -> None:
        self.told.append(f"touched {event.generation}")


class Desk:
    """The editor at hand, with ways to work and look at it."""

    def __init__(self, app: Drawn, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.editor = app, pilot, app.query_one(Editor)

    @property
    def y(self) -> int:
        """The first row in view."""
        return self.editor.scroll_offset.y

    async def painted(self, rounds: int = 2) -> None:
        """All that was sent has arrived and is on the screen. Unlike `Pilot.pause` it does not wait for quiet.

        What is measured while it is painted is painted again, in the next round.
        """
        for _ in range(rounds):
            done = asyncio.Event()
            self.app.call_later(self.app.screen.call_later, self.editor.call_after_refresh, done.set)
            await done.wait()

    async def idle(self) -> None:
        """All is measured, counted and painted."""
        await self.painted()
        while not (self.editor.settle(0.1) and self.editor._count()):
            pass
        await self.painted()

    async def press(self, *keys: str) -> None:
        """Press these keys, one as fast as the other."""
        for key in keys:
            character = key if len(key) == 1 else None
            self.app._driver.send_message(events.Key(key, character))  # type: ignore[union-attr]
        await self.painted()

    async def type(self, text: str) -> None:
        """Key events in one burst, as an input method sends them."""
        for character in text:
            self.app._driver.send_message(events.Key("unknown", character))  # type: ignore[union-attr]
        await self.painted()

    async def paste(self, text: str) -> None:
        self.app._driver.send_message(events.Paste(text))  # type: ignore[union-attr]
        await self.painted()

    async def resize(self, width: int, height: int) -> None:
        size = Size(width, height)
        self.app._driver._size = size  # type: ignore[union-attr]
        self.app._driver.send_message(events.Resize(size, size))  # type: ignore[union-attr]
        while self.editor.outer_size != size:
            await self.painted()
        await self.painted(rounds=3)

    async def mouse(
        self, kind: type[events.MouseEvent], x: int, y: int, *, button: int = 1, shift: bool = False
    ) -> None:
        """A mouse event at this row of the view and this cell of its text; both may lie outside of it."""
        x += self.editor.margin
        event = kind(None, x, y, 0, 0, button, shift, False, False, screen_x=x, screen_y=y)
        self.app._driver.process_message(event)  # type: ignore[union-attr]
        await self.painted()

    async def until(self, condition: Callable[[], object]) -> None:
        for _ in range(500):
            if condition():
                return
            await self.pilot.pause(0.01)
        raise AssertionError("it never came true")

    def begin(self, at: int | None = None, generation: str = "g") -> None:
        at = self.editor.length if at is None else at
        self.editor.begin_generated(generation, at, at)

    def rows(self) -> list[str]:
        """What the compositor shows of the editor."""
        return [strip.text.replace(JOINER, "").rstrip() for strip in self.strips()]

    def strips(self) -> list[Strip]:
        region = self.editor.scrollable_content_region
        strips = self.app.screen._compositor.render_strips()[region.y : region.bottom]
        return [strip.crop(region.x, region.right) for strip in strips]

    def cursor_seen(self) -> Offset:
        """Where the terminal's own cursor is."""
        return Offset(self.app.terminal.cursor.x, self.app.terminal.cursor.y)

    def cursor_wanted(self) -> Offset:
        """Where it belongs: worked out from text and rows alone."""
        editor = self.editor
        y, row = editor.sheet.layout.row_of(editor.cursor, before=editor.sheet.upstream)
        cell = cells.width(row.paragraph.text[row.start : editor.cursor - row.at])
        return Offset(editor.margin + min(cell, editor.sheet.layout.width), y - self.y)

    def cursor_in_view(self) -> bool:
        return 0 <= self.cursor_wanted().y < self.editor.rows_in_view


@asynccontextmanager
async def drawing(
    text: str = "", size: tuple[int, int] = (60, 12), *, plain: bool = True, **settings: object
) -> AsyncIterator[Desk]:
    """The editor in an app. `plain`: no text in it whose cells terminals do not agree on."""
    app = Drawn(text, EditorSettings(**settings))  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        desk = Desk(app, pilot)
        desk.editor.focus()
        await desk.idle()
        yield desk
        await assert_as_new(desk, plain=plain)


async def assert_as_new(desk: Desk, *, plain: bool = True) -> None:
    """What was painted piece by piece is what a fresh start would paint: text, colours, scroll bar, cursor."""
    await desk.idle()
    editor = desk.editor
    before, cursor, strips = _buffer(desk.app.terminal), desk.cursor_seen(), desk.strips()
    shown, wanted = desk.rows(), _wanted(editor)
    assert shown == wanted, (shown, wanted)
    if editor.has_focus and desk.cursor_in_view() and editor.pane > 1:
        assert cursor == desk.cursor_wanted(), (cursor, desk.cursor_wanted())
    editor._painter, editor._look = Painter(), None
    desk.app.refresh()
    editor.refresh()
    editor.vertical_scrollbar.refresh()
    await desk.painted()
    assert [list(strip) for strip in desk.strips()] == [list(strip) for strip in strips]
    if plain:
        now = _buffer(desk.app.terminal)
        assert [_text(row) for row in before] == [_text(row) for row in now]
        assert before == now, [(a, b) for a, b in zip(before, now, strict=True) if a != b][:1]


def _wanted(editor: Editor) -> list[str]:
    layout, top = editor.sheet.layout, editor.scroll_offset.y
    count = max(0, min(editor.rows_in_view, layout.height - top))
    rows = layout.rows(top, count) if count else []
    painted = [" " * editor.margin + cells.painted(row.text) for row in rows]
    painted += [""] * (editor.rows_in_view - len(painted))
    room = [text[: cells.index_at(text, editor.pane)] for text in painted]
    return [text.replace(JOINER, "").rstrip() for text in room]


def _buffer(terminal: pyte.Screen) -> list[list[Char]]:
    return [[terminal.buffer[y][x] for x in range(terminal.columns)] for y in range(terminal.lines)]


def _text(row: list[Char]) -> str:
    return "".join(char.data for char in row).rstrip()
