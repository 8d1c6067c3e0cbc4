"""Every place of the app that shows foreign text, and how payloads get there. Run inside the app, by escape_app.py."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from escape_answers import ANSWERS
from escape_later_sheets import LATER
from escape_places import Painted, Show, chunks, pushed, several
from escape_sheets import SHEETS
from textual.command import CommandPalette
from textual.widgets import Input

from writer.engine.base import EngineStatus
from writer.generation.model import StopCause
from writer.manuscript.legacy import LegacyText
from writer.manuscript.model import Chapter
from writer.runtime.events import CommitDelayed, EngineProgressed, GenerationFailed, Noted, Offer
from writer.tui.app import WriterApp
from writer.tui.editor.find_bar import FindBar
from writer.tui.screens.ask import Ask
from writer.tui.screens.choice import Choice
from writer.tui.screens.convert import ConvertCard
from writer.tui.screens.help import Help
from writer.tui.screens.resume import ResumeCard
from writer.tui.widgets.outline import Outline

STOP = StopCause.KILLED


async def editor(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The chapter file holds a payload in each paragraph."""
    assert app.main.page is not None
    sheet = app.main.page.editor
    for chunk in several(payloads, 10):
        sheet.scroll_to_offset(sheet.text.index(chunk[0].partition(".")[0] + "."))
        await painted(chunk)


async def stream(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The model says them."""
    app.main.action_draft()
    desk = app.desk
    await asyncio.to_thread(desk.begin)  # type: ignore[attr-defined]
    for ordinal, payload in enumerate(payloads):
        await asyncio.to_thread(desk.batch, ordinal, f"\n{payload}\n")  # type: ignore[attr-defined]
        if ordinal % 5 == 4 or payload is payloads[-1]:
            await painted(payloads[ordinal // 5 * 5 : ordinal + 1])


async def outline(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Titles of chapters."""
    for chunk in several(payloads, 8):
        _titled(app, chunk)
        app.main.show_state()
        await painted(chunk)


async def status(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """What the engine is doing, and why a commit waits."""
    path = app.main.manuscript.chapters[0].path
    for number, chunk in enumerate(chunks(payloads, 70)):
        text = " ".join(chunk)
        if number % 2:
            app.report(EngineProgressed(EngineStatus(state="starting", sentence=text)))
        else:
            app.main.writings.asked(path)
            app.main.writings.of(path).began(path, "g")
            app.report(CommitDelayed("g", text))
        await painted(chunk)
        app.main.writings.of(path).ended()


async def notifications(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Errors, and what the author should know."""
    for number, chunk in enumerate(chunks(payloads, 100, most=4)):
        text = " ".join(chunk)
        app.report(GenerationFailed("another", 0, text) if number % 2 else Noted(text))
        await painted(chunk)
        app.clear_notifications()


async def help_screen(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The folder's name. Its line is the last but one of the card."""
    for chunk in chunks(payloads, 60):
        async with pushed(app, Help("/" + " ".join(chunk))) as screen:
            while screen.query_one("#keys").size.height < 20:  # it is filled once its width is known
                await asyncio.sleep(0.005)
            screen.query(".card").first().scroll_end(animate=False)
            await painted(chunk)


async def ask(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """What the author pastes into a line."""
    async with pushed(app, Ask("Title of the new chapter", "Enter makes it.")) as screen:
        for chunk in chunks(payloads, 40):
            screen.query_one(Input).value = " " + " ".join(chunk)
            screen.query_one(Input).cursor_position = 0
            await painted(chunk)


async def palette(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Titles of chapters among the commands. The list beside them would show the same marks."""
    app.main.query_one(Outline).display = False
    for chunk in several(payloads, 6):
        _titled(app, chunk)
        async with pushed(app, CommandPalette(id="--command-palette")) as screen:
            screen.query_one(Input).value = "Open"
            await painted(chunk)


async def find(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The pattern, as it comes from a selection; the replacement; what is told of a wrong pattern."""
    await app.main.action_find(True)
    bar = app.main.query_one(FindBar)
    lines = bar.query(Input)
    for number, chunk in enumerate(several(payloads, 1)):
        text = " " + chunk[0]  # the cursor stands on the blank, so that the mark is painted as one
        if number % 3 == 0:
            bar.open(replacing=True, pattern=text)
        elif number % 3 == 1:
            lines[1].value = text
        else:
            bar.tell(text)
        for line in lines:
            line.cursor_position = 0
        await painted(chunk)


async def card(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """What can go on: the chapter's title, the last sentence, a note, the engine's state."""
    for four in several(list(chunks(payloads, 55)), 4):
        title, last, note, engine = [" ".join(chunk) for chunk in four] + [""] * (4 - len(four))
        offer = Offer("g", "c", STOP, False, time.time(), 1, 1, last, 0, 0, True, note)
        state = EngineStatus(state="failed", sentence=engine)
        async with pushed(app, ResumeCard(offer, title, time.time(), state, 0)):
            await painted([payload for chunk in four for payload in chunk])


async def convert(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """A chapter that is not UTF-8: its title, and the name of what it seems to be."""
    for two in several(list(chunks(payloads, 50)), 2):
        title, name = [" ".join(chunk) for chunk in two] + [""] * (2 - len(two))
        async with pushed(app, ConvertCard(title, LegacyText("x", "latin-1", name, "", True))):
            await painted([payload for chunk in two for payload in chunk])


async def question(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Why a chapter could not be saved: each line of a question."""
    for chunk in several(payloads, 5):
        async with pushed(app, Choice(chunk, (("stay", "Stay"),))):
            await painted(chunk)


async def copying(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The author selects and copies: the one thing that may set the clipboard, and only as a whole."""
    assert app.main.page is not None
    sheet = app.main.page.editor
    for chunk in several(payloads, 20):
        start = sheet.text.index(chunk[0].partition(".")[0] + ".")
        sheet.scroll_to_offset(start)
        sheet.select(start, sheet.text.index(chunk[-1].partition(".")[0] + ".") + len(chunk[-1]))
        sheet.action_copy()
        await painted(chunk[:1])


SCREENS: dict[str, Show] = {
    "editor": editor,
    "stream": stream,
    "outline": outline,
    "status": status,
    "notifications": notifications,
    "help": help_screen,
    "ask": ask,
    "palette": palette,
    "find": find,
    "card": card,
    "convert": convert,
    "question": question,
    "copying": copying,
    **SHEETS,
    **ANSWERS,
    **LATER,
}


def _titled(app: WriterApp, titles: Sequence[str]) -> None:
    first = app.main.manuscript.chapters[0]
    chapters = (Chapter(number, f"{first.path}{number}", title) for number, title in enumerate(titles, 2))
    app.main.manuscript = replace(app.main.manuscript, chapters=(first, *chapters))
