"""P5 and P16: what a key of the author costs, while text streams and wherever the cursor stands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from benchmarks import texts
from benchmarks.editor.streaming import begin, milliseconds
from benchmarks.meter import median, share
from benchmarks.stage import SLOT, Stage, perform
from benchmarks.targets import Plan, Reading
from benchmarks.turns import VISIT, Side, costs

TOKENS = 100
"""Tokens a second."""


def while_text_streams(plan: Plan) -> list[Reading]:
    """P5."""
    readings = []
    for kind, make in texts.KINDS.items():
        text = make(plan.big)
        pages = {"rest": _around_the_middle(text, plan.small), "streaming": text}
        cpu, wall = perform(partial(_keys, plan=plan, kind=kind), pages)
        rest, streaming = median(cpu["rest"]), median(cpu["streaming"])
        what = f"key, {kind}, long document with a stream : short one at rest"
        readings.append(Reading(what, streaming / rest, 1.5, absolute=milliseconds(streaming=streaming, rest=rest)))
        slow = share(wall["streaming"], 0.95)
        readings.append(Reading(f"key to paint, p95, {kind}", slow, None, "ms", "50 ms on an idle machine"))
    return readings


async def _keys(stage: Stage, plan: Plan, kind: str) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    begin(stage, "streaming")
    cpu: dict[str, list[float]] = {"rest": [], "streaming": []}
    wall: dict[str, list[float]] = {"rest": [], "streaming": []}
    for editor in stage.pages.values():
        editor.move_to(_middle(editor.length, editor.text))
    for turn in range(-(-plan.repeats // VISIT)):
        for page in cpu:
            await stage.show(page)
            async with _stream(stage, page, kind) if page == "streaming" else _silence():
                for number in range(VISIT + (plan.warm_ups if turn == 0 else 1)):
                    spent, passed = await _key(stage, page)
                    if number >= (plan.warm_ups if turn == 0 else 1):
                        cpu[page].append(spent)
                        wall[page].append(passed)
    return cpu, wall


def _around_the_middle(text: str, size: int) -> str:
    start = (len(text) - size) // 2
    return text[start : start + size]


def _middle(length: int, text: str) -> int:
    """A place inside of a paragraph near the middle."""
    return text.index("\n", length // 2) + 8


async def _key(stage: Stage, page: str) -> tuple[float, float]:
    """CPU and wall milliseconds from a key to its frame; then a pause, as between two keys of a fast typist."""
    sheet = stage.pages[page].sheet
    cursor, start = sheet.cursor, time.monotonic()
    spent = await stage.framed(lambda: stage.key("x", "x"), lambda: sheet.cursor != cursor)
    passed = (time.monotonic() - start) * 1000
    await asyncio.sleep(0.05)
    return spent, passed


@asynccontextmanager
async def _silence() -> AsyncIterator[None]:
    yield


@asynccontextmanager
async def _stream(stage: Stage, page: str, kind: str) -> AsyncIterator[None]:
    """Text comes at the end of the page, in batches, until the block is left."""
    editor, tokens = stage.pages[page], texts.batches(kind, 2 if kind == "cjk" else 6)

    async def write() -> None:
        start, written = time.monotonic(), 0
        while True:
            await asyncio.sleep(SLOT)
            due = int((time.monotonic() - start) * TOKENS)
            editor.append_generated("".join(next(tokens) for _ in range(due - written)))
            written = due

    task = asyncio.create_task(write())
    try:
        yield
    finally:
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass


def onto_a_bracket(plan: Plan) -> list[Reading]:
    """P16. The bracket stands in the middle of the text and is never closed."""
    text = texts.novel(plan.big)
    pages = {"small": _with_bracket(_around_the_middle(text, plan.small)), "big": _with_bracket(text)}
    cost = perform(partial(_onto, plan=plan), pages)
    what = "cursor onto an open bracket, long : short document"
    return [
        Reading(what, cost["big"] / cost["small"], 1.5, absolute=milliseconds(long=cost["big"], short=cost["small"]))
    ]


def _with_bracket(text: str) -> str:
    at = _middle(len(text), text)
    return f"{text[:at]}({text[at:]}"


async def _onto(stage: Stage, plan: Plan) -> dict[str, float]:
    def key(name: str) -> Callable[[], None]:
        return lambda: stage.key(name)

    sides = {
        page: Side(page, key("left"), lambda editor: editor.move_to(editor.text.index("(") + 1), key("right"))
        for page in ("small", "big")
    }
    return await costs(stage, plan, sides)
