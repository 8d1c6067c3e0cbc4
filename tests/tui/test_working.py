"""Work behind the screen: nothing of it is made before it starts, so a screen may go at any time."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from textual.dom import DOMNode

from writer.tui.working import work, work_anew

ROOM = Path(__file__).parents[2] / "writer" / "tui"


async def test_a_worker_that_never_starts_leaves_no_coroutine_behind() -> None:
    given: list[tuple[Any, dict[str, object]]] = []
    screen = cast(DOMNode, SimpleNamespace(run_worker=lambda do, **how: given.append((do, how))))
    made: list[str] = []

    async def _read(path: str) -> None:
        made.append(path)

    work(screen, "read", _read, "one.md")
    work_anew(screen, "read", _read, "two.md")
    assert [how for _, how in given] == [{"group": "read"}, {"group": "read", "exclusive": True}]
    assert not any(hasattr(do, "cr_frame") for do, _ in given)
    assert made == []
    for do, _ in given:
        await do()
    assert made == ["one.md", "two.md"]


def test_all_work_behind_the_screen_begins_there() -> None:
    """A coroutine that is made for a worker is never awaited if its screen goes before it starts."""
    begun = {
        path.name
        for path in ROOM.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("run_worker", "call_from_thread")
    }
    assert begun == {"working.py"}
