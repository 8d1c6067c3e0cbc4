"""What each picture shows, and the keys that lead there."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from textual.command import CommandPalette
from textual.widgets import Input, OptionList

from pictures.desk import GENERATION, PaintedDesk
from pictures.prose import CLOCKMAKER, GENERATED, STOPPED_AT, THE_CALM_ONE, WINTER_LINE
from pictures.stage import NEVER, Stage, publish, stage
from writer.config import EditorSettings
from writer.generation.model import StopCause
from writer.runtime.events import Offer
from writer.text.count import words
from writer.tui.editor.find_bar import FindBar
from writer.tui.screens.resume import ResumeCard

Scene = Callable[[Path], AbstractAsyncContextManager[Stage]]
_PROSE = EditorSettings(autosave=NEVER, width=66)


@asynccontextmanager
async def writing(folder: Path) -> AsyncIterator[Stage]:
    """Text streams in at the end of a chapter."""
    async with stage(publish(WINTER_LINE, folder), PaintedDesk(GENERATED), _PROSE) as shown:
        await shown.open(3)
        shown.editor.move_to(shown.editor.text.index("twice"))
        await shown.press("ctrl+g")
        await shown.until(lambda: shown.editor.text.endswith(GENERATED))
        await shown.counted()
        yield shown


@asynccontextmanager
async def resuming(folder: Path) -> AsyncIterator[Stage]:
    """The app was killed in the middle of a sentence; the card offers to go on."""
    manuscript = publish(WINTER_LINE, folder)
    chapter = manuscript.chapters[2]
    written = GENERATED[: GENERATED.index(STOPPED_AT) + len(STOPPED_AT)]
    with (folder / chapter.path).open("a", encoding="utf-8") as file:
        file.write(written)
    text = (folder / chapter.path).read_text(encoding="utf-8")
    offer = Offer(
        generation=GENERATION,
        chapter=chapter.path,
        cause=StopCause.KILLED,
        truncated=False,
        stopped_at=time.time() - 250,
        words=words(written),
        tokens=words(written) * 4 // 3,
        last_sentence=written[written.rindex("She looked") :],
        start=len(text) - len(written),
        end=len(text),
        intact=True,
    )
    async with stage(manuscript, PaintedDesk("", offer), _PROSE) as shown:
        await shown.until(lambda: isinstance(shown.app.screen, ResumeCard))
        await shown.counted()
        yield shown


@asynccontextmanager
async def replacing(folder: Path) -> AsyncIterator[Stage]:
    """A character gets another name."""
    async with stage(publish(WINTER_LINE, folder), PaintedDesk(), _PROSE) as shown:
        await shown.open(2)
        shown.editor.move_to(0)
        await shown.press("ctrl+r", *"Anselm", "tab", *"Matthis")
        await shown.until(lambda: "of" in shown.app.main.query_one(FindBar).told)
        await shown.press("shift+tab", "enter", "enter")
        yield shown


@asynccontextmanager
async def focus(folder: Path) -> AsyncIterator[Stage]:
    """Chinese text, with all but one paragraph dimmed."""
    async with stage(publish(CLOCKMAKER, folder), PaintedDesk(), EditorSettings(autosave=NEVER, width=60)) as shown:
        await shown.open(2)
        shown.editor.move_to(shown.editor.text.index(THE_CALM_ONE) + len(THE_CALM_ONE))
        await shown.press("f9")
        yield shown


@asynccontextmanager
async def commands(folder: Path) -> AsyncIterator[Stage]:
    """Everything that can be done, by name."""
    async with stage(publish(WINTER_LINE, folder), PaintedDesk(), _PROSE) as shown:
        await shown.open(3)
        await shown.press("ctrl+p")
        await shown.until(lambda: isinstance(shown.app.screen, CommandPalette))
        palette = shown.app.screen
        palette.query_one(Input).cursor_blink = False
        await shown.until(lambda: palette.query_one(OptionList).option_count > 5)
        yield shown


SCENES: dict[str, Scene] = {
    "writing": writing,
    "resuming": resuming,
    "replacing": replacing,
    "focus": focus,
    "commands": commands,
}
"""Name of the picture → its scene."""
