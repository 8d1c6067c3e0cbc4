"""An app that shows real editors, in the app's own stylesheet, on a pseudo-terminal: one page for each text.

Pages of one stage are measured in turn, in one process: A B A B, some times each, so that whatever else the machine
does meets both. `Editor` is imported late: which class it is can be said on the command line.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widgets import ContentSwitcher, Footer, Static

from benchmarks.meter import cpu
from benchmarks.terminal import Terminal
from writer.tui.tuning import settle_memory
from writer.tui.widgets.outline import Outline

STYLES = Path(__file__).resolve().parents[2] / "writer" / "tui" / "styles" / "app.tcss"
SLOT = 1 / 30
"""Seconds in which a change and its frame are counted: the time between two batches of a stream."""
QUIET = 0.6
"""CPU milliseconds of a slot in which nothing is done."""
PATIENCE = 60.0
"""Seconds to wait for anything at most."""
USUAL = gc.get_threshold()
Result = TypeVar("Result")
EDITOR = {"class": "writer.tui.editor.widget:Editor"}


def editor_class() -> type[Any]:
    """The widget that is measured."""
    module, _, name = EDITOR["class"].partition(":")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    return found


def perform(act: Callable[[Stage], Awaitable[Result]], texts: Mapping[str, str], *, cold: bool = False) -> Result:
    """Opens a page for each text, does `act`, and leaves. `cold`: the texts are left to `act`, to be opened."""
    gc.collect()
    terminal = Terminal()
    stage = Stage(terminal, tuple(texts))
    done: list[Result] = []

    async def pilot(_: object) -> None:
        if not cold:
            await stage.open(texts)
        done.append(await act(stage))
        stage.exit()

    try:
        stage.run(auto_pilot=pilot)
    finally:
        terminal.close()
        _forget_settling()
    return done[0]


def _forget_settling() -> None:
    """Undoes what `settle_memory` does for a whole process: the next stage begins like the first."""
    gc.unfreeze()
    gc.set_threshold(*USUAL)


class Stage(App[None]):
    """The desk of the app: chapter list, pages, status line, footer."""

    CSS_PATH = STYLES
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Any]] = [("f1", "app.bell", "Help"), ("ctrl+g", "app.bell", "Write on")]

    def __init__(self, terminal: Terminal, names: tuple[str, ...]) -> None:
        self.born = cpu()
        """CPU milliseconds of the process when the app was made."""
        super().__init__(driver_class=terminal.driver())
        self.terminal = terminal
        self.pages = {name: editor_class()(id=name) for name in names}
        self.line = Static("", id="status", markup=False)
        self.frames = 0
        """Frames painted so far."""
        self._on_frame: Callable[[], None] = lambda: None

    def compose(self) -> ComposeResult:
        with Horizontal(id="desk"):
            yield Outline([])
            with ContentSwitcher(id="pages", initial=next(iter(self.pages))):
                yield from self.pages.values()
        yield self.line
        yield Footer()

    def post_display_hook(self) -> None:
        self.frames += 1
        self._on_frame()

    async def open(self, texts: Mapping[str, str]) -> None:
        """Give the pages their texts, as the app does."""
        for name, text in texts.items():
            self.pages[name].load(text)
        for name in texts:
            await self.show(name)
        settle_memory()

    async def show(self, name: str) -> Any:
        """Bring this page to the front, and wait until all that comes of it is done. The page's editor."""
        self.query_one("#pages", ContentSwitcher).current = name
        self.pages[name].focus()
        await self.quiet()
        return self.pages[name]

    def key(self, name: str, character: str | None = None) -> None:
        """As the terminal reports it."""
        self.post_message(events.Key(name, character))

    def resize(self, columns: int, rows: int) -> None:
        """As the terminal reports it."""
        self.terminal.size = (columns, rows)
        size = Size(columns, rows)
        self.post_message(events.Resize(size, size))

    @property
    def busy(self) -> bool:
        """Whether something is not handled or not painted yet."""
        screen = self.screen
        unpainted = screen._dirty_widgets or screen._layout_required or screen._repaint_required
        queues = [self, screen, *self.pages.values(), self.line]
        return bool(unpainted or screen._scroll_required or any(each.message_queue_size for each in queues))

    async def spend(self, act: Callable[[], object]) -> float:
        """CPU milliseconds of a slot in which this is done and painted."""
        start = cpu()
        act()
        await asyncio.sleep(SLOT)
        for _ in range(int(PATIENCE / 0.005)):
            if not self.busy:
                break
            await asyncio.sleep(0.005)
        return cpu() - start

    async def framed(self, act: Callable[[], object], done: Callable[[], bool]) -> float:
        """CPU milliseconds from `act` to the first frame behind which `done()` is true. Raises TimeoutError."""
        painted = asyncio.Event()
        end = 0.0

        def look() -> None:
            nonlocal end
            if not painted.is_set() and done():
                end = cpu()
                painted.set()

        self._on_frame = look
        start = cpu()
        act()
        try:
            await asyncio.wait_for(painted.wait(), PATIENCE)
        finally:
            self._on_frame = lambda: None
        return end - start

    async def quiet(self) -> None:
        """Wait until three slots in a row cost next to nothing: idle work is done. Raises TimeoutError."""
        calm = 0
        for _ in range(int(PATIENCE / SLOT)):
            calm = calm + 1 if await self.spend(lambda: None) < QUIET else 0
            if calm == 3:
                return
        raise TimeoutError("the app does not come to rest")
