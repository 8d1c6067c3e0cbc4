from __future__ import annotations

import asyncio
import os
from pathlib import Path

from writer.manuscript.watcher import changes


async def test_changed_chapters_are_named_until_stopped(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    stop, seen = asyncio.Event(), asyncio.Queue[set[str]]()

    async def watch() -> None:
        async for paths in changes(tmp_path, stop):
            seen.put_nowait(paths)

    watching = asyncio.create_task(watch())
    first = tmp_path / "chapters" / "01.md"
    named: set[str] = set()
    async with asyncio.timeout(20):
        while "chapters/01.md" not in named:  # the watch begins some time after the call: write until it has seen one
            first.write_text(os.urandom(4).hex())
            try:
                named |= await asyncio.wait_for(seen.get(), 0.5)
            except TimeoutError:
                continue
        (tmp_path / "chapters" / ".hidden.md").write_text("x")
        (tmp_path / "chapters" / "notes.txt").write_text("x")
        (tmp_path / "chapters" / ".02.tmp").write_text("new")
        os.replace(tmp_path / "chapters" / ".02.tmp", tmp_path / "chapters" / "02-第二.md")
        while "chapters/02-第二.md" not in named:
            named |= await seen.get()
        first.unlink()
        while "chapters/01.md" not in await seen.get():
            pass
        assert named == {"chapters/01.md", "chapters/02-第二.md"}
        stop.set()
        await watching


async def test_what_cannot_be_watched_gives_no_hints(tmp_path: Path) -> None:
    async with asyncio.timeout(20):
        assert [paths async for paths in changes(tmp_path / "missing", asyncio.Event())] == []
