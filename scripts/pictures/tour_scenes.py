"""The pictures of the tours: the whole app with its state on the disk, and an engine that recites."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import patch

from textual.widgets import OptionList

from pictures import scenes
from pictures.prose import WINTER_LINE, Novel
from pictures.reciter import Line, Prompter
from pictures.stage import Stage, publish, staged
from pictures.tours import AT_ONCE, FACTS, FIRST, ILSE, OUTLINE, PASSAGE, REPORT, REWRITING, STYLE, TAKES, give_sources
from writer import bootstrap
from writer.generation.prompt import report_instructions
from writer.manuscript.model import Manuscript
from writer.tui.app import WriterApp
from writer.tui.book.chapters_sheet import ChaptersSheet
from writer.tui.prompt.sampling_sheet import SamplingSheet
from writer.tui.rewriting.card import RewriteCard
from writer.tui.takes.progress_sheet import ProgressSheet
from writer.tui.takes.takes_sheet import TakesSheet

_SETTINGS = "\n[settings.editor]\nwidth = 66\nautosave = 0.2\n"

_NOT_YET = ("waits", "Lamp Room · 3 words", "March · 4 words", "Thaw · 1 word ")
"""What stands there while a chapter has nothing but its heading."""


@asynccontextmanager
async def _stage(manuscript: Manuscript, lines: Sequence[Line] = ()) -> AsyncIterator[Stage]:
    """As `writer DIR` opens it."""
    with patch.object(bootstrap, "engine_source", lambda settings, environ: Prompter(lines)):
        manuscript, settings, desk = bootstrap.writing_thread(manuscript.folder, {})
        app = WriterApp(manuscript, desk, settings.editor)
        async with staged(app) as shown:
            await shown.until(lambda: app.main.page is not None and app.main.page.traced)
            yield shown
            await app.main.keeping.leave()


def _novel(folder: Path) -> Manuscript:
    """The Winter Line with its outline, its notes and what is known of its chapters."""
    novel = Novel(WINTER_LINE.title, WINTER_LINE.language, WINTER_LINE.chapters, WINTER_LINE.texts | {1: FIRST})
    manuscript = publish(novel, folder)
    (folder / "outline.md").write_text(OUTLINE, encoding="utf-8")
    (folder / "notes" / "characters").mkdir()
    (folder / "notes" / "characters" / "ilse-farn.md").write_text(ILSE, encoding="utf-8")
    (folder / "notes" / "style.md").write_text(STYLE, encoding="utf-8")
    with (folder / "writer.toml").open("a", encoding="utf-8") as file:
        file.write(FACTS.format(*(chapter.path for chapter in manuscript.chapters)) + _SETTINGS)
    return manuscript


@asynccontextmanager
async def book(folder: Path) -> AsyncIterator[Stage]:
    """The whole book, with what the outline says of each chapter."""
    async with _stage(_novel(folder)) as shown:
        await shown.open(3)
        await shown.press("ctrl+o")
        await shown.until(lambda: isinstance(shown.app.screen, ChaptersSheet))
        await shown.until(lambda: shown.app.screen.query_one(OptionList).option_count > 5)
        yield shown


@asynccontextmanager
async def takes(folder: Path) -> AsyncIterator[Stage]:
    """Three takes for one place, side by side."""
    async with _stage(_novel(folder), TAKES) as shown:
        await shown.open(3)
        await shown.press("ctrl+t")
        await shown.until(lambda: isinstance(shown.app.screen, TakesSheet))
        await shown.press("n", "tab", *"Somebody answers on the wire.", "enter")
        await shown.until(lambda: shown.says("quiet for a while") and shown.says("inside of her"))
        await shown.until(lambda: shown.says("somebody had to") and not shown.says("waits"))
        await shown.press("right")
        await shown.until(lambda: shown.says("▸ 2"))
        yield shown


@asynccontextmanager
async def rewriting(folder: Path) -> AsyncIterator[Stage]:
    """A passage and what would change in it, piece by piece."""
    async with _stage(_novel(folder), [REWRITING]) as shown:
        await shown.open(2)
        shown.editor.select(shown.editor.text.index(PASSAGE), shown.editor.text.index(PASSAGE) + len(PASSAGE))
        await shown.press("f12", "r")
        await shown.until(lambda: isinstance(shown.app.screen, RewriteCard) and shown.says("4 changes, 4 taken"))
        await shown.press("down")
        await shown.until(lambda: shown.says("[✓]; by the end"))
        await shown.press("space")
        await shown.until(lambda: shown.says("3 taken"))
        yield shown


@asynccontextmanager
async def chapters(folder: Path) -> AsyncIterator[Stage]:
    """Three chapters that are written at once."""
    async with _stage(_novel(folder), AT_ONCE) as shown:
        await shown.press("ctrl+t", "w")
        await shown.until(lambda: isinstance(shown.app.screen, ProgressSheet) and shown.says("empty"))
        await shown.press("e", "w")
        await shown.until(lambda: shown.says("3 being written") and not any(map(shown.says, _NOT_YET)))
        yield shown


def _report(folder: Path) -> Manuscript:
    manuscript = publish(REPORT, folder)
    give_sources(folder / "sources")
    (folder / "notes" / "instructions.md").write_text(f"{report_instructions('en')}\n", encoding="utf-8")
    with (folder / "writer.toml").open("a", encoding="utf-8") as file:
        file.write('\n[settings.writing]\npreset = "report"\n' + _SETTINGS)
    return manuscript


@asynccontextmanager
async def prompt(folder: Path) -> AsyncIterator[Stage]:
    """What the model is given for a chapter of a report."""
    async with _stage(_report(folder)) as shown:
        await shown.open(2)
        shown.app.main.desk.warm_up()
        await shown.press("f6")
        await shown.until(lambda: shown.says("Minutes of the harbour council") and shown.says("% full"))
        await shown.press("down", "down")
        yield shown


@asynccontextmanager
async def sampling(folder: Path) -> AsyncIterator[Stage]:
    """How the next words are drawn."""
    async with _stage(_report(folder)) as shown:
        await shown.press("f5")
        await shown.until(lambda: isinstance(shown.app.screen, SamplingSheet) and shown.says("Temperature"))
        yield shown


SCENES: dict[str, scenes.Scene] = {
    **scenes.SCENES,
    "book": book,
    "takes": takes,
    "rewriting": rewriting,
    "chapters": chapters,
    "prompt": prompt,
    "sampling": sampling,
}
"""Name of the picture → its scene."""
