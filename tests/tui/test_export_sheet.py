"""The book is exported from the app: what is on the screen goes into the file, and nothing is overwritten unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual.widgets import Input

from writer.manuscript.model import Manuscript
from writer.tui.book.export_sheet import ExportSheet
from writer.tui.book.sheet import Rows
from writer.tui.screens.choice import Choice


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def opened(desktop: Desktop) -> list[str]:
    """By the palette, as an author opens it; its rows."""
    await desktop.press("ctrl+p")
    await desktop.press(*"export")
    await desktop.pilot.pause(0.3)
    await desktop.press("enter")
    await desktop.until(lambda: isinstance(desktop.app.screen, ExportSheet) and rows(desktop))
    return rows(desktop)


def rows(desktop: Desktop) -> list[str]:
    return [str(option.prompt) for found in desktop.app.screen.query(Rows) for option in found.options]


def title(desktop: Desktop) -> str:
    return str(desktop.app.screen.query_one(".title").render())


async def choose(desktop: Desktop, kind: str) -> None:
    names = [row.split(":")[0] for row in rows(desktop)]
    await desktop.press(*["down"] * names.index(kind), "enter")


async def test_what_is_typed_and_not_saved_goes_into_the_file(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press(*"Rain rain ")
        assert [row for row in await opened(desktop) if row.endswith("exports/the-harbour.docx")]
        await choose(desktop, "Markdown")
        await desktop.until(lambda: desktop.told)
        file = novel.folder / "exports/the-harbour.md"
        assert desktop.told == [f"Exported 2 chapters, 11 words, to {file}"]
        assert "Rain rain" in file.read_text()
        assert desktop.app.screen is desktop.screen


async def test_the_chapter_that_is_shown_goes_to_the_place_that_is_named(novel: Manuscript, tmp_path: Path) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop)
        await desktop.press("s", "c")
        assert title(desktop) == "Export: report, chapter 1"
        await desktop.press("p")
        await desktop.until(lambda: desktop.app.screen.query(Input))
        desktop.app.screen.query_one(Input).value = str(tmp_path / "mine.md")
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, ExportSheet))
        await choose(desktop, "Markdown")
        await desktop.until(lambda: (tmp_path / "mine.md").exists())
        assert "Lighthouse" not in (tmp_path / "mine.md").read_text()


async def test_a_file_that_is_there_is_replaced_only_if_the_author_says_so(novel: Manuscript) -> None:
    file = novel.folder / "exports/the-harbour.md"
    file.parent.mkdir()
    file.write_text("mine")
    async with running(novel, FakeDesk()) as desktop:
        for keys, wanted in ((("enter",), False), (("right", "enter"), True)):
            await opened(desktop)
            await choose(desktop, "Markdown")
            await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
            await desktop.press(*keys)
            await desktop.until(lambda wanted=wanted: bool(desktop.told) == wanted)
            assert (file.read_text() != "mine") is wanted


async def test_what_goes_wrong_is_one_sentence(novel: Manuscript) -> None:
    (novel.folder / "exports").write_text("a file where the folder should be")
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop)
        await choose(desktop, "Markdown")
        await desktop.until(lambda: desktop.told)
        assert "cannot be made" in desktop.told[0]
