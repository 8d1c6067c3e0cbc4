"""What the app looks like, picture by picture. After a change that is meant, run with WRITER_SNAPSHOTS=update."""

from __future__ import annotations

import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from desktop import Desktop, offer
from fake_desk import FakeDesk

from writer.config import EditorSettings
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, create
from writer.tui.app import WriterApp
from writer.tui.editor.find_bar import FindBar
from writer.tui.screens.help import Help
from writer.tui.screens.resume import ResumeCard

KEPT = Path(__file__).parent / "snapshots"
UPDATE = os.environ.get("WRITER_SNAPSHOTS") == "update"
ENGLISH = (
    "# The lighthouse\n\nIt rained on the harbour. *Nobody* had seen the keeper since Sunday, and the ship came in "
    "without a light.\n\n“Who is there?” he called.\n\n* * *\n\nIn the morning the door stood open.\n"
)
CHINESE = "# 第一章 灯塔\n\n雨夜里，海上的灯塔亮着。守塔人听见了钟声，却没有起身。\n\n“谁在那里？”他问。没有人回答。\n"


def kept(name: str) -> str:
    """The picture as it should be; "" if there is none yet."""
    file = KEPT / f"{name}.svg"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def judge(name: str, svg: str) -> None:
    """Keep the picture if that is asked; else put the new one beside the kept one if it differs."""
    file, new = KEPT / f"{name}.svg", KEPT / f"{name}.new.svg"
    new.unlink(missing_ok=True)
    if UPDATE:
        KEPT.mkdir(exist_ok=True)
        file.write_text(svg, encoding="utf-8")
    elif svg != kept(name):
        new.write_text(svg, encoding="utf-8")
        pytest.fail(
            f"{name} looks different. Open {new} and {file} in a browser. If the new one is right, "
            f"run WRITER_SNAPSHOTS=update pytest {Path(__file__).name}, and commit it."
        )


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    novel = add_chapter(create(tmp_path / "novel", title="The Harbour"), "The Lighthouse")
    (novel.folder / novel.chapters[0].path).write_text(ENGLISH, encoding="utf-8")
    return novel


@asynccontextmanager
async def shown(
    novel: Manuscript, desk: FakeDesk, size: tuple[int, int] = (90, 24), **settings: object
) -> AsyncIterator[Desktop]:
    app = WriterApp(novel, desk, EditorSettings(autosave=3600.0, **settings))  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        desktop = Desktop(app, desk, pilot)
        await desktop.until(lambda: app.main.page is not None)
        yield desktop


def picture(desktop: Desktop) -> str:
    """The screen as it is now. Rich numbers its classes by what is in it; the numbers are left out."""
    return re.sub(r"terminal-\d+", "terminal", desktop.app.export_screenshot(title="writer"))


async def same(name: str, desktop: Desktop) -> None:
    """Compare with the kept picture, once two in a row are the same. A slow machine has ten seconds to get there."""
    before, deadline = "", time.monotonic() + 10.0
    while (svg := picture(desktop)) != before or (svg != kept(name) and not UPDATE and time.monotonic() < deadline):
        before = svg
        await desktop.until(lambda: desktop.page.editor.settle(0.1) and desktop.page.editor._count())
        desktop.screen.show_state()
        await desktop.pilot.pause(0.01)
    judge(name, svg)


async def test_writing(novel: Manuscript) -> None:
    async with shown(novel, FakeDesk()) as desktop:
        desktop.page.editor.select(ENGLISH.index("ship"), ENGLISH.index(" came"))
        await same("writing", desktop)


async def test_streaming(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with shown(novel, desk) as desktop:
        desktop.page.editor.move_to(0)
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, "On the stairs lay a lantern, still warm. She took it up, and heard the bell.\n\nOnce.")
        await desktop.until(lambda: desktop.page.editor.text.endswith("Once."))
        desktop.screen.writing._samples.clear()  # no speed: it depends on the machine
        await same("streaming", desktop)


async def test_the_resume_card(novel: Manuscript, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writer.tui.opening.time.time", lambda: 1_000_000.0)
    fact = replace(
        offer(novel, start=len(ENGLISH) - 36, end=len(ENGLISH)),
        stopped_at=999_760.0,
        last_sentence="In the morning the door stood open.",
    )
    async with shown(novel, FakeDesk(fact)) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        await same("resume-card", desktop)


async def test_the_find_bar(novel: Manuscript) -> None:
    async with shown(novel, FakeDesk()) as desktop:
        desktop.page.editor.select(ENGLISH.index("the "), ENGLISH.index("the ") + 3)
        await desktop.press("ctrl+r")
        await desktop.until(lambda: desktop.screen.query(FindBar) and desktop.screen.query_one(FindBar).told)
        await same("find-bar", desktop)


async def test_the_book(novel: Manuscript) -> None:
    (novel.folder / "outline.md").write_text("# Part One\n## The lighthouse\nNobody lights it.\n## The storm\nShips.\n")
    with novel.settings_file.open("a", encoding="utf-8") as file:
        file.write(f'[chapter."{novel.chapters[0].path}"]\nstatus = "draft"\ngoal = 3000\n')
    async with shown(novel, FakeDesk(), (80, 20)) as desktop:
        await desktop.press("ctrl+o")
        await desktop.until(lambda: desktop.app.screen.query("Rows").results() and desktop.screen.facts)
        await desktop.until(lambda: "34 of 3,000" in desktop.app.export_screenshot().replace("&#160;", " "))
        await same("book", desktop)


async def test_focus_mode_in_chinese(novel: Manuscript) -> None:
    (novel.folder / novel.chapters[0].path).write_text(CHINESE, encoding="utf-8")
    async with shown(novel, FakeDesk(), focus=True, width=40) as desktop:
        desktop.page.editor.move_to(CHINESE.index("守塔人"))
        await same("focus-chinese", desktop)


async def test_help(novel: Manuscript) -> None:
    async with shown(novel, FakeDesk(), (90, 40)) as desktop:
        desktop.app.push_screen(Help("/home/ada/The Harbour"))
        await same("help", desktop)


async def test_a_narrow_window(novel: Manuscript) -> None:
    async with shown(novel, FakeDesk(), (40, 10)) as desktop:
        await desktop.until(lambda: desktop.screen.query("KeysRow Key"))  # they take a row from the text
        await desktop.pilot.pause()
        desktop.page.editor.show_end()
        desktop.page.editor.move_to(ENGLISH.index("Sunday"))
        await same("narrow", desktop)
