"""Hints that chapters may have changed on disk. [door: watchfiles]

A hint only: network folders give none, and an atomic save gives several. Whoever listens looks again and compares.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from watchfiles import Change, awatch


def _is_chapter(_change: Change, path: str) -> bool:
    name = Path(path).name
    return name.lower().endswith(".md") and not name.startswith(".")


async def changes(folder: Path, stop: asyncio.Event) -> AsyncIterator[set[str]]:
    """Chapter paths, relative to the manuscript's `folder`, that may have changed; ends when `stop` is set.

    Ends at once where the folder cannot be watched.
    """
    root = folder.resolve()
    watched = awatch(root / "chapters", watch_filter=_is_chapter, debounce=200, step=20, stop_event=stop)
    try:
        async for batch in watched:
            yield {Path(path).relative_to(root).as_posix() for _, path in batch}
    except (OSError, RuntimeError):  # watchfiles raises the latter for what the system refuses
        return
