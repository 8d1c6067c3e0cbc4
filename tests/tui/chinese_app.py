"""The app in Chinese, screen after screen: prints what each shows as JSON. Run as a program, with WRITER_LANGUAGE=zh.

Sentences that stand in a module are said when it is imported, so a process has one language.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from desktop import Desktop, offer, running
from fake_desk import FakeDesk

from writer.engine.base import EngineStatus
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, create, open_manuscript
from writer.runtime.events import EngineProgressed
from writer.tui.commands import _export
from writer.tui.screens.resume import ResumeCard

KEYS = {
    "f1": ("help", "在章节末尾续写"),
    "ctrl+p": ("palette", "续写"),
    "ctrl+o": ("chapters", "守塔人"),
    "f10": ("search", "全部替换"),
    "f5": ("sampling", "大胆程度"),
    "ctrl+t": ("takes", "备选稿"),
    "f12": ("rewriting", "缩短"),
    "f2": ("question", "接下来"),
    "ctrl+l": ("line", "转到行"),
}
"""Key of the main screen → name of what it shows, and words that are there when it is ready."""


def make_novel(folder: Path) -> Manuscript:
    """Two chapters, an outline and a note, all in Chinese."""
    novel = add_chapter(create(folder / "novel", title="海港", language="zh"), "风暴")
    (novel.folder / novel.chapters[0].path).write_text("# 灯塔\n\n雨夜里，海上的灯塔亮着。\n", encoding="utf-8")
    (novel.folder / "outline.md").write_text("## 灯塔\n守塔人没有起身。\n\n## 远航\n船。\n", encoding="utf-8")
    (novel.folder / "notes" / "characters").mkdir(parents=True, exist_ok=True)
    (novel.folder / "notes" / "characters" / "守塔人.md").write_text("# 守塔人\n\n沉默。\n", encoding="utf-8")
    return open_manuscript(novel.folder)


async def walk(novel: Manuscript) -> dict[str, list[str]]:
    """Name → rows of each screen."""
    seen: dict[str, list[str]] = {}
    async with running(novel, FakeDesk()) as desktop:

        async def look(
            name: str, ready: str, show: Callable[[], Awaitable[None] | None], *, leave: bool = True
        ) -> None:
            done = show()
            if done is not None:
                await done
            await desktop.until(lambda: ready in "\n".join(rows(desktop)))
            seen[name] = rows(desktop)
            if leave:
                await desktop.press("escape")
                await desktop.until(lambda: desktop.app.screen is desktop.screen)

        await look("main", "灯塔亮着", lambda: None, leave=False)
        for key, (name, ready) in KEYS.items():
            await look(name, ready, lambda key=key: desktop.press(key))  # type: ignore[misc]
        await look("notes", "沉默", desktop.screen.action_notes)
        await look("days", "每日字数", desktop.screen.action_days)
        await look("export", "电子书", lambda: _export(desktop.screen))
        await look("progress", "远航", desktop.screen.action_write_chapters)
        card = ResumeCard(
            replace(offer(novel), last_sentence="雨夜里。"),
            novel.chapters[0].title,
            time.time(),
            EngineStatus(state="stopped"),
            1,
        )
        await look("card", "接着写", lambda: _pushed(desktop, card))
        desktop.app.action_first_steps()
        await look("first steps", "欢迎", lambda: None)
        await look("find", "替换为", lambda: desktop.press("ctrl+r"), leave=False)
        desktop.desk.report(EngineProgressed(EngineStatus(state="starting", seconds=3.0)))
        await look("starting", "引擎", lambda: None, leave=False)
    return seen


async def _pushed(desktop: Desktop, card: ResumeCard) -> None:
    await desktop.app.push_screen(card)


def rows(desktop: Desktop) -> list[str]:
    """What the screen on top shows, row by row."""
    return [strip.text for strip in desktop.app.screen._compositor.render_strips()]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(walk(make_novel(Path(sys.argv[1]))))))
