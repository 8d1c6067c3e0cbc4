"""Summaries in the app: asked for, paused, shown; offered when a chapter is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from arranging_desk import ArrangingDesk
from desktop import make_novel, running
from fake_desk import FakeDesk
from real_window import window

from writer.config import load
from writer.errors import ConfigError
from writer.manuscript.encoding import digest
from writer.manuscript.model import Manuscript
from writer.manuscript.summaries import (
    Standing,
    Summary,
    lacking,
    read_summary,
    standing,
    summary_path,
    write_summary,
)
from writer.runtime.events import AsideBegun, BatchCommitted, SummaryStopped, SummaryWritten
from writer.tui.book.summarising import told
from writer.tui.prompt.inspector import Inspector
from writer.tui.screens.choice import Choice

TEXT = "# One\n\n" + "It rained and the ship came in. " * 20


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    novel = make_novel(tmp_path)
    (novel.folder / novel.chapters[0].path).write_text(TEXT)
    return novel


def summed_up(novel: Manuscript, of: str = "") -> None:
    path = novel.chapters[0].path
    write_summary(novel.folder, Summary(path, "A ship comes.", of or digest(TEXT.encode())))


async def test_one_is_written_with_progress_paused_and_gone_on_with(novel: Manuscript) -> None:
    desk, path = FakeDesk(), novel.chapters[0].path
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+o")
        await desktop.until(lambda: desktop.app.screen is not desktop.screen)
        await desktop.pilot.pause()
        await desktop.press("y")
        await desktop.until(lambda: f"summarise {path}" in desk.orders)
        await desktop.until(lambda: "summary: waits for the engine" in desktop.screen.word_parts())
        desk.report(AsideBegun("summary", "s1", path, "summary", 1, 1))
        desk.report(BatchCommitted("s1", 0, (1, 2, 3), "A ship.", 3))
        await desktop.until(lambda: "summary: 3 tokens" in desktop.screen.word_parts())
        assert desktop.page.editor.text == TEXT
        await desktop.press("escape")
        await desktop.until(lambda: "pause s1" in desk.orders)
        desk.report(SummaryStopped(path))
        await desktop.until(lambda: not desktop.screen.summaries.busy)
        desktop.screen.summaries.ask(path)
        await desktop.until(lambda: desk.orders.count(f"summarise {path}") == 2)
        desk.report(SummaryStopped(path, "The engine has died."))
        await desktop.until(lambda: "The engine has died." in desktop.told)


@pytest.mark.parametrize("typed", [False, True])
async def test_it_is_shown_unless_the_author_is_writing(novel: Manuscript, typed: bool) -> None:
    desk, path = FakeDesk(), novel.chapters[0].path
    async with running(novel, desk) as desktop:
        desktop.screen.summaries.ask(path)
        await desktop.until(lambda: f"summarise {path}" in desk.orders)
        if typed:
            await desktop.press("x")
        summed_up(novel)
        desk.report(SummaryWritten(path, summary_path(path)))
        if typed:
            await desktop.until(lambda: desktop.told == [f"The summary is kept in {summary_path(path)}."])
            assert desktop.page.chapter.path == path
        else:
            await desktop.until(lambda: desktop.page.chapter.path == summary_path(path))
            assert not desktop.page.only_read


@pytest.mark.parametrize(("of", "line"), [("", "There is a summary of"), ("ab", "was changed since")])
async def test_one_that_is_there_is_never_replaced_unasked(novel: Manuscript, of: str, line: str) -> None:
    summed_up(novel, of)
    desk, path = FakeDesk(), novel.chapters[0].path
    async with running(novel, desk) as desktop:
        desktop.screen.summaries.ask(path)
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        assert line in desktop.app.screen._lines[0]  # type: ignore[attr-defined]
        assert f"summarise {path}" not in desk.orders
        await desktop.press(*(["right"] if not of else []), "enter")
        await desktop.until(lambda: f"summarise {path}" in desk.orders)


@pytest.mark.parametrize(("wish", "asked", "ordered"), [("ask", True, False), ("always", False, True)])
async def test_a_chapter_that_is_done_is_summed_up_as_the_setting_says(
    novel: Manuscript, wish: str, asked: bool, ordered: bool
) -> None:
    desk, path = ArrangingDesk(novel), novel.chapters[0].path
    async with running(novel, desk) as desktop:
        desktop.screen.editing = replace(desktop.screen.editing, summarise=wish)
        for _ in ("idea", "draft", "revised", "done"):
            assert not isinstance(desktop.app.screen, Choice)
            assert f"summarise {path}" not in desk.orders
            desktop.screen.arranging.status(path)
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice) or f"summarise {path}" in desk.orders)
        assert (isinstance(desktop.app.screen, Choice), f"summarise {path}" in desk.orders) == (asked, ordered)


async def test_the_real_desk_writes_it_beside_the_chapter(novel: Manuscript) -> None:
    path = novel.chapters[0].path
    async with window(novel, finish_at=30) as desktop:
        before = desktop.page.editor.text
        desktop.screen.summaries.ask(path)
        await desktop.until(lambda: desktop.page.chapter.path == summary_path(path), 30)
        found = read_summary(novel.folder, path)
        assert found is not None
        assert found.text in desktop.page.editor.text
        assert desktop.screen.pages[path].editor.text == before
        desktop.screen.summaries.ask(novel.chapters[1].path)
        await desktop.until(lambda: any("too little text" in sentence for sentence in desktop.told))


async def test_what_was_just_typed_is_summed_up_and_still_the_authors(novel: Manuscript) -> None:
    path = novel.chapters[0].path
    async with window(novel, finish_at=30) as desktop:
        await desktop.press(*"New. ")
        desktop.screen.summaries.ask(path)
        await desktop.until(lambda: desktop.page.chapter.path == summary_path(path), 30)
        assert standing(novel.folder, path) is Standing.GOOD
        assert "New. " in (novel.folder / path).read_text()
        desktop.screen.open_chapter(path)
        await desktop.until(lambda: desktop.page.chapter.path == path)
        await desktop.press(*"And more. ")
        await desktop.press("ctrl+s")
        await desktop.until(lambda: "And more. " in (novel.folder / path).read_text())
        assert not list((novel.folder / "chapters").glob("*conflict*"))
        assert standing(novel.folder, path) is Standing.OLD


async def test_the_inspector_tells_of_chapters_without_one(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.path == novel.chapters[1].path)
        await desktop.press("f6")
        await desktop.until(
            lambda: any("1 chapter before has no summary." in i._last for i in desktop.app.screen.query(Inspector))
        )


def test_what_is_missing_and_what_is_old_is_counted(novel: Manuscript) -> None:
    paths = [chapter.path for chapter in novel.chapters]
    assert lacking(novel.folder, paths) == (1, 0)  # the second one is too short for a summary
    summed_up(novel)
    assert lacking(novel.folder, paths) == (0, 0)
    summed_up(novel, "ab")
    assert lacking(novel.folder, paths) == (0, 1)
    assert told(0, 0) == ""
    assert told(2, 1) == "2 chapters before have no summary. 1 summary is older than its chapter."


def test_a_wish_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[editor]\nsummarise = "perhaps"')
    with pytest.raises(ConfigError, match=r"editor\.summarise is .*always.*, not .perhaps"):
        load(file, None, {})
