"""What the model has written beside a chapter: takes, rewritings, other words. How payloads get onto their screens."""

from __future__ import annotations

from collections.abc import Sequence

from escape_places import Painted, Show, chunks, pushed, several, writable
from textual.widgets import Input

from writer.engine.base import Alternative
from writer.generation.model import State
from writer.runtime.events import TakesListed
from writer.runtime.takes import Take
from writer.tui.app import WriterApp
from writer.tui.rewriting.answers import Answer, Answers, Wish
from writer.tui.rewriting.card import RewriteCard
from writer.tui.rewriting.menu import RewriteMenu
from writer.tui.rewriting.words_sheet import WordsSheet
from writer.tui.takes.asking import AskTakes
from writer.tui.takes.progress_sheet import ProgressSheet
from writer.tui.takes.takes_sheet import TakesSheet


async def takes(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The text of a take, and what was asked for."""
    chapter = app.main.manuscript.chapters[0].path
    for chunk in several(payloads, 3):
        text = "\n\n".join(chunk)
        take = Take("g", chapter, "take", State.FINISHED, "stop", "", 0, 0, (0, 0), chunk[0], 0.0, 9, 9, text)
        app.report(TakesListed(chapter, (take,)))
        async with pushed(app, TakesSheet(app.main, chapter, chunk[0])):
            await painted(chunk)


async def asking(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """What the author pastes as an instruction."""
    async with pushed(app, AskTakes("at the end")) as screen:
        for chunk in chunks(payloads, 40):
            line = screen.query_one("#instruction", Input)
            line.value, line.cursor_position = " " + " ".join(chunk), 0
            await painted(chunk)


async def progress(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Chapters that only the outline has."""
    outline = app.main.manuscript.folder / "outline.md"
    for chunk in several(payloads, 6):
        outline.write_text("\n\n".join(f"## {writable(text)}" for text in chunk))
        async with pushed(app, ProgressSheet(app.main)):
            await painted(chunk)


async def menu(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The passage, and the titles of the author's own prompts."""
    for chunk in several(payloads, 3):
        async with pushed(app, RewriteMenu(chunk[0], lambda: "")) as screen:
            screen.add_recipes([(str(number), text) for number, text in enumerate(chunk)])
            await painted(chunk)


async def words(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Other words that the model might have taken. Last come those that, not cleaned, end the app in its painting."""
    for chunk in several(sorted(payloads, key=lambda text: any(code in text for code in "\a\b\v\f\r")), 6):
        async with pushed(app, WordsSheet("lamp", [Alternative((1,), text, 0.1) for text in chunk])):
            await painted(chunk)


async def rewriting(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """A passage, an answer that is still being written, and a sentence about it."""
    for chunk in several(payloads, 3):
        text = "\n\n".join(chunk)
        answer = Answer("t", text, 0, len(text), raw=text, sentence=chunk[-1])
        answers = Answers("c", Wish(chunk[0]))
        answers.add(answer)
        async with pushed(app, RewriteCard(answers, lambda what: None)):
            await painted(chunk)


ANSWERS: dict[str, Show] = {
    "takes": takes,
    "asking": asking,
    "progress": progress,
    "menu": menu,
    "words": words,
    "rewriting": rewriting,
}
